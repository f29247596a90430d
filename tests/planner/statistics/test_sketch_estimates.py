"""Estimates from sketches: near to what the tuples are, and within their intervals."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.statistics.sketch_estimates import (
    KeyCounts,
    compared_pairs,
    different,
    distinct_of,
    equal_pairs,
    share_passed,
    shown,
    statistics_of,
)
from planner.workload.query import Comparison
from runtime.engines.kernels.sketches import COUNTERS, NOTHING, add_to_sketch
from runtime.engines.watching.sketch_plan import SketchedColumn, SketchPlan
from runtime.engines.watching.sketched import Sketch


def _counts(keys: np.ndarray, exact: bool) -> KeyCounts:
    """What a sketch says of the keys of one stream."""
    codes = COUNTERS if exact else COUNTERS + 1
    column = SketchedColumn(0, 0, codes, 0, "S", "k")
    made, count = Sketch.empty(SketchPlan(["S"], [column])), len(keys)
    add_to_sketch(
        np.zeros(count, np.int16), np.arange(count), keys.astype(np.int32).reshape(-1, 1),
        np.zeros((1, 2), np.int64), np.array([-1 if exact else 0]), np.zeros(1, np.uint64),
        made.arrived, made.taken, made.times, made.values, made.counters,
    )  # fmt: skip
    assert made.arrived[0] == count
    if exact:
        return KeyCounts.exact_of(made.counters[0])
    return KeyCounts.hashed(made.counters[0], made.values[0], NOTHING)


def _zipf(distinct: int, exponent: float, tuples: int, seed: int) -> np.ndarray:
    weights = np.arange(1, distinct + 1, dtype=np.float64) ** -exponent
    random = np.random.default_rng(seed)
    return random.choice(distinct, tuples, p=weights / weights.sum())


@pytest.mark.parametrize("values", [1, 30, 700, 5_000, 300_000])
def test_different_values_are_counted_within_a_tenth(values: int) -> None:
    counts = _counts(np.arange(values), exact=False)
    found, deviation = counts.seen
    assert found == pytest.approx(values, rel=0.1)
    assert abs(found - values) <= max(1.0, 3 * deviation)


def test_no_value_at_all() -> None:
    assert different(np.full(8, NOTHING, np.int32), NOTHING) == (0.0, 0.0)
    assert statistics_of(_counts(np.zeros(1), exact=True)) is None


@settings(max_examples=25, deadline=None)
@given(
    st.integers(2, 3_000), st.sampled_from([0.0, 0.6, 1.0]), st.integers(2_000, 20_000),
    st.integers(0, 1000),
)  # fmt: skip
def test_keys_are_as_they_were_drawn(
    distinct: int, exponent: float, tuples: int, seed: int
) -> None:
    keys = _zipf(distinct, exponent, tuples, seed)
    found = statistics_of(_counts(keys, exact=distinct <= COUNTERS))
    assert found is not None
    # Intervals are for 95 in 100: half as wide again hardly ever fails.
    meets, truth = found.meets, float((np.bincount(keys) / tuples) @ (np.bincount(keys) / tuples))
    assert meets.value == pytest.approx(truth, rel=0.35, abs=2e-3)
    assert found.zipf.low - 0.15 <= exponent <= (found.zipf.high or 9) + 0.15
    assert found.distinct.low * 0.7 <= distinct <= (found.distinct.high or np.inf) * 1.4


def test_a_sample_shows_fewer_values_than_there_are() -> None:
    assert shown(500, 500, 0.0) == pytest.approx(316.06, abs=0.01)
    assert distinct_of(316.06, 500, 0.0) == pytest.approx(500, rel=1e-3)
    assert distinct_of(shown(800, 2_000, 1.0), 2_000, 1.0) == pytest.approx(800, rel=0.02)
    # Where no value came twice, there may be any number of them.
    found = statistics_of(_counts(np.arange(300), exact=True))
    assert found is not None
    assert found.distinct.high is None


@given(st.integers(2, 10**8), st.floats(0, 1))
def test_so_many_values_show_as_many_as_were_seen(tuples: int, share: float) -> None:
    seen = max(1.0, min(share * tuples, tuples - 1))
    distinct = distinct_of(seen, tuples, 0.0)
    assert 1 <= distinct <= max(1e9, seen)
    if distinct < 1e9:
        assert shown(distinct, tuples, 0.0) == pytest.approx(seen, rel=1e-6)


@pytest.mark.parametrize("distinct", [40, 20_000])
def test_equal_pairs_of_two_streams(distinct: int) -> None:
    exact = distinct <= COUNTERS
    left, right = (_counts(_zipf(distinct, 0.0, 20_000, seed), exact) for seed in (1, 2))
    found = equal_pairs(left, right)
    assert found is not None
    assert found.holds(1 / distinct)
    assert not found.holds(10 / distinct)
    assert equal_pairs(left, _counts(np.zeros(0), exact)) is None


def test_shares_of_filters_are_between_zero_and_one() -> None:
    none, half = share_passed(0, 10), share_passed(500, 1_000)
    assert (none.value, none.low) == (0.0, 0.0)
    assert none.holds(0.2)
    assert half.holds(0.5)
    assert not half.holds(0.6)


@pytest.mark.parametrize("offset", [0.0, 2.0])
@pytest.mark.parametrize(
    ("comparison", "holds"),
    [("<", np.less), ("<=", np.less_equal), (">", np.greater), (">=", np.greater_equal),
     ("=", np.equal), ("<>", np.not_equal)],
)  # fmt: skip
def test_compared_pairs_are_those_of_the_samples(
    comparison: Comparison, holds: np.ufunc, offset: float
) -> None:
    random = np.random.default_rng(4)
    left, right = random.integers(0, 12, 300) * 1.0, random.integers(0, 7, 200) * 1.0
    found = compared_pairs(left, comparison, right, offset)
    assert found is not None
    assert found.value == pytest.approx(holds(left[:, None], right + offset).mean())
    assert found.low < found.value < (found.high or 0)
    # A missing value satisfies nothing.
    half = compared_pairs(np.append(left, [np.nan] * 300), comparison, right, offset)
    assert half is not None
    assert half.value == pytest.approx(found.value / 2)
    assert compared_pairs(left, comparison, right[:0], offset) is None


def test_keys_that_are_not_watched_are_passed_over() -> None:
    plan = SketchPlan(["S"], [])
    made = Sketch.empty(plan)
    # As plain Python, which does not read beyond an array.
    add_to_sketch.py_func(
        np.zeros(3, np.int16), np.arange(3), np.zeros((3, 2), np.int32),
        plan.column_of(), plan.row_of(), plan.kernel_masks(),
        made.arrived, made.taken, made.times, made.values, made.counters,
    )  # fmt: skip
    assert (made.arrived[0], made.taken[0]) == (3, 3)
