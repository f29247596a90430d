"""Crossovers are those of brute force on a fine grid, for every family."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from planner.errors import PlanError
from planner.families.registry import FAMILIES, family
from planner.report.command import read_workload
from planner.whatif.axes import Axis, fitted, parse_axis
from planner.whatif.cells import Cells
from planner.whatif.crossings import dips
from planner.whatif.crossings.crossovers import Crossover, crossovers
from planner.whatif.sweep_paths import path_in, paths
from planner.workload.workload import Workload
from tests.examples import examples
from tests.planner.schedules import scheduled
from tests.planner.stars import star_workload


def _sample(name: str) -> Callable[[], Workload]:
    return lambda: read_workload(str(Path("sample_data") / f"{name}.yaml"), None)


_EXACT = 1e-7
# Where delays and importance are simulated on small samples, chance decides between near-ties.
_BY_CHANCE = 0.05
# By family workloads whose winners change, how finely they are compared, and when two plans tie.
SUBJECTS = {
    "join_order": (
        [_sample("golab-table-6"), _sample("golab-table-7"), _sample("lazy-join")],
        60,
        _EXACT,
    ),
    "early_aggregation": ([_sample("network-packets"), _sample("auctions")], 60, _EXACT),
    "sliced_chain": ([_sample("temperature-humidity"), _sample("shop-alerts")], 60, _EXACT),
    "shared_schedule": ([lambda: scheduled((1, 5, 60), seed=3)], 12, _BY_CHANCE),
    "load_shedding": ([lambda: star_workload(lifetime=20, memory=6)], 12, _BY_CHANCE),
}


def test_every_family_is_compared() -> None:
    assert set(SUBJECTS) == {known.name for known in FAMILIES}


def _check(
    workload: Workload, name: str, axis: Axis, steps: int, tie: float
) -> tuple[Crossover, ...]:
    """Between crossovers the plan that is named costs as little as the best of each cell."""
    cells = Cells(workload, [axis], family(name), None, planned=steps)
    winners, found = crossovers(cells)
    assert len(winners) == len(axis.values)
    assert winners[-1] == (found[-1].after if found else winners[0])
    edges = [crossing.at for crossing in found]
    assert edges == sorted(edges)
    first, last = axis.values[0], axis.values[-1]
    running = [winners[0], *(crossing.after for crossing in found)]
    assert [crossing.before for crossing in found] == running[:-1]
    for value, named in zip(axis.values, winners, strict=True):
        assert cells.ties((value,), named, cells.winner((value,)))
    fine = parse_axis(f"{axis.path}={first}:{last}:{steps}{':log' if axis.is_log else ''}")
    for value in fitted(workload, fine).values:
        named = running[bisect_right(edges, value)]
        if value in edges:
            continue
        own, best = cells.scores((value,), (named, cells.winner((value,))))
        assert own == pytest.approx(best, rel=tie), (value, named)
    return found


@pytest.mark.parametrize("name", SUBJECTS)
@given(data=st.data())
@examples(2)
def test_crossovers_are_those_of_a_fine_grid(name: str, data: st.DataObject) -> None:
    subjects, steps, tie = SUBJECTS[name]
    workload = data.draw(st.sampled_from(subjects))()
    listed = [p for p in paths(workload) if path_in(workload, p).value and p != "queries.count"]
    path = data.draw(st.sampled_from(listed), label="path")
    place = path_in(workload, path)
    low = max((place.value or 1.0) / data.draw(st.sampled_from([2, 6])), float(place.integer))
    high = min((place.value or 1.0) * data.draw(st.sampled_from([2, 6])), place.most)
    coarse = 9 if steps > 20 else 3
    try:
        axis = parse_axis(f"{path}={low}:{high}:{coarse}:log")
        changes = len(_check(workload, name, axis, steps, tie))
        event(f"{name}: {min(changes, 3)} crossovers")
    except PlanError as error:
        # Some value is beyond what the family covers.
        event(error.message)


def test_plans_that_win_between_two_cells_only_are_found() -> None:
    workload = _sample("thirty-six-windows")()
    axis = parse_axis("streams.A.rate=1.5:6:6:log")
    assert len(_check(workload, "sliced_chain", axis, 60, _EXACT)) > 5


def test_chains_that_tie_are_one_plan() -> None:
    """From 2.353 on two chains cost the same: rounding let one overtake the other again and again,
    and where another plan took over was said wrongly."""
    axis = parse_axis("streams.*.rate=1:100:20:log")
    workload = _sample("thirty-six-windows")()
    found = _check(workload, "sliced_chain", axis, 60, _EXACT)
    cells = Cells(workload, [axis], family("sliced_chain"), None)
    for low, high in pairwise(found):
        assert not cells.ties((high.at * 1.001,), high.before, high.after)
        assert low.after == high.before
        assert low.at < high.at
    (only,) = (crossing for crossing in found if 2 < crossing.at < 3)
    assert 2.352 < only.at < 2.3529
    for value in (2.353, 2.4, 2.52, 2.63):
        assert cells.ties((value,), only.after, cells.winner((value,)))


@pytest.mark.parametrize("steps", [2, 3, 4])
def test_a_plan_that_dips_below_another_between_two_cells_is_found(steps: int) -> None:
    """One plan wins at both ends and in the middle; others win between."""
    axis = parse_axis(f"streams.S3.rate=1:60:{steps}:log")
    workload = _sample("golab-table-7")()
    assert len(_check(workload, "join_order", axis, 200, _EXACT)) >= 2


def test_where_costs_are_not_smooth_a_few_values_between_cells_are_planned(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(dips, "_priced", lambda *_: None)
    axis = parse_axis("streams.S3.rate=1:60:2:log")
    assert len(_check(_sample("golab-table-7")(), "join_order", axis, 200, _EXACT)) >= 2


def test_where_costs_are_simulated_a_crossover_has_a_band() -> None:
    workload = _sample("seven-windows")()
    axis = parse_axis("execution.utilisation=0.2:0.9:12")
    cells = Cells(workload, [axis], family("shared_schedule"), None, planned=12)
    _, found = crossovers(cells)
    assert found
    for crossing in found:
        assert crossing.between is not None
        low, high = crossing.between
        assert low <= crossing.at <= high
        for value in axis.values:
            if low < value < high:
                assert cells.within_chance((value,), crossing.before, crossing.after)
    joins = parse_axis("streams.S3.rate=1:60:9:log")
    exact = _check(_sample("golab-table-7")(), "join_order", joins, 20, _EXACT)
    assert {crossing.between for crossing in exact} == {None}


def test_delays_are_compared_by_one_figure_though_some_have_no_mean() -> None:
    workload = _sample("seven-windows")()
    axis = parse_axis("streams.*.arrivals.burst=1.4:3:3")
    cells = Cells(workload, [axis], family("shared_schedule"), None, planned=12)
    assert cells.by.title == "Median delay"
    for value in axis.values:
        space = cells.space((value,))
        label = cells.winner((value,))
        plan = space.plan(label)
        assert cells.scores((value,), [label])[0] == cells.by.of(plan, space.estimate(plan))


def test_chains_weigh_what_each_workload_declares() -> None:
    workload = _sample("thirty-six-windows")()
    chains = family("sliced_chain")
    axis = parse_axis("execution.c_sys=0:4:5")
    cells = Cells(workload, [axis], chains, None)
    for value in axis.values:
        space = chains.space(cells.workload_at((value,)))
        assert cells.winner((value,)) == space.best().label
    assert "overhead" in cells.by.title


def test_plans_that_tie_in_the_first_cell_alone_do_not_cross_there() -> None:
    """At a rate of 1 two orders of Table 7 cost the same; beyond, one of them is cheaper."""
    axis = parse_axis("streams.S3.rate=1:60:40:log")
    cells = Cells(_sample("golab-table-7")(), [axis], family("join_order"), None)
    winners, found = crossovers(cells)
    assert cells.winner((1.0,)) != winners[0]
    assert cells.ties((1.0,), cells.winner((1.0,)), winners[0])
    assert [crossing.before for crossing in found][:1] == [winners[0]]
    assert all(crossing.at > 1.001 for crossing in found)
