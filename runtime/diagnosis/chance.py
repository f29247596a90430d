"""How far statistics of tuples usually are from what they are drawn by: what is chance.

Each function gives a standard deviation. A difference of some of them is chance; statistics are
many, so that a few are further off in every run than one alone would be.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

# A difference of more deviations than these is no chance.
DEVIATIONS = 4.0

Floats = NDArray[np.float64]


def is_chance(difference: float, deviation: float) -> bool:
    """Whether a difference of this size comes about by chance."""
    return abs(difference) <= DEVIATIONS * deviation


def of_share(share: float, count: float) -> float:
    """The deviation of the share of so many tuples that satisfy a condition."""
    return math.sqrt(share * (1 - share) / count) if count else math.inf


def of_pairs(share: float, left: float, right: float) -> float:
    """The deviation of the share of all pairs that satisfy a comparison, at most: both sides are
    compared with one place of a distribution each."""
    return math.hypot(of_share(share, left), of_share(share, right))


def of_equal_pairs(
    left: Floats, right: Floats, rows: tuple[float, float], assumed: float, met: float = 0.0
) -> float:
    """The deviation of the share of equal pairs, as a part of the share that is assumed.

    `left` and `right` are the shares of the same values on both sides, of so many rows; `met` pairs
    are looked at, else all. Uniform values vary only by which pairs happen to be equal; skewed ones
    also by how often each value comes.
    """
    if not assumed or not all(rows):
        return math.inf
    variance = 1 / max(assumed * (met or rows[0] * rows[1]), 1.0)
    if share := float(left @ right):
        variance += max(0.0, float(left @ right**2) / share**2 - 1) / rows[0]
        variance += max(0.0, float(right @ left**2) / share**2 - 1) / rows[1]
    return math.sqrt(variance)


def of_values_seen(shares: Floats, rows: float) -> tuple[float, float]:
    """How many values so many rows are expected to show, and the deviation of that number."""
    seen = -np.expm1(rows * np.log1p(-np.minimum(shares, 1 - 1e-12)))
    return float(seen.sum()), math.sqrt(float((seen * (1 - seen)).sum()))


def dispersion_deviation(intervals: int) -> float:
    """The deviation of the variance of counts over their mean, which is 1 at random; by half larger
    than it is, since variances are seldom small and sometimes very large."""
    return 1.5 * math.sqrt(2 / max(intervals - 1, 1))
