"""What micro-batches say of the streams, and the rates that follow from the latest ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from planner.whatif.rates import QUIET_RATE
from planner.workload.streams import Stream
from planner.workload.workload import Workload

# Two counts are taken for counts of one rate up to so many standard deviations.
_DEVIATIONS = 3.0
# A rate has changed where the count is further from what was expected: a run decides often.
_SURELY = 4.0


@dataclass(frozen=True, slots=True)
class Observed:
    """How many tuples of each stream came from one time to another, in microseconds of the run."""

    begin: int
    until: int
    arrivals: Mapping[str, int]

    @property
    def seconds(self) -> float:
        return (self.until - self.begin) / 1e6


def recent_rates(
    seen: Sequence[Observed], before: Mapping[str, float], horizon: float
) -> dict[str, float]:
    """The rate of each stream over the latest batches: as many as seem to be of one rate.

    They go back as far as the horizon, in seconds, but not beyond a batch with clearly another
    rate: chance is averaged out, and a change is seen at once. A rate that may be what it was
    `before` stays that: chance alone must not look like a change.

    >>> past = [Observed(0, 10**6, {"A": 900}), Observed(10**6, 2 * 10**6, {"A": 110})]
    >>> past += [Observed(2 * 10**6, 3 * 10**6, {"A": 90})]
    >>> recent_rates(past, {"A": 900.0}, 60), recent_rates(past, {"A": 105.0}, 60)
    ({'A': 100.0}, {'A': 105.0})
    """
    return {stream: _rate(seen, stream, rate, horizon) for stream, rate in before.items()}


def _rate(seen: Sequence[Observed], stream: str, before: float, horizon: float) -> float:
    count, seconds = 0, 0.0
    for batch in reversed(seen):
        if batch.seconds <= 0:
            continue
        own = batch.arrivals.get(stream, 0)
        if seconds and (seconds >= horizon or _differ(count, seconds, own, batch.seconds)):
            break
        count, seconds = count + own, seconds + batch.seconds
    expected = before * seconds
    if (count - expected) ** 2 <= _SURELY**2 * expected:
        return before
    return count / seconds


def _differ(count: int, seconds: float, other: int, lasted: float) -> bool:
    """Whether two counts of Poisson arrivals can hardly be of one rate."""
    variance = (count + other) / (seconds + lasted) * (1 / seconds + 1 / lasted)
    return (count / seconds - other / lasted) ** 2 > _DEVIATIONS**2 * variance


def believed(workload: Workload, rates: Mapping[str, float]) -> Workload:
    """The workload with these rates in place of those that it declares, and for ever."""
    streams = (_with_rate(s, rates[s.name]) if s.name in rates else s for s in workload.streams)
    return replace(workload, streams=tuple(streams))


def _with_rate(stream: Stream, rate: float) -> Stream:
    arrivals = replace(stream.arrivals, shape=None)
    return replace(stream, rate=max(rate, QUIET_RATE), arrivals=arrivals)
