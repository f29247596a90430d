"""The families of plans. A new one is one file (or folder) and one line in FAMILIES."""

from __future__ import annotations

from planner.errors import PlanError
from planner.families.early_aggregation import EarlyAggregation
from planner.families.join_order import JoinOrder
from planner.families.protocol import Family, PlanSpace
from planner.families.shared_schedule import SharedSchedule
from planner.families.sliced_chain import SlicedChain
from planner.plan.plan import Plan
from planner.workload.validation import listed
from planner.workload.workload import Workload

FAMILIES: tuple[Family, ...] = (JoinOrder(), EarlyAggregation(), SlicedChain(), SharedSchedule())


def family(name: str) -> Family:
    for known in FAMILIES:
        if known.name == name:
            return known
    raise PlanError(f"no family {name!r}; there are {listed(f.name for f in FAMILIES)}")


def applicable(workload: Workload, place: str) -> Family:
    """The first family that applies to a workload; a PlanError with the reasons of all if none."""
    reasons = []
    for known in FAMILIES:
        refused = known.refuses(workload)
        if refused is None:
            return known
        reasons.append(f"{known.name}: {refused}")
    raise PlanError(f"no family applies: {'; '.join(reasons)}", place)


def chosen_plan(space: PlanSpace, label: str) -> Plan:
    """The plan with this label; `best` means the best by the default objective."""
    return space.best() if label == "best" else space.plan(label)
