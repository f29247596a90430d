"""Queries enter and leave while a scheduled join runs: nothing is lost or twice, nobody is wrong.

What arrived before a change is served as it was then, and later tuples wait for it.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.errors import PlanError
from planner.families.stages import PlannedStage
from planner.joins.shared.query_groups import groups_of
from planner.workload.changes import queries_of_run, stages_of
from planner.workload.execution import Change, RunSettings
from planner.workload.query import Column, CountWindow, Predicate, Query, Source, TimeWindow
from planner.workload.streams import Attribute, Stream
from planner.workload.workload import Workload
from runtime.engines.kernels.digest import digest_of
from runtime.engines.registry import program_from_json
from tests.examples import examples
from tests.oracles.changing_queries import results_while_there
from tests.oracles.joins import Data
from tests.runtime.schedule_checks import Comparison, outers_of
from tests.runtime.schedule_counts import Counts
from tests.runtime.scheduling import (
    Scheduled,
    feed_of,
    labels,
    plan_of,
    query_of,
    scheduled,
    tuples,
    workloads,
)

FEW = examples(20)


@st.composite
def changing(draw: st.DrawFn) -> Workload:
    """A workload whose queries enter and leave at random times."""
    workload = draw(workloads(most=3))
    first = workload.queries[0]
    in_rows = isinstance(first.sources[0].window, CountWindow)
    theta = not first.predicates[0].is_equality
    names = [query.name for query in workload.queries]
    known = {q.name: _sources(q) for q in workload.queries}
    changes, at = [], 0.0
    for number in range(draw(st.integers(1, 4))):
        at += draw(st.sampled_from([0.0, 0.5, 1, 2.25]))
        gone = None
        if len(names) > 1 and draw(st.booleans()):
            gone = draw(st.sampled_from(names))
            names.remove(gone)
            changes.append(Change(at, remove=gone))
        if gone is None or draw(st.booleans()):
            new = draw(query_of(gone or f"N{number}", in_rows, theta))
            if known.setdefault(new.name, _sources(new)) != _sources(new):
                new = replace(new, name=f"{gone} otherwise {number}")
                known[new.name] = _sources(new)
            changes.append(Change(at, add=new))
            names.append(new.name)
    return replace(workload, run=replace(workload.run, changes=tuple(changes)))


def _sources(query: Query) -> list[tuple[str, str]]:
    return [(source.alias, source.name) for source in query.sources]


def _run(workload: Workload, data: Data, stages: list[PlannedStage], cuts: set[int]) -> Scheduled:
    feed = feed_of(workload, data)
    times = [stage.at for stage in stages if stage.at is not None]
    at = {int(n) for n in np.searchsorted(feed.tuples.ts, times)}
    return scheduled(workload, feed, stages[0].plan.label, sorted(cuts | at), stages=stages)


@FEW
@given(st.data(), changing(), tuples(), st.sets(st.integers(1, 50)))
def test_every_query_is_served_while_it_is_there(
    choose: st.DataObject, workload: Workload, data: Data, cuts: set[int]
) -> None:
    stages = [
        PlannedStage(
            stage.at,
            stage.workload,
            plan_of(stage.workload, choose.draw(labels(stage.workload))),
            stage.entered,
        )
        for stage in stages_of(workload)
    ]
    found, whole = _run(workload, data, stages, cuts), _run(workload, data, stages, set())
    assert program_from_json(found.program.to_json()) == found.program
    assert found.rows == whole.rows
    assert found.tally.schedules == whole.tally.schedules
    assert found.tally.costs == whole.tally.costs
    expected = Comparison(stages, data, found).check()
    counts = Counts(stages, data, outers_of(stages, data)).costs()
    for name, cost in found.tally.costs.items():
        if not name.startswith("schedule"):
            assert cost.as_dict() == pytest.approx(counts[name].as_dict()), name
    by_definition = results_while_there(workload, data)
    streams = groups_of(stages[0].workload)[0].streams
    for name, rows in found.rows.items():
        assert sorted(rows) == by_definition.get(name, [])
        seqs = np.array(sorted(rows), np.int64).reshape(-1, 3)[:, :2]
        assert found.tally.by_query[name] == (len(rows), int(digest_of(seqs)))
        query = next(q for q in queries_of_run(workload) if q.name == name)
        turned = query.sources[0].name != streams[0]
        assert [row[:2] for row in rows] == [s[::-1] if turned else s for s in expected[name]]


@FEW
@given(st.data(), workloads(), tuples(), st.integers(1, 12))
def test_a_plan_that_is_changed_by_hand_has_done_what_it_did(
    choose: st.DataObject, workload: Workload, data: Data, at: int
) -> None:
    """The plan is a policy that is served anyway, until it becomes another in the middle."""
    first, second = (plan_of(workload, label) for label in ("MQT", choose.draw(labels(workload))))
    stages = [
        PlannedStage(None, workload, first, {}),
        PlannedStage(at * 10**6, workload, second, {}),
    ]
    planned = _run(workload, data, stages, set())
    assert planned.program.alias == (-1 if second.label != "MQT" else planned.program.names["MQT"])
    feed = feed_of(workload, data)
    cut = int(np.searchsorted(feed.tuples.ts, at * 10**6))
    by_hand = scheduled(workload, feed, "MQT", [cut], changed=(cut, stages))
    assert by_hand.tally.schedules == planned.tally.schedules
    assert by_hand.tally.qualities == planned.tally.qualities
    assert by_hand.rows == planned.rows


def test_a_query_that_joins_otherwise_cannot_enter() -> None:
    streams = tuple(
        Stream(name, rate=1.0, attributes={"k": Attribute(3), "v": Attribute(3)}) for name in "AB"
    )
    sources = (Source("A", "A", TimeWindow(2)), Source("B", "B", TimeWindow(2)))
    one, other = (
        Query(f"Q{key}", sources, (Predicate(Column("A", key), "=", Column("B", key)),))
        for key in "kv"
    )
    changes = (Change(2, add=other), Change(2, remove="Qk"))
    workload = Workload("two", streams, (one,), run=RunSettings(changes=changes))
    stages = [
        PlannedStage(s.at, s.workload, plan_of(s.workload, "MQT"), s.entered)
        for s in stages_of(workload)
    ]
    data: Data = {name: [(0, {"k": 1, "v": 1})] for name in "AB"}
    with pytest.raises(PlanError, match="must join as the others do"):
        _run(workload, data, stages, set())
