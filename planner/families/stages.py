"""The plans of a run whose queries change while it goes on, one after the other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from planner.errors import PlanError, within
from planner.families.capabilities import Changes, Switching
from planner.families.protocol import Family, PlanSpace
from planner.families.registry import chosen_plan
from planner.plan.cost import Cost, Estimate, Quality, UnitCosts
from planner.plan.plan import Plan
from planner.workload.changes import Stage, stages_of
from planner.workload.execution import Change
from planner.workload.workload import Workload


@dataclass(frozen=True, slots=True)
class PlannedStage:
    """What runs from a time on (None: from the beginning), and when its queries entered."""

    at: int | None
    workload: Workload
    plan: Plan
    entered: Mapping[str, int]


def planned_stages(
    chosen: Family, workload: Workload, label: str, units: UnitCosts | None = None
) -> tuple[PlannedStage, ...]:
    """The plan of each stage, by the unit costs of a machine.

    A change of queries keeps the strategy: the family says what to ask for then.
    """
    space = chosen.space(workload, units)
    made = changes_made(space, workload.run.changes)
    if not made:
        return (PlannedStage(None, workload, chosen_plan(space, label), {}),)
    workload = replace(workload, run=replace(workload.run, changes=made))
    planned: list[PlannedStage] = []
    asked = label
    for stage in stages_of(workload):
        if planned and stage.plan is None:
            before = planned[-1]
            changes = chosen.space(before.workload, units).capability(Changes)
            asked = asked if changes is None else changes.label_after_change(before.plan, asked)
        asked = stage.plan or asked
        planned.append(_planned(chosen, stage, asked, units))
        if len(planned) > 1:
            _check_switch(chosen, planned[-2], planned[-1], units)
    return tuple(planned)


def changes_made(space: PlanSpace, changes: Sequence[Change]) -> tuple[Change, ...]:
    """The changes that plans of this space make while they run: all, those of plans, or none."""
    if space.capability(Changes) is not None:
        return tuple(changes)
    if space.capability(Switching) is not None:
        return tuple(change for change in changes if change.plan is not None)
    return ()


def _check_switch(
    chosen: Family, before: PlannedStage, after: PlannedStage, units: UnitCosts | None
) -> None:
    switching = chosen.space(after.workload, units).capability(Switching)
    if switching is None or before.workload.queries != after.workload.queries:
        return
    if (reason := switching.why_not_switched(before.plan, after.plan)) is not None:
        raise PlanError(reason, f"run.changes at {(after.at or 0) / 1e6:g} s")


def _planned(chosen: Family, stage: Stage, label: str, units: UnitCosts | None) -> PlannedStage:
    if stage.at is None:
        plan = chosen_plan(chosen.space(stage.workload, units), label)
    else:
        with within(f"run.changes at {stage.at / 1e6:g} s", ": "):
            plan = chosen_plan(chosen.space(stage.workload, units), label)
    return PlannedStage(stage.at, stage.workload, plan, stage.entered)


def whole_plan(stages: Sequence[PlannedStage]) -> Plan:
    """One plan with the operators of all stages, under the label of the first."""
    first = stages[0].plan
    if len(stages) == 1:
        return first
    roots = dict.fromkeys(root for stage in stages for root in stage.plan.roots)
    return Plan(first.family, first.label, tuple(roots))


def whole_estimate(
    chosen: Family,
    stages: Sequence[PlannedStage],
    begin: int,
    warmup: int,
    end: int,
    units: UnitCosts | None = None,
) -> Estimate:
    """What the stages should cost together: each for its share of the time from `warmup` to `end`.

    Times are in microseconds; those of changes count from `begin`. Each stage is priced as it is
    when windows have filled again after the change.
    """
    if len(stages) == 1:
        return chosen.space(stages[0].workload, units).estimate(stages[0].plan)
    costs: dict[str, Cost] = {}
    qualities: dict[str, Quality] = {}
    starts = [warmup, *(max(warmup, begin + (s.at or 0)) for s in stages[1:])]
    ends = [*(min(end, start) for start in starts[1:]), end]
    for stage, start, stop in zip(stages, starts, ends, strict=True):
        space = chosen.space(stage.workload, units)
        estimate, changes = space.estimate(stage.plan), space.capability(Changes)
        more = changes.cost_of_entered(stage.plan, stage.entered) if changes else {}
        share = max(0, stop - start) / (end - warmup) if end > warmup else 0.0
        for name, cost in estimate.costs.items():
            whole = cost + more.get(name, Cost())
            own = Cost(**{field: share * value for field, value in whole.as_dict().items()})
            costs[name] = costs.get(name, Cost()) + own
        qualities.update(estimate.qualities)
    return Estimate(costs, qualities)
