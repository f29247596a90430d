"""What follows from sketches of tuples: how many values there are, how skewed, how often equal.

Every estimate comes with its standard deviation or its interval, of the sample and of the sketch.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from planner.joins.keys import harmonic
from planner.solving import where_lost
from planner.statistics.distributions import LEAST_SKEW, MOST_EXPONENT, equal_share
from planner.statistics.observed import SPREAD, KeyStatistics, Likely
from planner.workload.query import Comparison

Counts = NDArray[np.int32]
Values = NDArray[np.float64]
# A hundredth of what is surely known.
_NEAR = 1e-5
# More different values than this are not looked for: it is more than a workload can declare.
_MOST_VALUES = 1e9
_MOST_LOAD = 2e9
# Newton's last step, relative to what is solved for: twice as many digits are right after it.
_NEAR_LOAD = 1e-7


def different(minima: Counts, nothing: int) -> tuple[float, float]:
    """How many different values reached the registers, and the standard deviation of that.

    While some registers are empty, how many are says it best (linear counting). Later the mean of
    their minima does: with t values for each register, as shares of all hashes, (1 - e^-t) / t.
    """
    registers = len(minima)
    empty = int(np.count_nonzero(minima == nothing))
    if empty == registers:
        return 0.0, 0.0
    if empty > registers * math.exp(-3):
        load = math.log(registers / empty)
        spread = math.sqrt(registers * max(0.0, math.exp(load) - load - 1))
        return registers * load, spread
    load = _load_of(float(minima.mean()) / nothing)
    return registers * load, load * math.sqrt(registers)


def _load_of(share: float) -> float:
    """The x with (1 - e^-x) / x = share, between 0 and 1: by Newton's steps from above.

    It is the mean of the least of x random shares, and of n tuples the share that shows a new one
    of n / x values.
    """
    share = max(share, 1 / _MOST_LOAD)
    lost, least = 1 - share, _MOST_LOAD
    # 1 - e^-x is at most x, 1, and x - x^2/2 + x^3/6: so x is at most this.
    load = 1.5 * (1 - math.sqrt(1 - 8 / 3 * lost)) if lost < 1 / 3 else 1 / share
    while load < least * (1 - _NEAR_LOAD):
        least = load
        load -= (math.expm1(-load) + share * load) / (share - math.exp(-load))
    return load


@dataclass(frozen=True, eq=False)
class KeyCounts:
    """How often keys came: by key where `exact`, else by the hash of the key.

    `seen` is how many different ones there were, with its standard deviation.
    """

    counts: Counts
    exact: bool
    seen: tuple[float, float]

    @classmethod
    def exact_of(cls, counters: Counts) -> KeyCounts:
        """Of counters that each have a key."""
        return cls(counters, True, (float(np.count_nonzero(counters)), 0.0))

    @classmethod
    def hashed(cls, counters: Counts, minima: Counts, nothing: int) -> KeyCounts:
        """Of counters that keys share by their hash, and the least hashes of the keys."""
        return cls(counters, False, different(minima, nothing))

    @cached_property
    def tuples(self) -> int:
        return int(self.counts.sum())

    @cached_property
    def meets(self) -> tuple[float, float]:
        """The share of pairs of two tuples that have the same key, and its standard deviation."""
        tuples = float(self.tuples)
        if tuples < 2:
            return 0.0, 0.0
        squares = float((self.counts.astype(np.float64) ** 2).sum())
        width = len(self.counts)
        of_sketch = 0.0
        if not self.exact:
            # Keys that share a counter by chance look equal.
            squares = (width * squares - tuples**2) / (width - 1)
            of_sketch = math.sqrt(2 / width) * max(squares, tuples) / tuples**2
        share = min(1.0, max(0.0, (squares - tuples) / (tuples * (tuples - 1))))
        # The third moment of shares is at most the second to the power of 1.5.
        variance = 2 * share / tuples**2 + 4 * max(0.0, share**1.5 - share**2) / tuples
        return share, math.sqrt(variance + of_sketch**2)


def statistics_of(keys: KeyCounts) -> KeyStatistics | None:
    """The number of values and the exponent of Zipf's law that fit; None of too few tuples.

    The tuples are a sample: they show fewer values than there are, and rare ones least. So the
    number of values is the one of which so many tuples would show as many as were seen.
    """
    tuples, (seen, spread) = keys.tuples, keys.seen
    if tuples < 2:
        return None
    share, deviation = keys.meets
    meets = Likely.around(share, deviation)
    exponent = 0.0
    distinct = distinct_of(seen, tuples, 0.0)
    if share * distinct >= LEAST_SKEW and meets.low * distinct > 1:
        for _ in range(3):
            exponent = _exponent(share, distinct)
            distinct = distinct_of(seen, tuples, exponent)
    return KeyStatistics(
        _distinct_likely(keys, distinct, exponent, spread),
        Likely(
            exponent,
            _exponent(meets.low, distinct) if exponent else 0.0,
            _exponent(meets.high or share, distinct),
        ),
        meets,
    )


def _distinct_likely(keys: KeyCounts, distinct: float, exponent: float, spread: float) -> Likely:
    """How many values there may be: as many as would show about as many as were seen."""
    tuples, seen = keys.tuples, keys.seen[0]
    # Which values a sample misses is by chance: at most as for a throw of so many balls.
    missed = max(0.0, distinct - seen)
    reach = SPREAD * math.sqrt(spread**2 + min(missed, seen))
    low, high = max(1.0, seen - reach), seen + reach
    # An exact counter is wrong in neither direction once all values have come.
    return Likely(
        distinct,
        max(1.0, distinct_of(low, tuples, exponent)),
        None if high >= tuples else distinct_of(high, tuples, exponent),
    )


def distinct_of(seen: float, tuples: int, exponent: float) -> float:
    """How many values there are, if so many tuples show so many of them on the mean."""
    if seen >= tuples:
        return max(1.0, seen)
    most = _MOST_VALUES
    if shown(most, tuples, exponent) <= seen:
        return most
    if not exponent:
        return max(1.0, tuples / _load_of(seen / tuples))
    return math.exp(
        _solved(
            lambda log: math.log(shown(math.exp(log), tuples, exponent) / seen), 0.0, math.log(most)
        )
    )


def shown(distinct: float, tuples: int, exponent: float) -> float:
    """How many of so many values are among so many tuples on the mean."""
    if not exponent:
        return -distinct * math.expm1(-tuples / distinct)
    ranks, weights = _ranks(max(1, round(distinct)))
    shares = ranks**-exponent / harmonic(max(1, round(distinct)), exponent)
    return float(-(weights * np.expm1(-tuples * shares)).sum())


@lru_cache(maxsize=256)
def _ranks(distinct: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Ranks to stand for all of them, and for how many each: the first ones for themselves."""
    alone = min(distinct, 100)
    edges = np.unique(np.geomspace(alone + 1, distinct + 1, 200).round())
    ranks = np.concatenate((np.arange(1, alone + 1), np.sqrt(edges[:-1] * (edges[1:] - 1))))
    return ranks, np.concatenate((np.ones(alone), np.diff(edges)))


