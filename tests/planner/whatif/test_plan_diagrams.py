"""Plan diagrams: their regions are those of cells planned one by one; regret; fewer plans."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from planner.errors import PlanError
from planner.families import registry
from planner.families.registry import applicable
from planner.report.command import read_workload
from planner.whatif.axes import Axis, parse_axis
from planner.whatif.cells import Cells
from planner.whatif.diagrams import interpolated_prices, plan_diagrams, refined
from planner.whatif.diagrams.plan_diagram import PlanDiagram
from planner.whatif.diagrams.plan_diagrams import plan_diagram
from planner.whatif.diagrams.regret import reduced, regrets, safest
from planner.whatif.diagrams.smooth_grid import interpolated, interpolated_line
from planner.whatif.sweep_paths import path_in, paths
from planner.whatif.sweeps import checked
from planner.workload.workload import Workload
from tests.examples import examples
from tests.planner.schedules import scheduled
from tests.planner.stars import star_workload

SAMPLES = Path("sample_data")
# Of every family whose costs are formulas, and joins with kinks, general plans and hashed windows.
FORMULAS = (
    *("golab-table-6", "golab-table-7", "lazy-join", "network-links"),
    *("network-packets", "temperature-humidity", "shop-alerts"),
)


def _sample(name: str) -> Workload:
    return read_workload(str(SAMPLES / f"{name}.yaml"), None)


def _cells(name: str, *axes: Axis) -> Cells:
    workload = _sample(name)
    return Cells(workload, checked(workload, axes), applicable(workload, name), None)


def _check(cells: Cells, found: PlanDiagram) -> None:
    """Every cell has the winner of planning it alone; or one as cheap, where two plans tie."""
    alone = Cells(cells.workload, cells.axes, cells.family, None)
    places = list(product(*(axis.values for axis in cells.axes)))
    for at, place in list(enumerate(places))[::9]:
        named, best = found.plans[found.winner[at]], alone.winner(place)
        own, least = alone.scores(place, (named, best))
        assert own == pytest.approx(least, rel=interpolated_prices.CLOSE), place
        assert found.score[at] == pytest.approx(least, rel=1e-6), place
        scores = alone.scores(place, found.plans)
        assert found.cost[:, at] == pytest.approx(scores, rel=1e-6), place


def _axis(workload: Workload, path: str, steps: int) -> Axis:
    place = path_in(workload, path)
    now = place.value or 1.0
    low, high = max(now / 8, 1.0 if place.integer else 0.0), min(now * 8, place.most)
    return parse_axis(f"{path}={low}:{high}:{steps}:log")


@given(st.data())
@examples(6)
def test_regions_are_those_of_cells_planned_one_by_one(data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(FORMULAS))
    workload = _sample(name)
    listed = [p for p in paths(workload) if path_in(workload, p).value and p != "queries.count"]
    one, other = data.draw(
        st.lists(st.sampled_from(listed), min_size=2, max_size=2, unique=True), label="paths"
    )
    axes = [_axis(workload, one, 13), _axis(workload, other, 11)]
    cells = _cells(name, *axes)
    try:
        found = plan_diagram(cells, 60)
    except PlanError as error:
        # Some corner has numbers that the family does not cover, such as a tuple at a time.
        event(error.message)
        return
    _check(cells, found)


# Of every family whose scores are simulated: the workload, and two axes.
SIMULATED = {
    "shared_schedule": (
        lambda: scheduled((1, 5, 60), seed=3),
        ("execution.utilisation=0.3:0.9:7", "streams.A.rate=5:40:5:log"),
    ),
    "load_shedding": (
        lambda: star_workload(lifetime=20, memory=6),
        ("execution.memory=3:40:7:log", "times.streams.*.rate=0.5:2:5:log"),
    ),
}


def test_every_family_is_compared() -> None:
    by_formulas = {applicable(_sample(name), name).name for name in FORMULAS}
    assert by_formulas | set(SIMULATED) == {known.name for known in registry.FAMILIES}


@pytest.mark.parametrize("way", ["all cells planned", "refined at borders"])
@pytest.mark.parametrize("name", SIMULATED)
def test_regions_of_simulated_plans_are_those_of_cells_planned_one_by_one(
    name: str, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Planned from corners, cells may have another winner than alone if chance decides there."""
    if way == "refined at borders":
        monkeypatch.setattr(plan_diagrams, "MOST_ALONE", 0)
        monkeypatch.setattr(plan_diagrams, "FEW_CELLS", 99)
        monkeypatch.setattr(refined, "_BLOCK", 1)
    made, texts = SIMULATED[name]
    workload = made()
    axes = checked(workload, [parse_axis(text) for text in texts])
    count = len(axes[0].values) * len(axes[1].values)
    found = plan_diagram(Cells(workload, axes, registry.family(name), None, count), 600)
    assert found.method == way
    alone = Cells(workload, axes, registry.family(name), None, count)
    for at, place in enumerate(product(*(axis.values for axis in axes))):
        named, best = found.plans[found.winner[at]], alone.winner(place)
        assert named == best or alone.within_chance(place, named, best)
        (own,) = alone.scores(place, [named])
        assert found.score[at] == pytest.approx(own)


