"""Switching a join order while it runs: windows stay, and an index that is new is built."""

from __future__ import annotations

from planner.joins.model import JoinModel
from planner.joins.probes import indexes_used, probes_of
from planner.plan.cost import Cost
from planner.plan.loop_orders import is_multiway
from planner.plan.plan import Plan
from planner.workload.workload import Workload


def moved(model: JoinModel, before: Plan, after: Plan) -> Cost:
    """An insert for every tuple of a window into each index that the new plan alone looks into."""
    old, new = (
        indexes_used(model, probes_of(plan.operators(), model).values()) for plan in (before, after)
    )
    inserts = 0.0
    for place, window in enumerate(model.windows):
        inserts += window.kept * len(set(new[place]) - set(old[place]))
    return Cost(inserts=inserts)


def why_not_switched(workload: Workload, before: Plan, after: Plan) -> str | None:
    """Tuples are laid out for the kernel that runs the first plan."""
    if is_multiway(before, workload) == is_multiway(after, workload):
        return None
    return (
        f"{after.label} cannot follow {before.label}: only one of them puts new tuples outermost, "
        "and another kernel runs it"
    )
