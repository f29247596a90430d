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
    seen: Sequence[Observed], before: Mapping[str, float], horizon: float
) -> dict[str, float]:
    """The rate of each stream over the latest batches: as many as seem to be of one rate.

    They go back as far as the horizon, in seconds, but not beyond a batch with clearly another
    rate: chance is averaged out, and a change is seen at once. A rate that may be what it was
    `before` stays that: chance alone must not look like a change, nor must tuples that come
    together. Where nothing arrived, one tuple might have: a rate of 0 is not known of any stream.

    >>> past = [Observed(0, 10**6, {"A": 900}), Observed(10**6, 2 * 10**6, {"A": 110})]
    >>> past += [Observed(2 * 10**6, 3 * 10**6, {"A": 90})]
    >>> recent_rates(past, {"A": 900.0}, 60), recent_rates(past, {"A": 105.0}, 60)
    ({'A': 100.0}, {'A': 105.0})
    """
    return {stream: _rate(seen, stream, rate, horizon) for stream, rate in before.items()}


def _rate(seen: Sequence[Observed], stream: str, before: float, horizon: float) -> float:
    count, seconds, spread = 0, 0.0, 1.0
    for batch in reversed(seen):
        if batch.seconds <= 0:
            continue
        own = batch.arrivals.get(stream, 0)
        # The variance of a count of bursts, whose sizes are geometric, over that of single tuples.
        wider = 2 * max(1.0, batch.bursts.get(stream, 1.0)) - 1
        if seconds:
            differ = _differ(count, seconds, own, batch.seconds, max(spread, wider))
            if seconds >= horizon or differ:
                break
        count, seconds, spread = count + own, seconds + batch.seconds, max(spread, wider)
    expected = before * seconds
    if (count - expected) ** 2 <= _SURELY**2 * expected * spread:
        return before
    return max(1, count) / seconds


def _differ(count: int, seconds: float, other: int, lasted: float, spread: float) -> bool:
    """Whether two counts can hardly be of one rate, given how much they vary by chance."""
    variance = spread * (count + other) / (seconds + lasted) * (1 / seconds + 1 / lasted)
    return (count / seconds - other / lasted) ** 2 > _DEVIATIONS**2 * variance


def believed(workload: Workload, rates: Mapping[str, float]) -> Workload:
    """The workload with these rates in place of those that it declares, and for ever."""
    streams = (_with_rate(s, rates[s.name]) if s.name in rates else s for s in workload.streams)
    return replace(workload, streams=tuple(streams))


def _with_rate(stream: Stream, rate: float) -> Stream:
    arrivals = replace(stream.arrivals, shape=None)
    return replace(stream, rate=max(rate, QUIET_RATE), arrivals=arrivals)
