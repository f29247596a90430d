"""The overhead of slices is found again from runs that were made with it."""

from __future__ import annotations

import random

import pytest

from planner.seconds.calibration import CalibratedFigure
from runtime.calibration.fitting import ChainRun, c_sys_of, fitted_overhead


def _runs(noise: float, compare: float = 2e-9) -> list[ChainRun]:
    chance = random.Random(3)
    found = []
    for queries, own in (("few", 0.01), ("many", 0.08)):
        for slices in (1, 2, 4, 8, 16):
            comparisons, entering = 5e6 + 2e7 / slices, 1e5 * slices
            seconds = own + compare * (comparisons - 5e6) + 6e-8 * entering
            moved = seconds * (1 + chance.uniform(-noise, noise))
            found.append(ChainRun(queries, comparisons, entering, moved))
    return found


def test_exact_runs_give_the_overhead_they_were_made_with() -> None:
    found = fitted_overhead(_runs(0.0))
    assert found is not None
    assert found.c_sys == pytest.approx(30)
    assert found.compare == pytest.approx(2e-9)
    assert found.enter == pytest.approx(6e-8)
    assert found.spread < 1e-6
    assert found.worst_error == pytest.approx(1)


def test_noise_is_told() -> None:
    found = fitted_overhead(_runs(0.05))
    assert found is not None
    assert found.c_sys == pytest.approx(30, rel=0.3)
    assert 0 < found.spread < 15
    assert 1 < found.median_error <= found.worst_error < 1.2


def test_runs_that_do_not_tell_what_a_comparison_takes_give_nothing() -> None:
    assert fitted_overhead(_runs(0.0, compare=0.0)) is None


def test_where_chains_do_not_tell_it_the_kernels_figures_do() -> None:
    figures = {
        "insert": CalibratedFigure(3e-8, 3e-9),
        "comparison, nested probe": CalibratedFigure(1e-10, 0.0),
    }
    told = c_sys_of([], figures)
    assert told is not None
    assert (told.value, told.spread) == (pytest.approx(300), pytest.approx(30))
    assert c_sys_of([], {"insert": CalibratedFigure(3e-8, 0.0)}) is None