def test_a_chain_of_many_windows_is_searched_in_all_cells_at_once() -> None:
    axes = [parse_axis("streams.A.rate=2:20:24:log"), parse_axis("execution.c_sys=0:4:20")]
    cells = _cells("thirty-six-windows", *axes)
    found = plan_diagram(cells, 60)
    assert found.method == "interpolated"
    assert len(found.winners) > 5
    alone = Cells(cells.workload, cells.axes, cells.family, None)
    for at in range(0, 480, 97):
        place = (axes[0].values[at // 20], axes[1].values[at % 20])
        own, least = alone.scores(place, (found.plans[found.winner[at]], alone.winner(place)))
        assert own == pytest.approx(least, rel=1e-5)


def test_joins_of_many_streams_are_priced_by_the_plans_that_win() -> None:
    """Eight streams have too many orders to price each in every cell."""
    axes = [parse_axis("streams.S1.rate=1:90:30:log"), parse_axis("streams.S3.rate=1:90:25:log")]
    cells = _cells("eight-way", *axes)
    found = plan_diagram(cells, 60)
    assert found.method == "plans interpolated"
    assert not found.second_is_exact
    assert len(found.winners) > 5
    assert found.planned < 750 / 2
    alone = Cells(cells.workload, cells.axes, cells.family, None)
    for at, place in list(enumerate(product(*(axis.values for axis in axes))))[::13]:
        own, least = alone.scores(place, (found.plans[found.winner[at]], alone.winner(place)))
        # A plan that wins in few cells, and by little, may not be found.
        assert own <= 1.01 * least
        assert found.score[at] == pytest.approx(own, rel=1e-6)
        assert found.cost[:, at] == pytest.approx(alone.scores(place, found.plans), rel=1e-6)


def test_a_diagram_of_many_cells_is_that_of_few_where_both_have_a_cell() -> None:
    paths = "streams.S1.rate", "streams.S3.rate"
    few = plan_diagram(_cells("golab-table-7", *(parse_axis(f"{p}=1:85:22") for p in paths)), 60)
    axes = [parse_axis(f"{path}=1:85:127") for path in paths]
    many = plan_diagram(_cells("golab-table-7", *axes), 60)
    assert (few.method, many.method) == ("interpolated", "plans interpolated")
    shared = many.score.reshape(127, 127)[::6, ::6].reshape(-1)
    assert shared == pytest.approx(few.score, rel=1e-5)
    assert set(few.winners) <= set(many.winners)


def test_a_diagram_of_too_many_cells_to_interpolate_at_once_may_be_refined(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(plan_diagrams, "MOST_AT_ONCE", 1_000)
    monkeypatch.setattr(plan_diagrams, "from_plans", lambda *_: None)
    axes = [parse_axis("streams.S1.rate=1:50:41:log"), parse_axis("streams.S3.rate=1:50:37:log")]
    cells = _cells("golab-table-7", *axes)
    found = plan_diagram(cells, 60)
    assert found.method == "refined at borders"
    assert found.planned < 41 * 37 * 0.7
    places = list(product(*(axis.values for axis in axes)))
    wrong = [
        found.plans[found.winner[at]] != cells.winner(places[at])
        for at in range(0, len(places), 11)
    ]
    assert sum(wrong) <= 0.02 * len(wrong)


def test_what_is_not_smooth_is_refined_at_borders(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plan_diagrams, "from_prices", lambda *_: None)
    monkeypatch.setattr(plan_diagrams, "from_plans", lambda *_: None)
    axes = [parse_axis("streams.S1.rate=1:50:25:log"), parse_axis("streams.S3.rate=1:50:25:log")]
    cells = _cells("golab-table-7", *axes)
    found = plan_diagram(cells, 60)
    assert found.method == "refined at borders"
    assert found.planned < 500
    same = 0
    for at, place in enumerate(product(*(axis.values for axis in axes))):
        same += found.plans[found.winner[at]] == cells.winner(place)
    assert same >= 0.98 * 625


def test_numbers_with_a_kink_and_a_jump() -> None:
    values = [float(v) for v in range(1, 61)]

    def at(i: int, j: int) -> np.ndarray:
        x, y = values[i], values[j]
        return np.array([max(x, 20.0) * y, x**3 / y, 5.0 + (y > 33)])

    found = interpolated((values, values), at, 1_500)
    assert found is not None
    true = np.array([at(i, j) for i in range(60) for j in range(60)])
    assert found == pytest.approx(true, rel=1e-6)
    rng = np.random.default_rng(1)
    assert interpolated((values, values), lambda *_: rng.random(2), 500) is None


def test_numbers_that_cannot_be_added_are_not_interpolated() -> None:
    values = [float(v) for v in range(1, 61)]

    def at(i: int, j: int = 0) -> np.ndarray:
        return np.array([values[i] * 1e306, values[j]])

    assert interpolated_line(values, at, 60) is None
    assert interpolated((values, values), at, 1_500) is None


def test_regret_and_a_reduced_diagram() -> None:
    axes = [parse_axis("streams.S1.rate=1:90:20:log"), parse_axis("streams.S3.rate=1:90:20:log")]
    found = plan_diagram(_cells("golab-table-7", *axes), 60)
    best = found.cost.min(axis=0)
    for own in regrets(found):
        ratio = found.cost[found.plans.index(own.plan)] / best
        assert (own.worst, own.mean) == pytest.approx((ratio.max(), ratio.mean()), rel=1e-6)
    everything = reduced(found, 0.0)
    assert set(everything.plans) <= set(found.winners)
    assert everything.worst == pytest.approx(1.0, abs=1e-6)
    few = reduced(found, 0.2)
    assert len(few.plans) < len(everything.plans)
    assert few.worst <= 1.2 + 1e-9
    kept = found.cost[[found.plans.index(plan) for plan in few.plans]]
    assert np.all(kept.min(axis=0) <= 1.2 * best * (1 + 1e-9))
    assert (few.winner == kept.argmin(axis=0)).all()
    assert len(reduced(found, 1e9).plans) == 1
    # A plan that may never win is no safe choice, however little it costs.
    first, second = (own.plan for own in regrets(found)[:2])
    assert safest(found).plan == first
    by = replace(found.by, eligible=lambda plan: plan != first)
    assert safest(replace(found, by=by)).plan == second
