"""The families of plans. A new one is one file (or folder) and one line in FAMILIES."""

from __future__ import annotations

from planner.errors import PlanError
from planner.families.capabilities import Preferred, Titled
from planner.families.early_aggregation import EarlyAggregation
from planner.families.join_order import JoinOrder
from planner.families.load_shedding import LoadShedding
from planner.families.protocol import Family, PlanSpace
from planner.families.shared_schedule import SharedSchedule
from planner.families.sliced_chain import SlicedChain
from planner.plan.plan import Plan
from planner.workload.validation import listed
from planner.workload.workload import Workload

FAMILIES: tuple[Family, ...] = (
    JoinOrder(),
    EarlyAggregation(),
    SlicedChain(),
    SharedSchedule(),
    LoadShedding(),
)


def family(name: str) -> Family:
    for known in FAMILIES:
        if known.name == name:
            return known
    raise PlanError(f"no family {name!r}; there are {listed(f.name for f in FAMILIES)}")


def covering(workload: Workload) -> tuple[Family, ...]:
    """The families that apply to a workload; first those whose plans it asks for."""
    found = [known for known in FAMILIES if known.refuses(workload) is None]
    return tuple(sorted(found, key=lambda known: not _is_asked_for(known, workload)))


def _is_asked_for(known: Family, workload: Workload) -> bool:
    return isinstance(known, Preferred) and known.is_asked_for(workload)


def applicable(workload: Workload, place: str) -> Family:
    """The first family that applies to a workload; a PlanError with the reasons of all if none."""
    if found := covering(workload):
        return found[0]
    reasons = (f"{known.name}: {known.refuses(workload)}" for known in FAMILIES)
    raise PlanError(f"no family applies: {'; '.join(reasons)}", place)


def plan_title(name: str, label: str, workload: Workload | None = None) -> str:
    """What people call a plan of the family with this name; its label where nothing else is known.

    It builds no plans: `PlanSpace.title` knows more, such as which chain is the optimum.
    """
    known = next((found for found in FAMILIES if found.name == name), None)
    return known.title(label, workload) if isinstance(known, Titled) else label


def chosen_plan(space: PlanSpace, label: str) -> Plan:
    """The plan with this label; `best` means the best by the default objective."""
    return space.best() if label == "best" else space.plan(label)
