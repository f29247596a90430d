"""Re-planning under changing rates: when the best plan changes, and what staying costs.

Golab and Özsu (2003, Section 5.4) order the join anew whenever rates have changed beyond a
threshold. Every interval of a trace is priced in steady state: what windows hold follows a change
of rates only after the length of a window. Each switch of plans costs what the family says.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import inf

from planner.errors import PlanError, within
from planner.families.protocol import Family, PlanSpace
from planner.plan.cost import UnitCosts
from planner.plan.objective import Objective
from planner.whatif.rates import RateTrace
from planner.whatif.switching import TraceSwitch, is_counted_in_operations, switch_at
from planner.workload.validation import not_negative
from planner.workload.workload import Workload

THRESHOLDS = (0.0, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 4.0, 9.0, 19.0)
MOST_THRESHOLD = 1e6
MOST_SECONDS = 120.0
# Up to so many plans all are priced for the best single one: five streams on one attribute.
MOST_COMPARED = 240
# A threshold costs as little as re-planning always where it costs no more than this.
NEAR = 1.01
# With next to nothing for 0 tuples per second, plans that cost nothing differ by less than this.
_DIGITS_OF_QUIET = 6
# The last bits of a sum must not change a plan.
_NOISE = 1e-9


@dataclass(frozen=True, slots=True)
class ReplanningPolicy:
    """Which plan runs in each interval, its cost per second there, and the cost of the trace.

    `planned_at` are the times at which plans were looked for again, after the first time. What
    the `switches` take is not in `total`: it may be in another unit.
    """

    plans: tuple[str, ...]
    costs: tuple[float, ...]
    total: float
    planned_at: tuple[float, ...]
    switches: tuple[TraceSwitch, ...]

    @property
    def changed_at(self) -> tuple[float, ...]:
        return tuple(switch.at for switch in self.switches)

    @property
    def switching(self) -> float:
        """The operations that all switches take."""
        return sum(switch.operations for switch in self.switches)


@dataclass(frozen=True, slots=True)
class Replanning:
    """A trace under four policies, and under the rule with other thresholds.

    `oracle` runs the best plan of every interval, `stay` the first one for ever, `rule` re-plans
    beyond the threshold, and `hindsight` is the best single plan of the `compared` ones; it is
    `exact` where those are all there are. `settled` says of each interval whether it is as long as
    every window. `advised` is the threshold with the fewest re-plannings that costs about as
    little as any.
    """

    trace: RateTrace
    by: Objective
    threshold: float
    stay: ReplanningPolicy
    rule: ReplanningPolicy
    oracle: ReplanningPolicy
    hindsight: ReplanningPolicy
    compared: int
    exact: bool
    settled: tuple[bool, ...]
    sweep: tuple[tuple[float, ReplanningPolicy], ...]
    advised: float

    @property
    def saved(self) -> float:
        """What always running the best plan saves against staying with the first one, before what
        the switches take."""
        return self.by.signed(self.stay.total) - self.by.signed(self.oracle.total)

    @property
    def pays(self) -> bool | None:
        """Whether always switching saves more than the switches take; None where these are in
        another unit."""
        if not self.oracle.switching:
            return self.saved > 0
        return self.saved > self.oracle.switching if is_counted_in_operations(self.by) else None

    def under(self, threshold: float) -> Replanning:
        """The same with another threshold of the sweep."""
        return replace(self, threshold=threshold, rule=dict(self.sweep)[threshold])


def replan(
    workload: Workload,
    trace: RateTrace,
    family: Family,
    threshold: float = 0.2,
    by: str | None = None,
    units: UnitCosts | None = None,
) -> Replanning:
    """Follow the trace under each policy. A threshold of 0.5 is a rate 1.5x up or down.

    `by` names the objective that plans are ranked by; `units` turn work into seconds.
    """
    not_negative(threshold, "--threshold", most=MOST_THRESHOLD)
    kept = trace.of(workload)
    prices = _Prices(workload, kept, family, by, units)
    oracle = prices.followed(0.0)
    levels = sorted({*THRESHOLDS, threshold})
    sweep = tuple((level, prices.followed(level)) for level in levels)
    return Replanning(
        trace=kept,
        by=prices.by,
        threshold=threshold,
        stay=prices.single(oracle.plans[0]),
        rule=dict(sweep)[threshold],
        oracle=oracle,
        hindsight=prices.best_single(),
        compared=len(prices.labels),
        exact=prices.has_all,
        settled=prices.settled,
        sweep=sweep,
        advised=_advised(sweep, prices.by),
    )


def _advised(sweep: Sequence[tuple[float, ReplanningPolicy]], by: Objective) -> float:
    def whole(policy: ReplanningPolicy) -> float:
        return policy.total + (policy.switching if is_counted_in_operations(by) else 0.0)

    best = by.top((whole(policy) for _, policy in sweep), float)
    near = [(t, policy) for t, policy in sweep if by.within(whole(policy), best, NEAR)]
    return min(near, key=lambda at: (len(at[1].planned_at), by.signed(whole(at[1])), -at[0]))[0]


def _is_beyond(now: float, planned: float, threshold: float) -> bool:
    """Whether a rate is more than so much above or below the one that was planned with."""
    low, high = sorted((now, planned))
    return (high / low if low else inf if high else 1.0) > 1 + threshold


class _Prices:
    """What the plans that matter cost in each interval of a trace."""

    def __init__(
        self,
        workload: Workload,
        trace: RateTrace,
        family: Family,
        by: str | None,
        units: UnitCosts | None,
    ) -> None:
        self._trace = trace
        deadline = time.monotonic() + MOST_SECONDS
        # Rates that come back are priced once.
        cells = {rates: place for place, rates in reversed(list(enumerate(trace.rates)))}
        self._spaces: dict[tuple[float, ...], PlanSpace] = {}
        self._switches: dict[tuple[tuple[float, ...], str, str], TraceSwitch] = {}
        at = self._spaces
        self._best: dict[tuple[float, ...], str] = {}
        for rates, place in cells.items():
            _check(deadline)
            with within(f"the trace, row {place + 1}", ": "):
                space = family.space(trace.at(place, workload), units)
            self._best[rates] = space.best(space.objective(by)).label
            at[rates] = space
        first = at[trace.rates[0]]
        self.by = first.objective(by)
        few = first.rank(self.by, top=1)
        self.has_all = few.considered <= MOST_COMPARED and not few.truncated
        listed = first.rank(self.by, top=None).candidates if self.has_all else ()
        labels = (*(candidate.label for candidate in listed), *self._best.values())
        self.labels = tuple(dict.fromkeys(filter(self.by.eligible, labels)))
        self._costs: dict[tuple[float, ...], dict[str, float]] = {}
        for rates, space in at.items():
            _check(deadline)
            costs = dict(zip(self.labels, space.scores(self.labels, self.by), strict=True))
            if not all(rates):
                # Many plans cost nothing then: the one that is best at other times is the best.
                costs = {label: round(cost, _DIGITS_OF_QUIET) for label, cost in costs.items()}
                self._best[rates] = self.by.top(self.labels, costs.__getitem__)
            self._costs[rates] = costs
        windows = {rates: space.workload.longest_window for rates, space in at.items()}
        lasting = zip(trace.seconds, trace.rates, strict=True)
        self.settled = tuple(seconds >= windows[rates] for seconds, rates in lasting)

    def followed(self, threshold: float) -> ReplanningPolicy:
        """Re-plan whenever a rate is beyond the threshold; a plan stays where none is better."""
        current, planned, plans, planned_at = "", None, [], []
        for begin, rates in zip(self._trace.times, self._trace.rates, strict=True):
            if planned is None or self._has_changed(rates, planned, threshold):
                if planned is not None:
                    planned_at.append(begin)
                planned, costs, best = rates, self._costs[rates], self._best[rates]
                if not current or not self.by.within(costs[current], costs[best], 1 + _NOISE):
                    current = best
            plans.append(current)
        return self._policy(plans, planned_at)

    def single(self, label: str) -> ReplanningPolicy:
        """One plan for the whole trace."""
        return self._policy([label] * len(self._trace.times), [])

    def best_single(self) -> ReplanningPolicy:
        """The plan that is best over the whole trace, of those that were priced."""
        policies = map(self.single, self.labels)
        return min(policies, key=lambda p: (self.by.signed(p.total), p.plans[0]))

    @staticmethod
    def _has_changed(now: Sequence[float], planned: Sequence[float], threshold: float) -> bool:
        pairs = zip(now, planned, strict=True)
        return any(_is_beyond(rate, before, threshold) for rate, before in pairs)

    def _policy(self, plans: Sequence[str], planned_at: Sequence[float]) -> ReplanningPolicy:
        trace = self._trace
        costs = [self._costs[r][plan] for r, plan in zip(trace.rates, plans, strict=True)]
        spent = (cost * seconds for cost, seconds in zip(costs, trace.seconds, strict=True))
        switches = tuple(self._switched(plans))
        return ReplanningPolicy(tuple(plans), tuple(costs), sum(spent), tuple(planned_at), switches)

    def _switched(self, plans: Sequence[str]) -> Iterator[TraceSwitch]:
        """Every change of plans, at the rates that hold from then on."""
        trace = self._trace
        for place, (before, after) in enumerate(pairwise(plans), 1):
            if before != after:
                key = trace.rates[place], before, after
                if key not in self._switches:
                    self._switches[key] = switch_at(0.0, self._spaces[key[0]], before, after)
                yield replace(self._switches[key], at=trace.times[place])


def _check(deadline: float) -> None:
    if time.monotonic() > deadline:
        raise PlanError(
            f"took over {MOST_SECONDS:g} s; take fewer intervals or streams", "the trace"
        )


def bands(trace: RateTrace, policy: ReplanningPolicy) -> Iterator[tuple[str, float, float]]:
    """The policy as plans and when each begins and ends."""
    begins = [trace.times[0], *policy.changed_at]
    running = dict(zip(trace.times, policy.plans, strict=True))
    for begin, end in pairwise([*begins, trace.end]):
        yield running[begin], begin, end
