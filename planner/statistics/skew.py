"""How unevenly the values of joined columns occur: the Zipf exponents that fit their data."""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import combinations
from typing import NamedTuple

from planner.joins.keys import mass
from planner.statistics.distributions import Distribution, share_of_pairs
from planner.workload.query import Column

# Values that meet less than this times as often as if they were uniform count as uniform.
LEAST_SKEW = 1.1
MOST_EXPONENT = 8.0
_HALVINGS = 40


class Counted(NamedTuple):
    """The values of a column as counted, and how many rows it has."""

    values: Distribution
    rows: int


def fitted_exponents(columns: Mapping[Column, Counted | None]) -> dict[Column, float]:
    """The exponents of the columns of one class of equal attributes, where they are skewed.

    The model takes the values of all of them to have the same ranks. So they must come nearer to
    the equal pairs that are counted than uniform values do; else there are none.
    """
    known = {column: counted for column, counted in columns.items() if counted is not None}
    fitted = {column: zipf_exponent(*counted) for column, counted in known.items()}
    by_rank = uniform = 0.0
    for left, right in combinations(known, 2):
        one, other = known[left].values, known[right].values
        met = share_of_pairs(one, "=", other)
        if not met:
            continue
        counts, present = (
            (len(one.values), len(other.values)),
            one.shares.sum() * other.shares.sum(),
        )
        expected = equal_share(counts[0], fitted[left], counts[1], fitted[right])
        by_rank += abs(math.log(present * expected / met))
        uniform += abs(math.log(present / max(counts) / met))
    if by_rank >= uniform:
        return {}
    return {column: exponent for column, exponent in fitted.items() if exponent}


def zipf_exponent(values: Distribution, rows: int) -> float:
    """The exponent under which two tuples have the same value as often as in the data.

    0 where values are about uniform: pairs of one tuple with itself are left out, so that few rows
    do not look skewed.
    """
    counts = values.shares * rows
    distinct, count = len(counts), float(counts.sum())
    if distinct < 2 or count < 2:
        return 0.0
    meet = float((counts * (counts - 1)).sum()) / (count * (count - 1))
    if meet * distinct < LEAST_SKEW:
        return 0.0
    low, high = 0.0, MOST_EXPONENT
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if equal_share(distinct, middle, distinct, middle) < meet:
            low = middle
        else:
            high = middle
    return round((low + high) / 2, 3)


def equal_share(distinct: int, exponent: float, other: int, other_exponent: float) -> float:
    """The share of equal pairs where the values of both sides have the same ranks."""
    both = mass((1, min(distinct, other), exponent + other_exponent))
    return both / (mass((1, distinct, exponent)) * mass((1, other, other_exponent)))
