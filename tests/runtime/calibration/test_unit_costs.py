"""Unit costs are found again from runs that were made with them."""

from __future__ import annotations

import random

import pytest

from planner.joins.probes import ACCESSES
from planner.plan.cost import Cost, Units
from planner.seconds.kernel_work import Work
from runtime.calibration.fitting import Observation, amounts_of, fitted, quantities

MADE_WITH = {
    "insert": 1e-7,
    "expire": 2e-8,
    "tuple held, per batch": 5e-8,
    "look-up, nested probe": 3e-8,
    "look-up, hash probe": 4e-8,
    "comparison, nested probe": 1e-10,
    "comparison, hash probe": 1e-9,
    "result": 3e-9,
    "row kept": 2e-8,
}


def _work(chance: random.Random) -> tuple[Work, ...]:
    def some(most: float) -> float:
        return chance.choice((0.0, 1.0, 1.0)) * chance.uniform(most / 1e3, most)

    return (
        Work("multiway insert", Cost(inserts=some(1e6))),
        Work("multiway expire", Cost(expirations=some(1e6))),
        Work("multiway probe scan", Cost(comparisons=some(1e9), rows_out=1.0), some(1e6)),
        Work("multiway probe hash", Cost(comparisons=some(1e8)), some(1e6)),
        Work("multiway output", Cost(rows_out=some(1e7))),
        Work("multiway keep rows", Cost(rows_out=some(1e6))),
        Work("multiway batch", Cost(rows_out=1.0), some(1e6)),
    )


def _observed(noise: float, count: int = 80) -> list[Observation]:
    chance = random.Random(7)
    found = []
    for _ in range(count):
        work = _work(chance)
        amounts = zip(MADE_WITH.values(), amounts_of("multiway", work), strict=True)
        seconds = sum(unit * amount for unit, amount in amounts)
        found.append(Observation(work, seconds * (1 + chance.uniform(-noise, noise))))
    return found


def test_exact_runs_give_the_units_they_were_made_with() -> None:
    assert list(quantities()["multiway"]) == list(MADE_WITH)
    fit = fitted("multiway", _observed(0.0))
    for name, seconds in MADE_WITH.items():
        assert fit.figures[name].value == pytest.approx(seconds, rel=0.03), name
    assert fit.kinds["multiway probe scan"] == Units(
        compare=fit.figures["comparison, nested probe"].value,
        given=fit.figures["look-up, nested probe"].value,
    )
    assert fit.fit.worst < 1.05


def test_noise_is_told_and_no_unit_is_negative() -> None:
    fit = fitted("multiway", _observed(0.1))
    assert fit.figures["insert"].value == pytest.approx(1e-7, rel=0.15)
    assert all(figure.value >= 0 for figure in fit.figures.values())
    assert fit.figures["insert"].spread > 0
    assert 1.0 < fit.fit.median <= fit.fit.held_out
    assert fit.fit.median <= fit.fit.worst < 1.4


def test_what_no_run_does_has_no_figure() -> None:
    runs = [
        Observation((Work("multiway insert", Cost(inserts=1e6 * n)),), 0.1 * n) for n in (1, 2, 3)
    ]
    fit = fitted("multiway", runs)
    assert list(fit.figures) == ["insert"]
    assert fit.figures["insert"].value == pytest.approx(1e-7, rel=0.01)


def test_probes_are_told_apart_by_the_accesses_that_plans_have() -> None:
    kinds = {kind for own in quantities().values() for terms in own.values() for kind, _ in terms}
    assert {kind for kind in kinds if kind.startswith("probe ")} == {f"probe {a}" for a in ACCESSES}
