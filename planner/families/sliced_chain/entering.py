"""What queries that entered while a run goes on cost beside what they would from its beginning.

They want no tuple from before they came, so for them the stored member of every result is looked
at once more. Of queries with the same conditions, those that came at other times are looked at by
themselves.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from planner.cost import Cost
from planner.families.sliced_chain.groups import Member
from planner.families.sliced_chain.layout import Join, Selection
from planner.families.sliced_chain.model import GroupModel, model_of
from planner.families.sliced_chain.plans import Checking
from planner.plan import Plan
from planner.workload import Workload


def looks_of_entered(plan: Plan, workload: Workload, entered: Mapping[str, int]) -> dict[str, Cost]:
    """By operator id what a plan costs more because these queries entered at these times.

    It is counted at the select of their conditions, or at the probe where there is none.
    """
    if not entered:
        return {}
    model = model_of(workload)
    built = model.builder.build(plan.label)
    more: dict[str, Cost] = {}
    for operator in built.plan.operators():
        about = built.subjects[operator.id]
        if isinstance(about, Checking):
            group = model.by_group[about.join.group]
            more[operator.id] = _selecting(group, about.join, about.selection, entered)
        elif isinstance(about, Join) and operator.kind == "probe":
            group = model.by_group[about.group]
            more[operator.id] = Cost(
                sum(
                    group.wanted(about, part)
                    for selection in about.selections
                    if not selection.is_needed
                    for since, part in _by_time(about, selection, entered)
                    if since is not None
                )
            )
    return more


def _selecting(
    group: GroupModel, join: Join, selection: Selection, entered: Mapping[str, int]
) -> Cost:
    looks, passing = (-value for value in group.selected(join, selection))
    for since, part in _by_time(join, selection, entered):
        own_looks, own_passing = group.selected(join, part)
        looks, passing = looks + own_looks, passing + own_passing
        if since is not None:
            looks += group.wanted(join, part)
    return Cost(looks, rows_out=passing)


def _by_time(
    join: Join, selection: Selection, entered: Mapping[str, int]
) -> Iterator[tuple[int | None, Selection]]:
    """The queries of a selection that came at one time, for all times."""
    by_time: dict[int | None, list[Member]] = {}
    for member in selection.members:
        by_time.setdefault(entered.get(member.query), []).append(member)
    for since, members in by_time.items():
        yield since, replace(selection, members=tuple(members), windows=join.reached(members))
