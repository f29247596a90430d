"""Plan diagrams: their regions are those of cells planned one by one; regret; fewer plans."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from planner.errors import PlanError
from planner.families.registry import applicable
from planner.report.command import read_workload
from planner.whatif.axes import Axis, parse_axis
from planner.whatif.cells import Cells
from planner.whatif.diagrams import plan_diagrams
from planner.whatif.diagrams.plan_diagrams import PlanDiagram, plan_diagram
from planner.whatif.diagrams.regret import reduced, regrets
from planner.whatif.diagrams.smooth_grid import interpolated
from planner.whatif.sweep_paths import path_in, paths
from planner.whatif.sweeps import checked
from planner.workload.workload import Workload
from tests.examples import examples

SAMPLES = Path("sample_data")
# One of each family, and joins with kinks, general plans and hashed windows.
FAMILIES = (
    *("golab-table-6", "golab-table-7", "lazy-join", "network-links"),
    *("network-packets", "temperature-humidity", "shop-alerts"),
)


def _cells(name: str, *axes: Axis) -> Cells:
    workload = read_workload(str(SAMPLES / f"{name}.yaml"), None)
    return Cells(workload, checked(workload, axes), applicable(workload, name), None)


def _check(cells: Cells, found: PlanDiagram) -> None:
    """Every cell has the winner of planning it alone; or one as cheap, where two plans tie."""
    alone = Cells(cells.workload, cells.axes, cells.family, None)
    places = list(product(*(axis.values for axis in cells.axes)))
    for at, place in list(enumerate(places))[::9]:
        named, best = found.plans[found.winner[at]], alone.winner(place)
        own, least = alone.scores(place, (named, best))
        assert own == pytest.approx(least, rel=plan_diagrams._CLOSE), place
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
    name = data.draw(st.sampled_from(FAMILIES))
    workload = read_workload(str(SAMPLES / f"{name}.yaml"), None)
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


def test_what_is_not_smooth_is_refined_at_borders(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plan_diagrams, "_priced", lambda *_: None)
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
