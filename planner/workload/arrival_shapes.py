"""How a stream's rate changes over time: daily, in bursts, drifting, swapped, or as in a trace.

A shape is relative: it says how many times its declared rate a stream has at a time. Where it comes
again and again (daily, repeated bursts, a trace) the declared rate is the mean.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from planner.errors import PlanError
from planner.workload.validation import MAX_RATE, MAX_SECONDS, exact, name_of, not_negative, number

MOST_STEPS = 1_000
# The highest and the lowest rate of a day are so many steps apart, and a drift has as many.
_STEPS = 24
_MOST_FACTOR = 1e4


@dataclass(frozen=True, slots=True)
class Profile:
    """Factors of the rate: number i from `edges[i]` to the next edge, in seconds from 0.

    Behind the last edge it begins again if it `repeats`, else the last factor stays.
    """

    edges: tuple[float, ...]
    factors: tuple[float, ...]
    repeats: bool

    def passed(self, seconds: float) -> float:
        """How long a stream of the declared rate takes for what arrives in so many seconds."""
        edges, passed = np.array(self.edges), self._passed
        rounds, rest = divmod(seconds, edges[-1]) if self.repeats else (0.0, seconds)
        beyond = max(0.0, rest - edges[-1]) * self.factors[-1]
        return float(rounds * passed[-1] + np.interp(rest, edges, passed) + beyond)

    def times(self, steady: NDArray[np.float64]) -> NDArray[np.float64]:
        """When tuples arrive that would arrive at these times at the declared rate; if ever."""
        edges, factors, passed = np.array(self.edges), np.array(self.factors), self._passed
        rounds = np.floor(steady / passed[-1]) if self.repeats else np.zeros(len(steady))
        rest = steady - rounds * passed[-1]
        step = np.minimum(np.searchsorted(passed, rest, side="right") - 1, len(factors) - 1)
        # Where nothing arrives no time passes: only the last step can be one without a rate.
        ever = factors[step] > 0
        within = (rest - passed[step]) / np.where(ever, factors[step], 1.0)
        return np.where(ever, rounds * edges[-1] + edges[step] + within, np.inf)

    @property
    def _passed(self) -> NDArray[np.float64]:
        steps = np.diff(self.edges) * np.array(self.factors)
        return np.concatenate(([0.0], np.cumsum(steps)))

    def at(self, seconds: float) -> float:
        """The factor at a time."""
        rest = seconds % self.edges[-1] if self.repeats else seconds
        place = int(np.searchsorted(self.edges, rest, side="right")) - 1
        return self.factors[min(place, len(self.factors) - 1)]


@dataclass(frozen=True, slots=True)
class Daily:
    """The rate swings around its mean once in a `period`: `swing` times up and down, on a
    logarithmic scale. `phase` is the share of a period by which it comes later."""

    period: float = 86_400.0
    swing: float = 5.0
    phase: float = 0.0
    kind: str = field(default="daily", init=False)

    def __post_init__(self) -> None:
        number(self.period, "arrivals.daily.period", most=MAX_SECONDS)
        number(self.swing, "arrivals.daily.swing", above=1, most=100)
        if not 0 <= self.phase < 1:
            raise PlanError(
                f"must be from 0 to below 1, got {exact(self.phase)}: it is a share of the period",
                "arrivals.daily.phase",
            )

    def profile(self, _rate: float, _rate_of: Callable[[str], float]) -> Profile:
        steps = 2 * _STEPS
        shares = ((step + 0.5) / steps - self.phase for step in range(steps))
        swings = [self.swing ** math.sin(2 * math.pi * share) for share in shares]
        mean = sum(swings) / steps
        edges = tuple(self.period * step / steps for step in range(steps + 1))
        return Profile(edges, tuple(swing / mean for swing in swings), repeats=True)


@dataclass(frozen=True, slots=True)
class Burst:
    """`factor` times the rate from `at` on, for `lasts` seconds; again `every` so many seconds.

    The declared rate is the mean of what repeats, and the rate outside of a burst that comes once.
    """

    at: float
    lasts: float
    factor: float = 10.0
    every: float | None = None
    kind: str = field(default="burst", init=False)

    def __post_init__(self) -> None:
        not_negative(self.at, "arrivals.burst.at", most=MAX_SECONDS)
        number(self.lasts, "arrivals.burst.lasts", most=MAX_SECONDS)
        number(self.factor, "arrivals.burst.factor", most=_MOST_FACTOR)
        if self.every is not None:
            number(self.every, "arrivals.burst.every", most=MAX_SECONDS)
            if self.every < self.at + self.lasts:
                raise PlanError(
                    f"must be at least {exact(self.at + self.lasts)}, when a burst has ended, "
                    f"got {exact(self.every)}",
                    "arrivals.burst.every",
                )

    def profile(self, _rate: float, _rate_of: Callable[[str], float]) -> Profile:
        end = self.at + self.lasts
        steps = [(self.at, 1.0), (end, self.factor)]
        if self.every is None:
            return _steps([*steps, (end + 1, 1.0)], repeats=False)
        mean = 1 + (self.factor - 1) * self.lasts / self.every
        steps.append((self.every, 1.0))
        return _steps([(until, factor / mean) for until, factor in steps], repeats=True)


@dataclass(frozen=True, slots=True)
class Drift:
    """From `at` on the rate changes evenly, for `over` seconds, until it is `to` tuples/s."""

    to: float
    over: float
    at: float = 0.0
    kind: str = field(default="drift", init=False)

    def __post_init__(self) -> None:
        not_negative(self.to, "arrivals.drift.to", most=MAX_RATE)
        number(self.over, "arrivals.drift.over", most=MAX_SECONDS)
        not_negative(self.at, "arrivals.drift.at", most=MAX_SECONDS)

    def profile(self, rate: float, _rate_of: Callable[[str], float]) -> Profile:
        last = self.to / rate
        steps = [(self.at, 1.0)]
        for step in range(_STEPS):
            factor = 1 + (last - 1) * (step + 0.5) / _STEPS
            steps.append((self.at + self.over * (step + 1) / _STEPS, factor))
        return _steps([*steps, (self.at + self.over + 1, last)], repeats=False)


@dataclass(frozen=True, slots=True)
class Swap:
    """The stream has its own rate and that of another stream in turn, for `every` seconds each."""

    other: str
    every: float
    kind: str = field(default="swap", init=False)

    def __post_init__(self) -> None:
        name_of(self.other, "arrivals.swap.with")
        number(self.every, "arrivals.swap.every", most=MAX_SECONDS)

    def profile(self, rate: float, rate_of: Callable[[str], float]) -> Profile:
        other = rate_of(self.other) / rate
        return _steps([(self.every, 1.0), (2 * self.every, other)], repeats=True)


@dataclass(frozen=True, slots=True)
class ArrivalTrace:
    """Rates from each of `times` to the next, and from the last until `end`; then from the start.

    Where a stream declares its rate, they are scaled to have it as their mean.
    """

    times: tuple[float, ...]
    rates: tuple[float, ...]
    end: float
    kind: str = field(default="trace", init=False)

    def __post_init__(self) -> None:
        if not self.times or len(self.times) != len(self.rates):
            raise PlanError("must have as many rates as times, and at least one", "arrivals.trace")
        if len(self.times) > MOST_STEPS:
            raise PlanError(
                f"has {len(self.times):,} rates; at most {MOST_STEPS:,}", "arrivals.trace"
            )
        for rate in self.rates:
            not_negative(rate, "arrivals.trace.rates", most=MAX_RATE)
        for before, after in pairwise((*self.times, self.end)):
            if not math.isfinite(after) or after <= before:
                raise PlanError(
                    f"must rise: {exact(after)} comes after {exact(before)}", "arrivals.trace.times"
                )
        if not self.mean:
            raise PlanError("says that nothing arrives", "arrivals.trace.rates")

    @property
    def mean(self) -> float:
        """The mean rate, in tuples per second."""
        spans = (after - before for before, after in pairwise((*self.times, self.end)))
        arrived = sum(r * s for r, s in zip(self.rates, spans, strict=True))
        return arrived / (self.end - self.times[0])

    def profile(self, _rate: float, _rate_of: Callable[[str], float]) -> Profile:
        edges = tuple(time - self.times[0] for time in (*self.times, self.end))
        return Profile(edges, tuple(rate / self.mean for rate in self.rates), repeats=True)


Shape = Daily | Burst | Drift | Swap | ArrivalTrace


def _steps(steps: list[tuple[float, float]], repeats: bool) -> Profile:
    """From when each factor ends; those of no length are left out."""
    edges, factors = [0.0], []
    for until, factor in steps:
        if until > edges[-1]:
            edges.append(until)
            factors.append(factor)
    return Profile(tuple(edges), tuple(factors), repeats)
