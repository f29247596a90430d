"""Simulated shedding: the worked example, and what holds for every policy."""

from __future__ import annotations

from planner.families.load_shedding.labels import EXACT, MOST_RESULTS, OPTIMUM
from planner.families.load_shedding.simulation.settings import Settings
from planner.families.load_shedding.simulation.simulate import simulate
from tests.planner.stars import worked_example


def test_the_worked_example() -> None:
    star, tables = worked_example()
    exact = simulate(star, tables, EXACT, Settings())
    assert (exact.results, exact.importance) == (15, 43_000_000)
    best = simulate(star, tables, OPTIMUM, Settings())
    assert (best.results, best.importance) == (11, 38_000_000)
    assert simulate(star, tables, MOST_RESULTS, Settings()).results == 12
