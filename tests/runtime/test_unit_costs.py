"""Unit costs are found again from runs that were made with them."""

from __future__ import annotations

import random

import pytest

from planner.cost import Cost
from runtime.unit_costs import Observation, fitted_units


def _observed(noise: float, expire: float = 2e-8, count: int = 30) -> list[Observation]:
    chance = random.Random(7)
    found = []
    for _ in range(count):
        work = Cost(*(chance.uniform(1e3, 1e6) for _ in range(4)))
        seconds = (
            1e-9 * work.comparisons
            + 1e-6 * work.inserts
            + expire * work.expirations
            + 1e-8 * work.group_updates
        )
        found.append(Observation(work, seconds * (1 + chance.uniform(-noise, noise))))
    return found


def test_exact_runs_give_the_units_they_were_made_with() -> None:
    fit = fitted_units(_observed(0.0), "test")
    assert fit.units.compare["default"] == pytest.approx(1e-9)
    assert fit.units.insert == pytest.approx(1e-6)
    assert fit.units.expire == pytest.approx(2e-8)
    assert fit.units.group_update == pytest.approx(1e-8)
    assert fit.worst_error == pytest.approx(1.0)
    assert max(fit.spread.values()) < 1e-12


def test_noise_is_told_and_no_unit_is_negative() -> None:
    fit = fitted_units(_observed(0.1, expire=0.0), "test")
    assert fit.units.insert == pytest.approx(1e-6, rel=0.1)
    assert fit.units.expire >= 0
    assert fit.spread["inserts"] > 0
    assert 1.0 < fit.median_error <= fit.worst_error < 1.3
