"""What a run has seen of its tuples, micro-batch by micro-batch: each statistic with its interval.

Planning reads declared statistics; these are measured while the run goes on, and never exact: a
batch is a sample of its streams, and sketches forget.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

# An interval holds the true value in 95 of 100 batches, if counts are about normal.
SPREAD = 1.96
# What is found by halving is exact to so many digits.
_ROUNDING = 1e-6


@dataclass(frozen=True, slots=True)
class Likely:
    """A statistic as seen, and between what it is likely to be; `high` None: nothing is known."""

    value: float
    low: float
    high: float | None

    @classmethod
    def around(cls, value: float, deviation: float, least: float = 0.0) -> Likely:
        """With its standard deviation; it is not below `least`."""
        reach = SPREAD * deviation
        return cls(value, max(least, value - reach), value + reach)

    def widened(self, deviations: float) -> Likely:
        """With an interval of so many standard deviations to each side."""
        more = deviations / SPREAD
        high = None if self.high is None else self.value + more * (self.high - self.value)
        return Likely(self.value, max(0.0, self.value - more * (self.value - self.low)), high)

    def holds(self, assumed: float) -> bool:
        """Whether this may be the true value."""
        slack = _ROUNDING * abs(assumed)
        return self.low - slack <= assumed and (self.high is None or assumed - slack <= self.high)


@dataclass(frozen=True, slots=True)
class KeyStatistics:
    """Of an attribute that is joined: how many different values it has, and how skewed they are.

    `meets` is the share of pairs of its tuples with the same value; the exponent follows from it.
    """

    distinct: Likely
    zipf: Likely
    meets: Likely


@dataclass(frozen=True, slots=True)
class StreamStatistics:
    """Of a stream: what arrived, per second, and how many tuples arrive at one time."""

    tuples: int
    rate: Likely
    burst: Likely
    keys: Mapping[str, KeyStatistics] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ValueStatistics:
    """Of the values of tuples: keys by stream and attribute, and by condition, with the names of
    streams, the shares of pairs that satisfy it, and of tuples that pass a filter."""

    keys: Mapping[str, Mapping[str, KeyStatistics]] = field(default_factory=dict)
    pairs: Mapping[str, Likely] = field(default_factory=dict)
    filters: Mapping[str, Likely] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class BatchStatistics:
    """Of a micro-batch, over stream time from `begin` to `end`, in seconds since the run began.

    Rates and bursts are those of the batch. Keys, the shares of pairs that satisfy a condition
    (`A.k = B.k`, by streams) and of tuples that pass a filter are of it and of those before it, as
    far back as the longest window, or until enough tuples have come.
    """

    batch: int
    begin: float
    end: float
    streams: Mapping[str, StreamStatistics]
    pairs: Mapping[str, Likely] = field(default_factory=dict)
    filters: Mapping[str, Likely] = field(default_factory=dict)


def pair_name(left: tuple[str, str], right: tuple[str, str]) -> str:
    """Two attributes of streams that are compared, the same whichever comes first."""
    one, other = sorted((left, right))
    return f"{one[0]}.{one[1]} = {other[0]}.{other[1]}"
