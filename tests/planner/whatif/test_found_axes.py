"""The number in which a row of workloads differs."""

from __future__ import annotations

from dataclasses import replace

import pytest

from planner.experiments.registry import experiment
from planner.families.join_order import JoinOrder
from planner.whatif.along import sweep_along
from planner.whatif.numbers.found_axes import axis_through
from planner.whatif.sweep_paths import path_in
from tests.planner.workloads import TABLE_7, equality_join

WORKLOAD = equality_join(TABLE_7)


@pytest.mark.parametrize("path", ["streams.*.rate", "streams.S2.rate", "queries.Q1.windows.S3"])
def test_the_varied_number_is_found(path: str) -> None:
    row = [path_in(WORKLOAD, path).change(value) for value in (2.0, 5.0, 9.0)]
    row[1] = replace(row[1], name="another")
    found = axis_through(row)
    assert found is not None
    assert (found.path, found.values[0], found.values[-1]) == (path, 2.0, 9.0)


def test_nothing_is_found_where_two_numbers_vary() -> None:
    one = path_in(WORKLOAD, "streams.S1.rate").change(3.0)
    assert axis_through([WORKLOAD, path_in(one, "streams.S2.rate").change(7.0)]) is None
    assert axis_through([WORKLOAD, WORKLOAD]) is None


def test_a_curve_of_several_numbers_is_followed_place_by_place() -> None:
    curve = experiment("figure-2").curves[0]
    found = sweep_along("windows", [p.workload for p in curve.points], JoinOrder())
    assert len(found.winner) == len(curve.points)
    for place, point in enumerate(curve.points):
        space = JoinOrder().space(point.workload)
        best = space.scores([space.best().label])[0]
        at = found.plans.index(found.winner[place])
        assert found.cost[at][place] == pytest.approx(best)


def test_a_figure_of_a_paper_is_a_sweep() -> None:
    points = experiment("figure-6c").curves[0].points
    found = axis_through([point.workload for point in points])
    assert found is not None
    assert found.path == "streams.S1.rate"
