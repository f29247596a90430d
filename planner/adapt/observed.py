"""What a run has seen from one decision to the next, and the workload that follows from it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from planner.statistics.observed import ValueStatistics
from planner.whatif.rates import QUIET_RATE
from planner.workload.streams import Stream
from planner.workload.workload import Workload

# Two counts are taken for counts of one rate up to so many standard deviations.
_DEVIATIONS = 3.0
# A rate has changed where the count is further from what was expected: a run decides often.
_SURELY = 4.0


@dataclass(frozen=True, slots=True)
class Observed:
    """How many tuples of each stream came from one time to another, in microseconds of the run,
    and how many came together on the mean; and what was found of their values, over a longer time
    where they have not changed since."""

    begin: int
    until: int
    arrivals: Mapping[str, int]
    bursts: Mapping[str, float] = field(default_factory=dict)
    values: ValueStatistics = field(default_factory=ValueStatistics)

    @property
    def seconds(self) -> float:
        return (self.until - self.begin) / 1e6


def recent_rates(
    seen: Sequence[Observed],
    before: Mapping[str, float],
    horizon: float,
    bursts: Mapping[str, float] | None = None,
) -> dict[str, float]:
    """The rate of each stream over the latest batches: as many as seem to be of one rate.

    They go back as far as the horizon, in seconds, but not beyond a batch with clearly another
    rate: chance is averaged out, and a change is seen at once. A rate that may be what it was
    `before` stays that: chance alone must not look like a change. Where nothing arrived, one tuple
    might have: a rate of 0 is not known of any stream.

    Of a stream that is declared to come in `bursts` of a mean size, bursts are counted: sizes that
    vary without bound say nothing of the rate.

    >>> past = [Observed(0, 10**6, {"A": 900}), Observed(10**6, 2 * 10**6, {"A": 110})]
    >>> past += [Observed(2 * 10**6, 3 * 10**6, {"A": 90})]
    >>> recent_rates(past, {"A": 900.0}, 60), recent_rates(past, {"A": 105.0}, 60)
    ({'A': 100.0}, {'A': 105.0})
    """
    sizes = bursts or {}
    return {
        stream: _rate(_counts(seen, stream, horizon, stream in sizes), rate, horizon, size)
        for stream, rate in before.items()
        for size in [sizes.get(stream, 1.0)]
    }


@dataclass(frozen=True, slots=True)
class _Count:
    """What came in so many seconds, and how much more than of single tuples its variance is."""

    count: float
    seconds: float
    spread: float


def _counts(seen: Sequence[Observed], stream: str, horizon: float, in_bursts: bool) -> list[_Count]:
    """The tuples of each batch, or its bursts, the latest first."""
    found: list[_Count] = []
    reached = 0.0
    for batch in reversed(seen):
        if batch.seconds <= 0:
            continue
        if reached >= horizon:
            break
        reached += batch.seconds
        count, size = batch.arrivals.get(stream, 0), max(1.0, batch.bursts.get(stream, 1.0))
        # Of tuples that come together though it is not declared: bursts of geometric sizes.
        spread = 1.0 if in_bursts else 2 * size - 1
        found.append(_Count(count / size if in_bursts else count, batch.seconds, spread))
    # A batch without a burst does not say that there are none.
    widest = max((one.spread for one in found), default=1.0)
    return [replace(one, spread=widest) for one in found]


def _rate(counts: Sequence[_Count], before: float, horizon: float, size: float) -> float:
    """The rate of tuples that come in bursts of this size."""
    count, seconds, spread = 0.0, 0.0, 1.0
    for own in counts:
        if seconds and (seconds >= horizon or _differ(count, seconds, own)):
            break
        count, seconds, spread = count + own.count, seconds + own.seconds, own.spread
    expected = before * seconds / size
    if (count - expected) ** 2 <= _SURELY**2 * expected * spread:
        return before
    return max(1.0, count) * size / seconds


def _differ(count: float, seconds: float, other: _Count) -> bool:
    """Whether two counts can hardly be of one rate, given how much they vary by chance."""
    rate = (count + other.count) / (seconds + other.seconds)
    variance = other.spread * rate * (1 / seconds + 1 / other.seconds)
    return (count / seconds - other.count / other.seconds) ** 2 > _DEVIATIONS**2 * variance


def believed(workload: Workload, rates: Mapping[str, float]) -> Workload:
    """The workload with these rates in place of those that it declares, and for ever."""
    streams = (_with_rate(s, rates[s.name]) if s.name in rates else s for s in workload.streams)
    return replace(workload, streams=tuple(streams))


def _with_rate(stream: Stream, rate: float) -> Stream:
    arrivals = replace(stream.arrivals, shape=None)
    return replace(stream, rate=max(rate, QUIET_RATE), arrivals=arrivals)
