"""What the operators of a plan add to a figure: a part of their costs, or the time these take."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from planner.plan.cost import Cost, Quality
from planner.plan.objective import Objective
from planner.plan.plan import Plan

# Beside the parts of a cost: microseconds of CPU per second of stream.
CPU = "cpu_us"


@dataclass(frozen=True, slots=True)
class Costs:
    """Costs in the shape of an outcome, for an objective to read."""

    costs: Mapping[str, Cost]
    qualities: Mapping[str, Quality] = field(default_factory=dict)


def field_of(by: Objective) -> str | None:
    """The figure that operators add up to this objective; None where it is no sum over them."""
    return CPU if by.name == "seconds" else by.part


def by_operator(
    plan: Plan, costs: Mapping[str, Cost], figure: str, time: Objective | None
) -> dict[str, float]:
    """One figure of every operator that has costs, by its id.

    Time is read by `time`. It needs the costs of all operators: kernels do the work of several.
    """
    if figure != CPU:
        return {name: float(getattr(cost, figure)) for name, cost in costs.items()}
    every = {operator.id for operator in plan.operators()}
    if time is None or not every <= set(costs):
        return {}
    return {name: 1e6 * s for name, s in (time.by_operator(plan, Costs(costs)) or {}).items()}
