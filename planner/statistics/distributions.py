"""How the values of a column are spread, declared or counted, and what share of pairs compare.

One computation serves both: a declared distribution and the counted values of a file have the same
shape, so a derived selectivity and a measured one can only differ by their input.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from planner.files.text_codes import ranked_texts
from planner.files.tuple_table import ColumnData
from planner.joins.keys import mass
from planner.solving import where_lost
from planner.workload.query import Column, Comparison, Filter
from planner.workload.streams import Attribute, Constant

# Conditions on the values of one column.
Conditions = Sequence[Filter]

# Values of a column of which only the type is known.
PLAIN_DISTINCT = 100


@dataclass(frozen=True, slots=True)
class Distribution:
    """Sorted distinct values and how often each occurs; below 1 in sum where some are missing."""

    values: NDArray[np.generic]
    shares: NDArray[np.float64]

    @property
    def is_text(self) -> bool:
        return self.values.dtype == object


def declared_distribution(attribute: Attribute) -> Distribution:
    """The values that are generated for this attribute: rank 1 is the most frequent under Zipf."""
    distinct = attribute.distinct or PLAIN_DISTINCT
    shares = np.arange(1, distinct + 1, dtype=np.float64) ** -attribute.zipf
    shares *= (1 - attribute.missing) / shares.sum()
    if attribute.values:
        values = np.array(attribute.values, dtype=object if attribute.type == "string" else None)
    elif attribute.type == "string":
        values = np.array([f"v{rank}" for rank in range(1, distinct + 1)], dtype=object)
    else:
        return Distribution(np.arange(1, distinct + 1), shares)
    order = np.argsort(values)
    return Distribution(values[order], shares[order])


def counted_distribution(column: ColumnData) -> Distribution:
    """The values that stand in a file; a missing one belongs to no value."""
    rows = len(column.values)
    present = column.values if column.valid is None else column.values[column.valid]
    if present.dtype == object:
        codes, texts = ranked_texts(present)
        values, counts = np.array(texts, object), np.bincount(codes, minlength=len(texts))
    else:
        values, counts = np.unique(present, return_counts=True)
    return Distribution(values, counts / max(rows, 1))


def share_of_pairs(
    left: Distribution, comparison: Comparison, right: Distribution, offset: float = 0.0
) -> float:
    """The share of pairs with `left comparison right + offset`, each side drawn by itself."""
    if left.is_text != right.is_text:
        # Text and numbers are never equal, and neither is the smaller.
        return float(left.shares.sum() * right.shares.sum()) if comparison == "<>" else 0.0
    if not len(left.values) or not len(right.values):
        return 0.0
    shifted = right.values + offset if offset else right.values  # type: ignore[operator]
    below = np.concatenate(([0.0], np.cumsum(left.shares)))
    less = below[np.searchsorted(left.values, shifted, side="left")]
    at_most = below[np.searchsorted(left.values, shifted, side="right")]
    everything = below[-1]
    by_comparison = {
        "=": at_most - less,
        "<>": everything - (at_most - less),
        "<": less,
        "<=": at_most,
        ">": everything - at_most,
        ">=": everything - less,
    }
    return float(np.clip(right.shares @ by_comparison[comparison], 0.0, 1.0))


def share_of_values(values: Distribution, condition: Filter) -> float:
    """The share of values that satisfy the condition."""
    shares = (_share(values, condition.comparison, constant) for constant in condition.constants)
    return min(1.0, sum(shares))


def _share(values: Distribution, comparison: Comparison, constant: Constant) -> float:
    kind = object if isinstance(constant, str) else None
    if isinstance(constant, int) and not -(2**63) <= constant < 2**63:
        # Beyond all numbers of a column, whatever its last digits.
        constant = float(constant)
    return share_of_pairs(
        values, comparison, Distribution(np.array([constant], dtype=kind), np.ones(1))
    )


def restricted(values: Distribution, conditions: Conditions) -> Distribution:
    """What is left where every condition holds; shares add up to what they did.

    All stays where nothing would be left.
    """
    passes = satisfying(values, conditions)
    left, whole = float(values.shares[passes].sum()), float(values.shares.sum())
    if not left:
        return values
    return Distribution(values.values[passes], values.shares[passes] * (whole / left))


def share_of_all(values: Distribution, conditions: Conditions) -> float:
    """The share of values that satisfy every condition."""
    return float(np.clip(values.shares[satisfying(values, conditions)].sum(), 0.0, 1.0))


def satisfying(values: Distribution, conditions: Conditions) -> NDArray[np.bool_]:
    """Which of the values satisfy every condition."""
    passes = np.ones(len(values.values), dtype=np.bool_)
    for condition in conditions:
        if condition.is_text != values.is_text:
            passes &= condition.comparison == "<>"
        else:
            passes &= condition.holds(values.values).astype(np.bool_)
    return passes


# Values that meet less than this times as often as if they were uniform count as uniform.
LEAST_SKEW = 1.1
MOST_EXPONENT = 8.0


class CountedValues(NamedTuple):
    """The values of a column as counted, and how many rows it has."""

    values: Distribution
    rows: int


def fitted_exponents(columns: Mapping[Column, CountedValues | None]) -> dict[Column, float]:
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
    exponent = where_lost(
        lambda z: meet - equal_share(distinct, z, distinct, z), 0.0, MOST_EXPONENT
    )
    return round(exponent, 3)


def equal_share(distinct: int, exponent: float, other: int, other_exponent: float) -> float:
    """The share of equal pairs where the values of both sides have the same ranks."""
    both = mass((1, min(distinct, other), exponent + other_exponent))
    return both / (mass((1, distinct, exponent)) * mass((1, other, other_exponent)))
