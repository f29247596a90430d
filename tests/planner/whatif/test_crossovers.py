"""Crossovers are those of brute force on a fine grid, for every family."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from planner.errors import PlanError
from planner.families.registry import FAMILIES, family
from planner.report.command import read_workload
from planner.whatif.axes import Axis, fitted, parse_axis
from planner.whatif.cells import Cells
from planner.whatif.crossovers import crossovers
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


def _check(workload: Workload, name: str, axis: Axis, steps: int, tie: float) -> int:
    """Between crossovers the plan that is named costs as little as the best of each cell."""
    cells = Cells(workload, [axis], family(name), None, planned=steps)
    found = crossovers(cells)
    edges = [crossing.at for crossing in found]
    assert edges == sorted(edges)
    first, last = axis.values[0], axis.values[-1]
    running = [cells.winner((first,)), *(crossing.after for crossing in found)]
    assert [crossing.before for crossing in found] == running[:-1]
    assert running[-1] == cells.winner((last,))
    fine = parse_axis(f"{axis.path}={first}:{last}:{steps}{':log' if axis.is_log else ''}")
    for value in fitted(workload, fine).values:
        named = running[bisect_right(edges, value)]
        if value in edges:
            continue
        own, best = cells.scores((value,), (named, cells.winner((value,))))
        assert own == pytest.approx(best, rel=tie), (value, named)
    return len(found)


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
        changes = _check(workload, name, axis, steps, tie)
        event(f"{name}: {min(changes, 3)} crossovers")
    except PlanError as error:
        # Some value is beyond what the family covers.
        event(error.message)


def test_plans_that_win_between_two_cells_only_are_found() -> None:
    workload = _sample("thirty-six-windows")()
    axis = parse_axis("streams.A.rate=1.5:6:6:log")
    assert _check(workload, "sliced_chain", axis, 60, _EXACT) > 5
