"""Diagrams of simulated plans: some cells are simulated, and surfaces are fitted to them."""

from __future__ import annotations

from itertools import count, product

import numpy as np
import pytest

from planner.families import registry
from planner.report.diagram_report import diagram_summary
from planner.whatif.axes import parse_axis
from planner.whatif.cells import Cells
from planner.whatif.diagrams.plan_diagrams import plan_diagram
from planner.whatif.diagrams.response_surface import surfaces
from planner.whatif.diagrams.simulated_plans import from_simulations, spread_places
from planner.whatif.sweeps import checked
from planner.workload.workload import Workload
from tests.planner.schedules import scheduled
from tests.planner.stars import star_workload

AXES = (tuple(np.geomspace(1, 50, 40)), tuple(np.linspace(0.2, 0.9, 30)))
PLACES = list(spread_places((40, 30)))[:49]


def _cells(workload: Workload, family: str, *texts: str) -> Cells:
    axes = checked(workload, [parse_axis(text) for text in texts])
    return Cells(workload, axes, registry.family(family), None, 10_000)


def _true() -> np.ndarray:
    """Two smooth figures that cross, by cell."""
    rate, load = (np.array(axis) for axis in AXES)
    one = rate[:, None] ** 0.7 / (1 - load)
    return np.stack([one, 3.0 * rate[:, None] ** 0.2 / (1 - load)], axis=-1).reshape(-1, 2)


def test_smooth_figures_are_known_from_some_cells() -> None:
    true = _true()
    known = true.reshape(40, 30, 2)[tuple(zip(*PLACES, strict=True))]
    found = surfaces(AXES, PLACES, known)
    assert np.exp(found.values) == pytest.approx(true, rel=5e-3)


def test_chance_is_evened_out_and_what_is_left_of_it_is_known() -> None:
    """Errors that two figures share do not blur which is smaller."""
    true, rng = _true(), np.random.default_rng(3)
    shared, own = rng.normal(0, 0.3, (len(PLACES), 1)), rng.normal(0, 0.05, (len(PLACES), 2))
    known = true.reshape(40, 30, 2)[tuple(zip(*PLACES, strict=True))] * np.exp(shared + own)
    found = surfaces(AXES, PLACES, known)
    ratio = found.values[:, 0] - found.values[:, 1]
    off = ratio - np.log(true[:, 0] / true[:, 1])
    variance = found.spread[0, 0] + found.spread[1, 1] - 2 * found.spread[0, 1]
    assert variance**0.5 == pytest.approx(0.05 * 2**0.5, rel=0.3)
    assert np.abs(off).max() < 0.07
    # Most errors are within two of the standard errors that are stated.
    assert (np.abs(off) < 2 * np.sqrt(variance * found.weight)).mean() > 0.8


def test_schedules_that_are_named_are_those_of_long_simulations() -> None:
    workload = scheduled((1, 5, 60), seed=3)
    texts = "execution.utilisation=0.3:0.9:30", "streams.A.rate=20:200:25:log"
    cells = _cells(workload, "shared_schedule", *texts)
    found = plan_diagram(cells, 60)
    assert found.method == "simulated in some cells"
    assert found.planned <= 81
    assert found.doubtful is not None
    exact = Cells(workload, cells.axes, cells.family, None)
    places = list(product(*(axis.values for axis in cells.axes)))
    for at in range(60, len(places), 230):
        named, policies = found.plans[found.winner[at]], ("LWO", "SWF", "MQT", "FAIR", "OUT")
        own, *scores = exact.scores(places[at], (named, *policies))
        assert own <= 1.06 * min(scores)
        assert found.score[at] == pytest.approx(own, rel=0.12)


def test_every_machine_simulates_the_same_cells(monkeypatch: pytest.MonkeyPatch) -> None:
    """A slow machine, or one that has planned some of the cells before, draws the same diagram."""
    workload = scheduled((1, 5, 60))
    texts = "execution.utilisation=0.3:0.9:20", "streams.A.rate=20:200:20:log"
    cells = _cells(workload, "shared_schedule", *texts)
    first = from_simulations(cells)
    ticks = count()
    monkeypatch.setattr("time.thread_time", lambda: float(next(ticks)))
    for known in (cells, _cells(workload, "shared_schedule", *texts)):
        again = from_simulations(known)
        assert first is not None
        assert again is not None
        assert again.planned == first.planned
        assert np.array_equal(again.score, first.score)


def test_near_full_load_a_diagram_says_how_far_figures_may_be_off() -> None:
    axes = "execution.utilisation=0.3:{}:20", "streams.A.rate=20:200:20:log"
    calm, loaded = (
        from_simulations(
            _cells(scheduled((1, 60)), "shared_schedule", axes[0].format(most), axes[1])
        )
        for most in (0.6, 0.98)
    )
    assert calm is not None
    assert loaded is not None
    assert calm.errors is not None
    assert loaded.errors is not None
    assert calm.errors[1] < 0.2 < loaded.errors[1]
    assert any("in the worst" in line for line in diagram_summary(loaded))


def test_larger_samples_are_of_fewer_cells() -> None:
    texts = "execution.utilisation=0.3:0.6:20", "streams.A.rate=20:200:20:log"
    few, many = (
        from_simulations(_cells(scheduled(windows), "shared_schedule", *texts))
        for windows in ((1, 60), tuple(range(1, 31)))
    )
    assert few is not None
    assert many is not None
    assert 9 <= many.planned < few.planned <= 81


def test_who_knows_the_future_wins_wherever_memory_is_short() -> None:
    """The most important results are those of the plan that maximises importance, in every cell:
    others come as close as chance, but are better in no sample."""
    cells = _cells(
        star_workload(lifetime=20, memory=6, churn=0.0, rows=120),
        "load_shedding",
        "execution.memory=4:24:11",
        "times.streams.*.rate=0.5:2:12:log",
    )
    found = from_simulations(cells)
    assert found is not None
    assert found.winners == ("OSSJ",)
    assert f"simulated in {found.planned} cells, fitted in all" in next(diagram_summary(found))
    assert np.all(found.margin >= 1)


def test_what_is_not_simulated_is_not_fitted() -> None:
    by_formulas = _cells(
        scheduled((1, 5)), "sliced_chain", "streams.A.rate=1:9:12", "streams.B.rate=1:9:12"
    )
    assert from_simulations(by_formulas) is None
