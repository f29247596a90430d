"""What a switch of plans costs, as the capability `Switching` of a family prices it for runs too.

Where a family cannot switch between two plans while a run goes on, the new plan begins with empty
windows: all that it holds is then built again, an operation a tuple.
"""

from __future__ import annotations

from dataclasses import dataclass

from planner.families.capabilities import Switching
from planner.families.protocol import PlanSpace
from planner.plan.cost import total
from planner.plan.objective import WORK, Objective


@dataclass(frozen=True, slots=True)
class TraceSwitch:
    """A change of plans at a time, and the operations it takes.

    It `restarts` where what is stored cannot serve the new plan.
    """

    at: float
    before: str
    after: str
    operations: float
    restarts: bool = False


def switch_at(at: float, space: PlanSpace, before: str, after: str) -> TraceSwitch:
    """The switch between two plans, with windows as they are in this space's workload."""
    one, other = space.plan(before), space.plan(after)
    switching = space.capability(Switching)
    if switching is not None and not switching.why_not_switched(one, other):
        return TraceSwitch(at, before, after, switching.moved(one, other).operations)
    held = total(space.estimate(other).costs, (root.id for root in other.roots)).state_tuples
    return TraceSwitch(at, before, after, held, restarts=True)


def is_counted_in_operations(by: Objective) -> bool:
    """Whether what plans cost and what a switch takes are in one unit."""
    return by.name == WORK.name
