"""How keys meet: shares of equal values, and the part of a hashed window that a probe examines.

Values have ranks 1..v (filters may leave a part of them), rank k with a share proportional to
k^-zipf (0: uniform). A product of such shares has the same form, so every size has a closed form:
no array of values is made for it.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from planner.joins.arrays import Floats
from planner.workload.execution import Buckets

# From here on the sum is an integral with its first corrections, exact to a double's last digits.
_SUMMED = 1_000

# First and last rank, and the exponent.
Spread = tuple[int, int, float]


def mass(spread: Spread) -> float:
    """The sum of k^-exponent over these ranks; 0 where there are none.

    >>> mass((3, 7, 0.0)), mass((2, 1, 1.0))
    (5.0, 0.0)
    """
    first, last, exponent = spread
    if last < first:
        return 0.0
    below = harmonic(first - 1, exponent) if first > 1 else 0.0
    return harmonic(last, exponent) - below


@lru_cache(maxsize=4096)
def harmonic(count: int, exponent: float) -> float:
    """The sum of k^-exponent for k in 1..count.

    >>> harmonic(7, 0.0), harmonic(2, 1.0)
    (7.0, 1.5)
    """
    if exponent == 0:
        return float(count)
    first = min(count, _SUMMED)
    total = float((np.arange(1, first + 1, dtype=np.float64) ** -exponent).sum())
    if count == first:
        return total
    a, b = float(first), float(count)
    if exponent == 1:
        integral = math.log(b / a)
    else:
        integral = (b ** (1 - exponent) - a ** (1 - exponent)) / (1 - exponent)
    ends = (b**-exponent - a**-exponent) / 2
    slopes = exponent * (a ** (-exponent - 1) - b ** (-exponent - 1)) / 12
    return float(total + integral + ends + slopes)


def bucket_fraction(least: int, distinct: int, buckets: int) -> float:
    """The exact expected part of a window in the bucket `key mod buckets`, keys over 1..least.

    It is 1/buckets where that divides both counts, and 1/max(least, distinct) for many buckets.

    >>> bucket_fraction(10, 20, 5), bucket_fraction(3, 8, 1000)
    (0.2, 0.125)
    """
    # Of 1..v, the first `rest` buckets hold one value more than `whole`, in both counts alike.
    whole_keys, rest_keys = divmod(least, buckets)
    whole, rest = divmod(distinct, buckets)
    pairs = buckets * whole_keys * whole + whole_keys * rest + whole * rest_keys
    return (pairs + min(rest_keys, rest)) / (least * distinct)


def skewed_bucket_fraction(keys: Spread, values: Spread, buckets: int) -> float:
    """The same for any spread of keys and values."""
    if keys[0] == values[0] == 1 and not keys[2] and not values[2]:
        return bucket_fraction(keys[1], values[1], buckets)
    if not mass(keys):
        return 0.0
    if buckets >= max(keys[1], values[1]):
        both = (max(keys[0], values[0]), min(keys[1], values[1]), keys[2] + values[2])
        return mass(both) / (mass(keys) * mass(values))
    return float(in_buckets(keys, buckets) @ in_buckets(values, buckets))


def looked_up(keys: Spread, values: Spread, buckets: Buckets, declared: float | None) -> float:
    """The part of a hashed window that keys find in their bucket; per value it may be declared.

    >>> looked_up((1, 10, 0.0), (1, 20, 0.0), 5, 0.1)
    0.2
    >>> looked_up((1, 10, 0.0), (1, 20, 0.0), "per-value", None)
    0.05
    """
    if buckets != "per-value":
        return skewed_bucket_fraction(keys, values, buckets)
    if declared is not None:
        return declared
    return skewed_bucket_fraction(keys, values, max(keys[1], values[1]))


@lru_cache(maxsize=64)
def in_buckets(spread: Spread, buckets: int) -> Floats:
    """The share of the tuples in each bucket `value mod buckets`."""
    first, last, exponent = spread
    ranks = np.arange(first, last + 1)
    shares = np.bincount(ranks % buckets, ranks.astype(np.float64) ** -exponent, buckets)
    return np.asarray(shares / shares.sum())


def values_present(spread: Spread, tuples: float) -> float:
    """How many of the values a window of so many tuples is expected to hold.

    >>> round(values_present((1, 10, 0.0), 1e6)), values_present((4, 4, 0.0), 5)
    (10, 1.0)
    """
    first, last, exponent = spread
    count = last - first + 1
    if count == 1:
        return 1.0
    if not exponent:
        return float(count * -np.expm1(tuples * np.log1p(-1 / count)))
    shares = np.arange(first, last + 1, dtype=np.float64) ** -exponent / mass(spread)
    return float((1 - (1 - shares) ** tuples).sum())
