"""64-bit whole numbers are compared exactly, or not at all."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.errors import PlanError, RunError
from planner.files.tuple_table import ColumnData
from planner.workload.query import COMPARE, COMPARISONS, Column, Comparison, Predicate
from runtime.data.scales import Scales

LEFT, RIGHT, APART = Column("A", "x"), Column("B", "y"), Column("A", "z")
LEAST, MOST = -(2**63), 2**63 - 1
# Near the ends, near what doubles hold, and near nothing.
EDGES = [LEAST, -(2**60), -(2**53), -1, 0, 2**51, 2**53, 2**60, MOST]
numbers = st.one_of(
    st.builds(
        lambda edge, more: min(MOST, max(LEAST, edge + more)),
        st.sampled_from(EDGES),
        st.integers(-3, 3),
    ),
    st.integers(LEAST, MOST),
)


def column(values: Sequence[int | float]) -> ColumnData:
    return ColumnData(np.array(values, np.int64 if isinstance(values[0], int) else np.float64))


@given(
    st.lists(numbers, min_size=1, max_size=6),
    st.lists(numbers, min_size=1, max_size=6),
    st.sampled_from(COMPARISONS),
    st.sampled_from([0, 1, -2, 0.5, 3.75, 2**40]),
)
def test_every_pair_compares_as_in_python(
    left: list[int], right: list[int], comparison: Comparison, offset: float
) -> None:
    data = {LEFT: column(left), RIGHT: column(right)}
    found = Scales.of(data, [Predicate(LEFT, comparison, RIGHT, offset)], "Q")
    written = found.values(data)
    compare = COMPARE[comparison]
    for mine, a in zip(written[LEFT], left, strict=True):
        for theirs, b in zip(written[RIGHT], right, strict=True):
            # Whole numbers are compared without a rounding: quarters are made whole.
            assert compare(mine, theirs + offset) == compare(4 * a, 4 * b + round(4 * offset))


@given(
    st.lists(numbers, min_size=1, max_size=6),
    st.one_of(numbers, st.integers(-(2**64), 2**64), st.floats(-1e19, 1e19)),
    st.sampled_from(COMPARISONS),
)
def test_every_constant_compares_as_in_python(
    values: list[int], constant: float, comparison: Comparison
) -> None:
    data = {LEFT: column(values)}
    scales = Scales.of(data, [], "Q")
    compare, written = COMPARE[comparison], scales.values(data)[LEFT]
    right = scales.constant(LEFT, constant)
    assert [compare(x, right) for x in written] == [compare(x, constant) for x in values]


def test_columns_that_are_never_compared_need_not_fit_together() -> None:
    """A fraction, and numbers that are far apart, beside a comparison of large ones."""
    large = 2**60
    data = {
        LEFT: column([large, large + 1]),
        RIGHT: column([large, large + 2]),
        APART: column([1.5, -0.25]),
    }
    values = Scales.of(data, [Predicate(LEFT, ">", RIGHT)], "Q").values(data)
    assert values[LEFT].tolist() == [0, 1]
    assert values[RIGHT].tolist() == [0, 2]
    assert values[APART].tolist() == [1.5, -0.25]


def test_a_fraction_is_not_compared_with_numbers_that_are_too_large_for_it() -> None:
    data = {LEFT: column([2**53 + 1]), RIGHT: column([0.5])}
    with pytest.raises(PlanError, match=r"A.x holds 9007199254740993.*fractions of B.y.*make B.y"):
        Scales.of(data, [Predicate(LEFT, "<", RIGHT)], "Q")
    held = {LEFT: column([2**53]), RIGHT: column([0.5])}
    assert Scales.of(held, [Predicate(LEFT, "<", RIGHT)], "Q").scales[LEFT].is_plain


def test_missing_values_are_compared_with_nothing() -> None:
    data = {LEFT: ColumnData(np.array([0, MOST, 2**60]), np.array([False, True, True]))}
    values = Scales.of(data, [], "Q").values(data)[LEFT]
    assert np.isnan(values[0])
    assert values[2] < values[1]


def test_an_offset_that_no_double_can_bridge_is_refused() -> None:
    data = {LEFT: column([LEAST, 0]), RIGHT: column([MOST])}
    with pytest.raises(RunError, match="make the offset or the numbers smaller"):
        Scales.of(data, [Predicate(LEFT, "<", RIGHT, 2.0**52)], "Q")
