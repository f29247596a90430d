"""What switching plans costs: the state of the new plan that the old one does not hold.

An operator of the new plan that the old one has too, with the same parameters, keeps its state.
What others hold has to be moved or built again, tuple by tuple: each counts as one operation. Join
orders keep the same windows, so that switching between them is free; chains of other slices, and
aggregation sets, are not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from planner.families.protocol import Family, PlanSpace
from planner.plan.objective import WORK
from planner.whatif.rates import RateTrace
from planner.whatif.replanning import Replanning, ReplanningPolicy
from planner.workload.workload import Workload

State = dict[tuple[object, ...], float]


@dataclass(frozen=True, slots=True)
class TraceSwitch:
    """A change of plans, and how many tuples it moves or builds again."""

    at: float
    before: str
    after: str
    moved: float


@dataclass(frozen=True, slots=True)
class BestPlanSwitches:
    """The switches of the policy that always runs the best plan, beside staying with the first.

    `saved` is what switching saves over the trace before its own cost.
    """

    switches: tuple[TraceSwitch, ...]
    saved: float

    @property
    def moved(self) -> float:
        return sum(switch.moved for switch in self.switches)

    @property
    def pays(self) -> bool:
        """Whether switching saves more operations than it takes."""
        return self.saved > self.moved


def switching(workload: Workload, found: Replanning, family: Family) -> BestPlanSwitches:
    """What the best plan of every interval costs in switches, and saves."""
    by = found.by
    saved = by.signed(found.stay.total) - by.signed(found.oracle.total)
    return BestPlanSwitches(switches(workload, found.trace, found.oracle, family), saved)


def is_counted_in_operations(found: Replanning) -> bool:
    """Whether what is saved and what a switch costs are in one unit."""
    return found.by.name == WORK.name


def switches(
    workload: Workload, trace: RateTrace, policy: ReplanningPolicy, family: Family
) -> tuple[TraceSwitch, ...]:
    """Every change of plans under a policy, at the rates that hold from then on."""
    found = []
    for place, (before, after) in enumerate(pairwise(policy.plans), 1):
        if before != after:
            space = family.space(trace.at(place, workload))
            held, wanted = (_state(space, label) for label in (before, after))
            moved = sum(max(0.0, count - held.get(name, 0.0)) for name, count in wanted.items())
            found.append(TraceSwitch(trace.times[place], before, after, moved))
    return tuple(found)


def _state(space: PlanSpace, label: str) -> State:
    """How many tuples operators hold, by what they do, whatever feeds them."""
    (plan,) = space.plans([label])
    costs = space.estimate(plan).costs
    found: State = {}
    for operator in plan.operators():
        own = (operator.kind, *operator.params)
        found[own] = found.get(own, 0.0) + costs[operator.id].state_tuples
    return found


def path_of(trace: RateTrace, streams: Sequence[str]) -> tuple[tuple[float, ...], ...]:
    """The rates of these streams, interval by interval."""
    columns = [trace.streams.index(stream) for stream in streams]
    return tuple(tuple(rates[column] for column in columns) for rates in trace.rates)


def narrowed(trace: RateTrace, streams: Sequence[str]) -> RateTrace:
    """The trace of these streams alone: others keep the workload's rates."""
    return RateTrace(tuple(streams), trace.times, path_of(trace, streams), trace.end)
