"""All kinds of plans compared: the best is the best of the families' best."""

from __future__ import annotations

import json
from itertools import product

import numpy as np
import pytest

from planner.__main__ import main
from planner.errors import PlanError
from planner.families.across import AcrossFamilies, comparable
from planner.report.command import read_workload
from planner.whatif.axes import parse_axis
from planner.whatif.cells import Cells
from planner.whatif.diagrams.plan_diagrams import plan_diagram
from tests.planner.schedules import scheduled
from tests.planner.workloads import TABLE_7, equality_join

SENSORS = read_workload("sample_data/sensor-join.yaml", None)


@pytest.mark.parametrize("by", ["seconds", "state"])
def test_the_best_is_the_best_of_all_families(by: str) -> None:
    space = AcrossFamilies().space(SENSORS)
    objective = space.objective(by)
    found = {}
    for known in comparable(SENSORS):
        inner = known.space(SENSORS)
        own = inner.objective(by)
        label = inner.best(own).label
        found[f"{known.name}: {label}"] = inner.scores([label], own)[0]
    assert len(found) > 1
    best = space.best(objective)
    assert found[best.label] == min(found.values())
    ranking = space.rank(objective)
    assert ranking.best == best.label
    assert space.scores([ranking.best], objective) == (ranking.candidates[0].score,)
    assert space.estimate(best).costs


def test_a_diagram_compares_all_kinds_of_plans() -> None:
    first, second = (f"streams.{stream.name}.rate" for stream in SENSORS.streams)
    axes = [parse_axis(f"{first}=1:200:6:log"), parse_axis(f"{second}=1:200:5:log")]
    cells = Cells(SENSORS, axes, AcrossFamilies(), "state")
    found = plan_diagram(cells, 20)
    for at in range(0, 30, 7):
        place = (axes[0].values[at // 5], axes[1].values[at % 5])
        named, best = found.plans[found.winner[at]], cells.winner(place)
        own, least = cells.scores(place, (named, best))
        assert own == pytest.approx(least, rel=1e-5)
        assert np.isclose(found.score[at], least, rtol=1e-5)


def test_many_cells_of_all_kinds_are_priced_at_once_as_one_by_one() -> None:
    """By seconds, where chains and schedules have about the same work: who wins, who is next."""
    workload = scheduled((1, 5, 60), utilisation=None)
    texts = "streams.A.rate=1:400:13:log", "streams.B.rate=1:40:11:log"
    cells = Cells(workload, [parse_axis(text) for text in texts], AcrossFamilies(), "seconds")
    found = plan_diagram(cells, 60)
    assert found.method == "interpolated"
    places = list(product(*(axis.values for axis in cells.axes)))
    for at in range(0, len(places), 11):
        scores = {own: cells.scores(places[at], (own,))[0] for own in _every(cells, places[at])}
        best, second = sorted(scores.values())[:2]
        assert scores[found.plans[found.winner[at]]] == pytest.approx(best, rel=1e-5)
        assert found.score[at] == pytest.approx(best, rel=1e-6)
        assert found.second[at] == pytest.approx(second, rel=1e-6)


def _every(cells: Cells, place: tuple[float, ...]) -> list[str]:
    return [plan.label for plan in cells.space(place).candidates()]


def test_one_kind_alone_is_not_compared(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(PlanError, match="two are needed"):
        AcrossFamilies().space(equality_join(TABLE_7))
    sweep = ["sweep", "sample_data/sensor-join.yaml", "--family", "across", "--json"]
    assert main([*sweep, "--vary", f"streams.{SENSORS.streams[0].name}.rate=1:9:3"]) == 0
    assert json.loads(capsys.readouterr().out)["rank_by"] == "seconds"
