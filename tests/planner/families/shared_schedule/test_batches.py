"""Batches that arrive at one time: the paper's equations, its two traces, and the best schedule."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.families.shared_schedule.delays.batches import SimultaneousBatch
from planner.families.shared_schedule.delays.sample import ArrivalSample
from planner.families.shared_schedule.delays.simulation import Served, simulated
from planner.families.shared_schedule.labels import LWO, MQT, SWF
from planner.families.shared_schedule.policies import Rule, Wanted, rule_of

# Figures 2(b) and 3(b): 50 tuples at one time, 100 tuples a second, a microsecond a pair.
FIGURES = SimultaneousBatch(50, (100, 6_000, 12_000, 30_000, 60_000), 1e-6)


def rule(
    policy: str, sizes: tuple[int, ...], queries: tuple[int, ...] = (), ties: str = "larger"
) -> Rule:
    queries = queries or (1,) * len(sizes)
    counted = tuple(map(Fraction, queries))
    wanted = Wanted(sizes, queries, counted, counted, (None,) * len(sizes), list)
    return rule_of(policy, (0, sizes[-1]) if policy == LWO else (0, *sizes), wanted, ties)


@st.composite
def batches(draw: st.DrawFn) -> tuple[SimultaneousBatch, tuple[int, ...]]:
    sizes = draw(st.lists(st.integers(1, 40), min_size=1, max_size=5, unique=True))
    queries = draw(st.lists(st.integers(1, 4), min_size=len(sizes), max_size=len(sizes)))
    return SimultaneousBatch(draw(st.integers(1, 8)), tuple(sorted(sizes))), tuple(queries)


@given(batches())
def test_equation_1_is_exact(given: tuple[SimultaneousBatch, tuple[int, ...]]) -> None:
    batch, _ = given
    results, _ = batch.under(rule(LWO, batch.sizes))
    assert results == pytest.approx(batch.largest_only)


@given(batches())
def test_equation_2_is_exact_for_completed_scans(
    given: tuple[SimultaneousBatch, tuple[int, ...]],
) -> None:
    batch, _ = given
    results, scans = batch.under(rule(SWF, batch.sizes))
    assert scans == pytest.approx(batch.smallest_first)
    assert (results <= scans + 1e-9).all(), "the first tuple's results need not wait for it"


@given(batches())
def test_alone_a_query_is_as_if_its_window_were_the_largest(
    given: tuple[SimultaneousBatch, tuple[int, ...]],
) -> None:
    batch, _ = given
    for place, size in enumerate(batch.sizes):
        alone = SimultaneousBatch(batch.count, (size,))
        assert batch.isolated[place] == pytest.approx(alone.largest_only[0])


def test_the_figures_of_the_paper() -> None:
    assert FIGURES.largest_only == pytest.approx([1.47005, 1.473, 1.476, 1.485, 1.5], rel=1e-3)
    assert FIGURES.isolated == pytest.approx([0.0025, 0.15, 0.3, 0.75, 1.5], rel=1e-3)
    assert FIGURES.smallest_first[[0, -1]] == pytest.approx([0.00255, 2.265], rel=1e-3)


@pytest.mark.parametrize("ties", ["larger", "smaller"])
@given(batches())
def test_no_schedule_completes_windows_sooner_than_mqt(
    ties: str, given: tuple[SimultaneousBatch, tuple[int, ...]]
) -> None:
    batch, queries = given
    _, scans = batch.under(rule(MQT, batch.sizes, queries, ties))
    assert scans @ queries == pytest.approx(batch.least_scan_delay(queries))


@given(batches())
def test_hardly_any_schedule_releases_results_sooner_than_mqt(
    given: tuple[SimultaneousBatch, tuple[int, ...]],
) -> None:
    batch, queries = given
    results, _ = batch.under(rule(MQT, batch.sizes, queries))
    least = batch.least_delay(queries)
    assert least * (1 - 1e-9) <= results @ queries <= 1.1 * least


def test_larger_batches_are_not_tried_in_every_order() -> None:
    with pytest.raises(ValueError, match="at most 8"):
        SimultaneousBatch(9, (2, 4)).least_delay((1, 1))


def trace(served: Served) -> list[tuple[int, int, float, float]]:
    """Partial scans as they follow each other: tuple, partial window, begin and end."""
    count, windows = served.begun.shape
    scans = [
        (k, p + 1, float(served.begun[k, p]), float(served.ended[k, p]))
        for k in range(count)
        for p in range(windows)
    ]
    return sorted(scans, key=lambda scan: scan[2])


def two_tuples(sizes: tuple[int, ...], second: float) -> ArrivalSample:
    """One at 0 and one a little later, both meeting a tuple per unit of the windows."""
    spent = np.array([(0.0, *sizes)] * 2)
    matches = np.diff(spent, axis=1).astype(np.int64)
    return ArrivalSample(np.array([0.0, second]), spent, matches, 0, 1.0)


def test_the_trace_of_figure_3() -> None:
    """a11 scans w1, b12 comes and scans w1, then both scan w2 - w1 in turn, then w3 - w2.

    a11  |-1-|   |-2-|   |-3-|
    b12      |-1-|   |-2-|   |-3-|
    """
    served = simulated(two_tuples((1, 2, 3), 0.5), (1, 2, 3), rule(SWF, (1, 2, 3)))
    assert [(k, p) for k, p, *_ in trace(served)] == [
        (0, 1), (1, 1), (0, 2), (1, 2), (0, 3), (1, 3),
    ]  # fmt: skip
    assert served.ended.ravel().tolist() == [1, 3, 5, 2, 4, 6]


def test_the_trace_of_figure_4() -> None:
    """a11 scans 2w and goes on to 3w, which serves more; b12 scans 3w; then both the rest.

    a11  |--1--|2|          |---3---|
    b12          |--1--|2|          |---3---|
    """
    served = simulated(two_tuples((2, 3, 6), 0.5), (2, 3, 6), rule(MQT, (2, 3, 6)))
    assert trace(served) == [
        (0, 1, 0, 2), (0, 2, 2, 3), (1, 1, 3, 5), (1, 2, 5, 6), (0, 3, 6, 9), (1, 3, 9, 12),
    ]  # fmt: skip
