"""Queries enter and leave, and plans change, while a run goes on: nothing is lost or twice."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.errors import PlanError
from planner.families.capabilities import Changes
from planner.families.registry import family
from planner.families.stages import (
    PlannedStage,
    planned_stages,
    whole_estimate,
    whole_plan,
)
from planner.files.query.text import parse_query
from planner.plan.cost import Cost
from planner.statistics.generate import generate
from planner.workload.changes import check_times, stages_of
from planner.workload.execution import Change, RunSettings
from planner.workload.query import Column, Predicate, Query, Source, TimeWindow
from planner.workload.streams import Attribute, Stream, catalogue
from planner.workload.workload import Workload
from runtime.data.feed import Feed, Span, Split
from runtime.engines.kernels.digest import digest_of
from runtime.engines.pair_feed import pair_feed
from runtime.engines.protocol import Tally
from runtime.engines.registry import program_from_json
from runtime.engines.sliced_chain.simulation import Counts, built
from tests.examples import examples
from tests.oracles.changing_queries import results_while_there
from tests.oracles.joins import Data
from tests.oracles.slice_changes import carried_through
from tests.planner.chains import FILTERED, joins
from tests.runtime.driving import program_of, stepped
from tests.runtime.slicing import SPAN, feed_of, labels, queries, tuples, workloads

FEW = examples(25)


def _more(stage: PlannedStage) -> Mapping[str, Cost]:
    """What the plan of a stage costs more because queries entered late."""
    changes = family("sliced_chain").space(stage.workload).capability(Changes)
    assert changes is not None
    return changes.cost_of_entered(stage.plan, stage.entered)


@st.composite
def changing(draw: st.DrawFn) -> Workload:
    """A workload whose queries enter and leave at random times."""
    workload = draw(workloads(most=3))
    names = [query.name for query in workload.queries]
    known = {
        q.name: [(source.alias, source.name) for source in q.sources] for q in workload.queries
    }
    changes = []
    at = 0.0
    for number in range(draw(st.integers(1, 4))):
        at += draw(st.sampled_from([0.0, 0.5, 1, 2.25]))
        if len(names) > 1 and draw(st.booleans()):
            gone = draw(st.sampled_from(names))
            names.remove(gone)
            changes.append(Change(at, remove=gone))
            if draw(st.booleans()):
                # It changes: it leaves, and enters otherwise than it was.
                other = draw(queries(workload, gone))
                sources = [(source.alias, source.name) for source in other.sources]
                if sources != known[gone]:
                    other = replace(other, name=f"{gone} otherwise {number}")
                known[other.name] = sources
                changes.append(Change(at, add=other))
                names.append(other.name)
        else:
            names.append(f"N{number}")
            new = draw(queries(workload, f"N{number}"))
            known[new.name] = [(source.alias, source.name) for source in new.sources]
            changes.append(Change(at, add=new))
    return replace(workload, run=replace(workload.run, changes=tuple(changes)))


def _migrated(
    workload: Workload,
    stages: list[PlannedStage],
    feed: Feed,
    partitions: int,
    cuts: set[int],
    span: Span = SPAN,
) -> tuple[dict[str, list[tuple[int, ...]]], Tally]:
    plan, split = whole_plan(stages), Split(partitions, None)
    program = program_of(plan, workload, feed, span, split, stages=stages)
    assert program_from_json(program.to_json()) == program
    times = [stage.at for stage in stages if stage.at is not None]
    at = {int(n) for n in np.searchsorted(feed.tuples.ts, times)}
    rows, totals = stepped(program, split, feed, sorted(cuts | at), keep_rows=True)
    tally = program.tally(totals, plan)
    found: dict[str, list[tuple[int, ...]]] = {name: [] for name in tally.by_query}
    names = list(found)
    for row in sorted(rows, key=lambda row: row[-1]):
        found[names[row[0]]].append(row[1:4])
    return found, tally


@FEW
@given(st.data(), changing(), tuples(), st.integers(2, 3), st.sets(st.integers(1, 60)))
def test_no_result_is_lost_or_twice(
    choose: st.DataObject, workload: Workload, data: Data, partitions: int, cuts: set[int]
) -> None:
    stages = [
        PlannedStage(
            stage.at,
            stage.workload,
            built(stage.workload, choose.draw(labels(stage.workload))).plan,
            stage.entered,
        )
        for stage in stages_of(workload)
    ]
    feed = feed_of(workload, data)
    once, counted = _migrated(workload, stages, feed, 1, set())
    found, tally = _migrated(workload, stages, feed, partitions, cuts)
    for query, expected in results_while_there(workload, data).items():
        assert sorted(found[query]) == expected, query
        assert [row[-1] for row in found[query]] == sorted(row[-1] for row in expected)
        seqs = np.array(expected, np.int64).reshape(-1, 3)[:, :2]
        assert tally.by_query[query] == (len(expected), int(digest_of(seqs)))
    # Neither does what is counted depend on partitions and batches; it is what was done.
    assert once == found
    assert tally.costs == counted.costs
    done = Counts(SPAN.warmup, SPAN.end)
    carried_through(workload, stages, data, done)
    for operator in whole_plan(stages).operators():
        expected_cost = done.cost(operator.id).as_dict()
        assert tally.costs[operator.id].as_dict() == pytest.approx(expected_cost, abs=1e-9), (
            operator
        )


def test_queries_that_entered_are_looked_at_once_more_as_predicted() -> None:
    """When all tuples from before have gone, that is all they cost beside being there at first."""
    workload = joins(FILTERED)
    first, *others = workload.queries
    plain, seconds = "SELECT * FROM A [RANGE 4], B [RANGE 4] WHERE A.k = B.k", 60
    late = parse_query(plain, "late", catalogue=catalogue(workload.streams))
    entering = [(5.0, others[0]), (5.0, others[2]), (8.0, late)]
    changes = tuple(Change(at, add=query) for at, query in entering)
    beginning = replace(workload, queries=(first, others[1]), run=RunSettings(changes=changes))
    together = replace(stages_of(beginning)[-1].workload, run=RunSettings())
    tables = generate(together, seconds, seed=5)
    span = Span(30_000_000, seconds * 1_000_000)
    chosen = family("sliced_chain")
    for label in ("mem-opt", "pull-up"):
        stages = list(planned_stages(chosen, beginning, label))
        _, tally = _migrated(beginning, stages, pair_feed(beginning, tables), 1, set(), span)
        alone = [PlannedStage(None, together, stages[-1].plan, {})]
        _, expected = _migrated(together, alone, pair_feed(together, tables), 1, set(), span)
        more = _more(stages[-1])
        looked = 0
        for operator in stages[-1].plan.operators():
            cost, was = tally.costs[operator.id], expected.costs[operator.id]
            if operator.kind in ("probe", "select"):
                predicted = more[operator.id]
                added = cost.comparisons - was.comparisons
                assert added == pytest.approx(predicted.comparisons, rel=0.1), operator
                passed = cost.rows_out - was.rows_out
                assert passed == pytest.approx(predicted.rows_out, rel=0.1), operator
                looked += added > 0
                cost = replace(cost, comparisons=was.comparisons, rows_out=was.rows_out)
            assert cost.as_dict() == pytest.approx(was.as_dict()), operator
        assert looked > 2


@FEW
@given(st.data(), workloads(), tuples(), st.integers(0, 12))
def test_a_change_to_the_same_plan_changes_no_count(
    choose: st.DataObject, workload: Workload, data: Data, at: int
) -> None:
    plan = built(workload, choose.draw(labels(workload))).plan
    stages = [PlannedStage(time, workload, plan, {}) for time in (None, at * 1_000_000)]
    feed = feed_of(workload, data)
    rows, tally = _migrated(workload, stages, feed, 1, set())
    expected_rows, expected = _migrated(workload, stages[:1], feed, 1, set())
    assert rows == expected_rows
    assert tally.costs == expected.costs


def test_a_split_slice_is_filled_by_the_next_purges() -> None:
    """One join of 6 s becomes slices of 2 s and 6 s: the second is empty until a male comes.

    A: 1 2 3          B:      4  |change at 5|  5.5
    """
    equal = (Predicate(Column("A", "k"), "=", Column("B", "k")),)
    both = [
        Query(name, (Source("A", "A", window), Source("B", "B", window)), equal)
        for name, window in (("Q1", TimeWindow(2)), ("Q2", TimeWindow(6)))
    ]
    streams = tuple(Stream(name, rate=1.0, attributes={"k": Attribute(3)}) for name in "AB")
    workload = Workload("two", streams, tuple(both))
    labels_by_time = {None: "chain:0-6", 5_000_000: "chain:0-2-6"}
    stages = [
        PlannedStage(at, workload, built(workload, label).plan, {})
        for at, label in labels_by_time.items()
    ]
    seconds = {"A": [1, 2, 3], "B": [4, 5.5]}
    data = {
        name: [(round(ts * 1_000_000), {"k": 1, "v": 0}) for ts in times]
        for name, times in seconds.items()
    }
    span = Span(0, 10_000_000)
    found, tally = _migrated(workload, stages, feed_of(workload, data), 1, set(), span)
    assert found["Q1"] == [(2, 0, 4_000_000)]
    assert found["Q2"] == [(n, m, data["B"][m][0]) for m in (0, 1) for n in (0, 1, 2)]
    work = {
        (stage.plan.label, op.param("start")): tally.costs[op.id]
        for stage in stages
        for op in stage.plan.operators()
        if op.kind == "slice"
    }
    inserts = {place: round(cost.inserts * span.seconds) for place, cost in work.items()}
    # The second male purges all of A out of the first slice, which it entered itself.
    assert inserts == {("chain:0-6", 0): 4, ("chain:0-2-6", 0): 1, ("chain:0-2-6", 2): 3}
    purges = {place: round(cost.comparisons * span.seconds) for place, cost in work.items()}
    assert purges == {("chain:0-6", 0): 1, ("chain:0-2-6", 0): 3, ("chain:0-2-6", 2): 1}


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ([Change(5, remove="Q9")], r"run.changes\[0\].remove: no query 'Q9' at 5 s"),
        ([Change(5, remove="Q0")], "leaves no query at 5 s"),
        ([Change(7, plan="pull-up"), Change(5, remove="Q0")], "leaves no query at 5 s"),
    ],
)
def test_a_wrong_change_is_the_users_mistake(changes: list[Change], told: str) -> None:
    window = TimeWindow(1)
    sources = Source("A", "A", window), Source("B", "B", window)
    streams = tuple(Stream(name, rate=1.0) for name in "AB")
    workload = Workload("one", streams, (Query("Q0", sources),))
    with pytest.raises(PlanError, match=told):
        stages_of(replace(workload, run=replace(workload.run, changes=tuple(changes))))


@pytest.mark.parametrize(
    ("asked", "labels_of_stages"),
    [
        ("unshared", ["unshared", "unshared", "pull-up"]),
        ("mem-opt", ["chain:0-2-6", "chain:0-2-4-6", "pull-up"]),
        ("chain:0-2-6", ["chain:0-2-6", "chain:0-2-4-6", "pull-up"]),
    ],
)
def test_a_change_of_queries_keeps_the_strategy(asked: str, labels_of_stages: list[str]) -> None:
    equal = (Predicate(Column("A", "k"), "=", Column("B", "k")),)
    first, second, late = (
        Query(f"Q{n}", (Source("A", "A", window), Source("B", "B", window)), equal)
        for n, window in enumerate(map(TimeWindow, (2, 6, 4)))
    )
    streams = tuple(Stream(name, rate=1.0, attributes={"k": Attribute(3)}) for name in "AB")
    changes = (Change(30, plan="pull-up"), Change(20, add=late))
    workload = Workload("two", streams, (first, second), run=RunSettings(changes=changes))
    chosen = family("sliced_chain")
    stages = planned_stages(chosen, workload, asked)
    assert [stage.plan.label for stage in stages] == labels_of_stages
    assert [stage.at for stage in stages] == [None, 20_000_000, 30_000_000]
    # The span from 10 s to 50 s is a quarter of the first and of the second, half of the third.
    whole = whole_estimate(chosen, stages, 0, 10_000_000, 50_000_000)
    assert set(whole.costs) == {operator.id for operator in whole_plan(stages).operators()}
    by_stage = [
        sum(cost.comparisons for cost in chosen.space(s.workload).estimate(s.plan).costs.values())
        + sum(c.comparisons for c in _more(s).values())
        for s in stages
    ]
    assert _more(stages[0]) == {}
    weighed = sum(share * own for share, own in zip((0.25, 0.25, 0.5), by_stage, strict=True))
    assert sum(cost.comparisons for cost in whole.costs.values()) == pytest.approx(weighed)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (Change(5, plan="S1,S2"), "run.changes at 5 s: S1,S2: no such plan; there are unshared"),
        (Change(5, plan="chain:0-3-6"), "run.changes at 5 s: chain:0-3-6: '3' is no window"),
        (
            Change(5, add=Query("one", (Source("A", "A", TimeWindow(1)),))),
            "run.changes at 5 s: sliced_chain: one reads one stream and joins nothing",
        ),
    ],
)
def test_a_stage_that_cannot_be_planned_is_told_with_its_time(change: Change, told: str) -> None:
    equal = (Predicate(Column("A", "k"), "=", Column("B", "k")),)
    window = TimeWindow(6)
    query = Query("Q0", (Source("A", "A", window), Source("B", "B", window)), equal)
    streams = tuple(Stream(name, rate=1.0, attributes={"k": Attribute(3)}) for name in "AB")
    workload = Workload("one", streams, (query,), run=RunSettings(changes=(change,)))
    with pytest.raises(PlanError, match=told):
        planned_stages(family("sliced_chain"), workload, "mem-opt")


def test_a_change_after_the_last_tuple_is_told() -> None:
    early, last, late = (Change(at, remove="Q1") for at in (5, 39.999999, 40))
    check_times([early, last], 0, 40_000_000, own_data=False)
    check_times([late], 7, 40_000_007, own_data=True)
    told = r"run.changes\[1\].at: 40 s is beyond the end of the run, which covers 40 s"
    with pytest.raises(PlanError, match=told):
        check_times([early, late], 0, 40_000_000, own_data=False)
