"""What-if: axes, paths, costs per cell and crossovers."""

from __future__ import annotations

from dataclasses import replace

import pytest

from planner.errors import PlanError
from planner.families.join_order import JoinOrder
from planner.files.query.text import parse_query
from planner.whatif import cells, sweeps
from planner.whatif.axes import Axis, parse_axis
from planner.whatif.sweep_paths import path_in, paths
from planner.whatif.sweeps import sweep
from planner.workload.execution import Execution
from planner.workload.query import Column, CountWindow, Filter, TimeWindow
from tests.planner.join_graphs import growing_join
from tests.planner.stars import star_workload
from tests.planner.workloads import HASHED, TABLE_5, TABLE_6, TABLE_7, equality_join

FAMILY = JoinOrder()
WORKLOAD = equality_join(TABLE_7)


def test_axes_are_read_as_the_command_line_writes_them() -> None:
    assert parse_axis("streams.S1.rate=1:3:5") == Axis("streams.S1.rate", (1, 1.5, 2, 2.5, 3))
    assert parse_axis("x=100:1:3:log").values == (100, 10, 1)
    assert parse_axis('statistics.filters."Q: a.v = 5".selectivity=0:1:2').path.endswith(
        '"Q: a.v = 5".selectivity'
    )
    assert parse_axis("x=5:9:1").values == (5,)


@pytest.mark.parametrize(
    "text",
    [
        *("", "x", "x=1:2", "=1:2:3", "x=1:2:3:lin", "x=1:2:3:log:4", "x=a:2:3", "x=1:2:2.5"),
        *("x=nan:1:3", "x=1:inf:3", "x=1:2:0", "x=1:2:-4", "x=1:2:99999999", "x=0:5:3:log"),
    ],
)
def test_a_wrong_axis_is_told_its_form(text: str) -> None:
    with pytest.raises(PlanError, match=r"PATH=FROM:TO:STEPS|must be|needs"):
        parse_axis(text)


def test_cells_are_row_major_and_priced_as_workloads_of_their_own() -> None:
    axes = [Axis("streams.S1.rate", (1, 10, 100)), Axis("queries.Q1.windows.S2", (10, 200))]
    found = sweep(WORKLOAD, axes, FAMILY)
    cells = [(rate, span) for rate in (1, 10, 100) for span in (10, 200)]
    assert len(found.winner) == len(cells)
    assert [len(costs) for costs in found.cost] == [6] * len(found.plans)
    for place, (rate, span) in enumerate(cells):
        (_, _, v), (rate_2, _, v_2), *others = TABLE_7
        there = equality_join([(rate, 100, v), (rate_2, span, v_2), *others])
        assert found.winner[place] == FAMILY.space(there).rank(top=1).best
        priced = FAMILY.space(there).scores(found.plans)
        assert [costs[place] for costs in found.cost] == pytest.approx(priced)
    assert found.crossovers == ()
    assert set(found.winner) | {"S1,S2,S3,S4"} == set(found.plans)


def test_a_crossover_is_where_the_two_costs_meet() -> None:
    found = sweep(WORKLOAD, [parse_axis("streams.S1.rate=1:50:8")], FAMILY)
    assert found.crossovers
    runs = [found.winner[0], *(crossing.after for crossing in found.crossovers)]
    assert [c.before for c in found.crossovers] == runs[:-1], "each begins where the last ended"
    for crossing in found.crossovers:
        there = path_in(WORKLOAD, "streams.S1.rate").change(crossing.at)
        before, after = FAMILY.space(there).scores([crossing.before, crossing.after])
        assert before == pytest.approx(after, rel=1e-6)


def test_whole_numbers_are_rounded_and_taken_once() -> None:
    path = "streams.S1.attributes.attr.distinct"
    found = sweep(WORKLOAD, [parse_axis(f"{path}=1:4:10")], FAMILY)
    assert found.axes[0].values == (1, 2, 3, 4)
    assert all(crossing.at == round(crossing.at) for crossing in found.crossovers)
    few = sweep(equality_join(TABLE_5, HASHED), [parse_axis("execution.buckets=1:5:5")], FAMILY)
    assert few.cost[0] == pytest.approx([16000 / 1, *few.cost[0][1:4], 16000 / 5])


def test_a_window_changed_is_changed_in_the_text_too() -> None:
    changed = path_in(WORKLOAD, "queries.*.windows.*").change(7).queries[0]
    assert {source.window for source in changed.sources} == {TimeWindow(7)}
    assert parse_query(changed.text, "Q1").sources == changed.sources