def _exponent(meets: float, distinct: float) -> float:
    """The exponent under which two tuples have the same of so many values this often."""
    values = max(1, round(min(distinct, _MOST_VALUES)))
    if meets * values <= 1:
        return 0.0
    # Its logarithm is nearly straight, so few steps are needed.
    return _solved(
        lambda z: math.log(equal_share(values, z, values, z) / meets), 0.0, MOST_EXPONENT
    )


def equal_pairs(left: KeyCounts, right: KeyCounts) -> Likely | None:
    """The share of pairs of a tuple of each whose keys are equal; None where there are no pairs.

    Both have counters for the same keys.
    """
    many, others = float(left.tuples), float(right.tuples)
    if not many or not others:
        return None
    one, other = left.counts.astype(np.float64), right.counts.astype(np.float64)
    equal, width = float(one @ other), len(one)
    of_sketch = 0.0
    if not left.exact:
        equal = (width * equal - many * others) / (width - 1)
        own = (left.meets[0] + 1 / many) * (right.meets[0] + 1 / others)
        of_sketch = math.sqrt(2 * own / width)
    share = min(1.0, max(0.0, equal / (many * others)))
    # One tuple more or less meets at most as many as the most frequent keys of the other side.
    of_left = max(0.0, share * math.sqrt(right.meets[0]) - share**2) / many
    of_right = max(0.0, share * math.sqrt(left.meets[0]) - share**2) / others
    # No equal pair at all says that the share is below that of three expected ones.
    chance = max(share, 1 / (many * others)) / (many * others)
    return Likely.around(share, math.sqrt(chance + of_left + of_right + of_sketch**2))


def compared_pairs(
    left: Values, comparison: Comparison, right: Values, offset: float
) -> Likely | None:
    """The share of pairs with `left comparison right + offset`, of samples of both; None of none.

    A missing value is NaN, and satisfies nothing.
    """
    many, others = len(left), len(right)
    if not many or not others:
        return None
    known = left[~np.isnan(left)]
    stored = np.sort(right[~np.isnan(right)] + offset)
    below = np.searchsorted(stored, known, "left")
    upto = np.searchsorted(stored, known, "right")
    met = {
        "<": len(stored) - upto,
        "<=": len(stored) - below,
        ">": below,
        ">=": upto,
        "=": upto - below,
        "<>": len(stored) - (upto - below),
    }[comparison]
    # Pairs share tuples: they say no more than so many pairs of their own would.
    pairs = many * others / (many + others)
    return share_passed(float(met.sum()) / (many * others) * pairs, pairs)


def share_passed(passed: float, of: float) -> Likely:
    """The share of tuples that passed, by Wilson's interval."""
    share, square = passed / of, SPREAD**2
    middle = (share + square / (2 * of)) / (1 + square / of)
    reach = SPREAD / (1 + square / of) * math.sqrt(share * (1 - share) / of + square / (4 * of**2))
    return Likely(share, max(0.0, middle - reach), min(1.0, middle + reach))


def _solved(rising: Callable[[float], float], low: float, high: float) -> float:
    """Where a rising function is 0, or the nearer end."""
    # Beyond 1, so that near 0 it is enough to be near.
    return where_lost(lambda beyond: -rising(beyond - 1), low + 1, high + 1, _NEAR) - 1