def test_every_listed_path_can_be_taken() -> None:
    query = WORKLOAD.queries[0]
    first, *others = query.sources
    query = replace(
        query,
        sources=(replace(first, window=CountWindow(9)), *others),
        filters=(Filter(Column("S1", "attr"), ">", 5),),
    )
    stream = replace(WORKLOAD.streams[0], name="a.b")
    workload = replace(WORKLOAD, queries=(query,), streams=(*WORKLOAD.streams, stream))
    listed = list(paths(workload))
    assert 'streams."a.b".rate' in listed
    assert 'statistics.filters."Q1: S1.attr > 5".selectivity' in listed
    for path in listed:
        assert path_in(workload, path).change(1).digest, path
    assert path_in(workload, 'streams."a.b".rate').change(3).stream("a.b").rate == 3
    assert path_in(workload, "queries.Q1.windows.S1").integer
    assert path_in(workload, "execution.evaluate.every").change(3).execution.evaluate.seconds == 3


def test_the_constant_of_a_filter_is_varied_with_its_selectivity_and_its_text() -> None:
    query = replace(WORKLOAD.queries[0], filters=(Filter(Column("S1", "attr"), ">", 5),))
    workload = replace(WORKLOAD, queries=(query,))
    path = 'queries.Q1.filters."S1.attr > 5".constant'
    assert path in list(paths(workload))
    assert path_in(workload, path).value == 5
    changed = path_in(workload, path).change(20).queries[0]
    assert [str(own) for own in changed.filters] == ["S1.attr > 20"]
    assert parse_query(changed.text, "Q1").filters == changed.filters
    found = sweep(workload, [parse_axis(f"{path}=5:50:4")], FAMILY)
    assert list(found.cost[0]) == sorted(found.cost[0], reverse=True)
    assert found.cost[0][0] > found.cost[0][-1]
    selectivity = 'statistics.filters."Q1: S1.attr > 5".selectivity'
    declared = path_in(workload, selectivity).change(0.5)
    assert path not in list(paths(declared)), "what is declared is of this filter"


def test_the_rows_that_a_relation_gains_and_the_memory_of_a_stream_are_varied() -> None:
    star = star_workload(churn=2.0)
    (relation,) = star.relations
    gains = f"relations.{relation.name}.changes.inserts"
    assert path_in(star, gains).value == relation.changes.inserts
    assert path_in(star, gains).change(7).relations[0].changes.inserts == 7
    shedding = replace(star.execution.shedding, split={"R": 4, "S": 6})
    split = replace(star, execution=replace(star.execution, shedding=shedding))
    assert path_in(split, "execution.shedding.split.R").value == 4
    changed = path_in(split, "execution.shedding.split.R").change(3)
    assert dict(changed.execution.shedding.split) == {"R": 3, "S": 6}
    lasting = growing_join()
    assert not [path for path in paths(lasting) if "windows" in path]
    for workload in (star, split, lasting):
        for path in paths(workload):
            assert path_in(workload, path), path
    costs = [path for path in paths(WORKLOAD) if path.endswith(".cost")]
    assert len(costs) == len(WORKLOAD.queries[0].predicates)
    declared = path_in(WORKLOAD, costs[0]).change(3)
    assert path_in(declared, costs[0]).value == 3


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("streams.S9.rate=1:2:2", "streams.S1.rate"),
        ("streams=1:2:2", "no such path"),
        ("queries.Q1.windows.S9=1:2:2", "no such path"),
        ("streams.S1.rate=-1:2:2", "out of range"),
        ("queries.count=1:3:3", "from 1 to 1"),
        ("execution.buckets=0:3:4", "from 1 to"),
    ],
)
def test_what_cannot_be_swept_is_said(text: str, said: str) -> None:
    with pytest.raises(PlanError, match=said):
        sweep(WORKLOAD, [parse_axis(text)], FAMILY)


def test_sweeps_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    many = [parse_axis("streams.S1.rate=1:9:600"), parse_axis("streams.S2.rate=1:9:600")]
    with pytest.raises(PlanError, match="360,000 cells; at most 250,000"):
        sweep(WORKLOAD, many, FAMILY)
    many = [parse_axis(f"streams.S{place}.rate=1:9:30") for place in (1, 2, 3)]
    with pytest.raises(PlanError, match="27,000 cells; at most 10,000"):
        sweep(WORKLOAD, many, FAMILY)
    with pytest.raises(PlanError, match="occurs twice"):
        sweep(WORKLOAD, many[:1] * 2, FAMILY)
    with pytest.raises(PlanError, match="nothing varies"):
        sweep(WORKLOAD, [], FAMILY)
    monkeypatch.setattr(cells, "MOST_SECONDS", -1.0)
    with pytest.raises(PlanError, match="fewer steps"):
        sweep(WORKLOAD, [parse_axis("streams.S1.rate=1:2:2")], FAMILY)


def test_the_plans_shown_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sweeps, "MOST_PLANS", 1)
    workload = equality_join(TABLE_6, Execution())
    found = sweep(workload, [parse_axis("streams.S3.rate=1:500:9:log")], FAMILY)
    assert len(set(found.winner)) > 1
    assert len(found.plans) == 2, "the most frequent winner and the baseline"
