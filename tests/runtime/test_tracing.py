"""Plans watched tuple by tuple: every step counts what the kernel counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.families.load_shedding.labels import LABELS, OFFLINE
from planner.families.registry import family
from planner.files.tuple_table import Table
from planner.files.workload_file import load_workload
from planner.plan.plan import Plan
from planner.statistics.generate import generate
from planner.workload.workload import Workload
from runtime.data.batch import unpack
from runtime.engines import registry as engines
from runtime.engines.sliced_chain.simulation import built
from runtime.tracing.player_data import MOST_EVENTS, player_data
from runtime.tracing.session import watch
from runtime.tracing.trace import PlanTrace, traced
from tests.examples import examples
from tests.oracles.joins import Data
from tests.planner.aggregations import AGGREGATION_SAMPLES
from tests.runtime import scheduling, shedding, slicing
from tests.runtime.driving import counted, tables_of
from tests.runtime.engines.test_aggregation import FAMILY as AGGREGATING
from tests.runtime.engines.test_aggregation import KINDS as AGGREGATED
from tests.runtime.engines.test_aggregation import cases as aggregations
from tests.runtime.engines.test_loops import cases as joins
from tests.runtime.engines.test_loops import loop_plan
from tests.test_new_family import WORKLOAD as THINNED
from tests.thinning import Thinning

_FEW = examples(25)
_KINDS = {"k": "int64", "v": "int64"}


def _watched(
    plan: Plan, workload: Workload, tables: Mapping[str, Table], start: int = 0
) -> PlanTrace:
    """Every step is checked as it is made; the last is as one whole batch has it."""
    trace = traced(plan, workload, tables, start)
    feed, span = trace.stepped.feed, trace.stepped.program.span
    whole = counted(plan, workload, feed, span)
    end = trace.steps[-1]
    assert (end.results, end.digest) == (whole.results, whole.digest)
    for name, cost in whole.costs.items():
        for part, count in end.counts[name].items():
            assert count == pytest.approx(getattr(cost, part) * span.seconds), (name, part)
    _check_going_back(trace)
    return trace


def _check_going_back(trace: PlanTrace) -> None:
    """Any step taken again from the state before it gives the same state, byte by byte."""
    moments = [moment for moment in trace.stepped.moments if not moment.fills]
    for number, (moment, step) in enumerate(zip(moments, trace.steps, strict=True)):
        again = trace.stepped.step(trace.states[number], moment)
        assert _without_clock(again.state) == _without_clock(trace.states[number + 1])
        assert again.counts == step.counts
        assert again.tally.digest == step.digest


def _without_clock(state: bytes | None) -> list[bytes]:
    """All that a program keeps but for the processor's nanoseconds, which no two steps share."""
    assert state is not None
    sums, *rest = unpack(state)
    return [np.delete(sums, 1).tobytes(), *(array.tobytes() for array in rest)]


def _has_tuples(data: Data, workload: Workload) -> bool:
    return any(data[stream.name] for stream in workload.streams)


@_FEW
@given(st.one_of(joins(), joins(chance=0.5)))
def test_joins(case: tuple[Workload, Data, dict, dict]) -> None:
    workload, data, orders, access = case
    if _has_tuples(data, workload):
        plan = loop_plan(workload.queries[0], orders, access)
        trace = _watched(plan, workload, tables_of(data, {"a": "int64", "b": "int64"}))
        emitted = [e for step in trace.steps for e in step.events if e.kind == "emit"]
        assert len(emitted) == trace.steps[-1].results


@_FEW
@given(st.data(), slicing.workloads(), slicing.tuples())
def test_chains(choose: st.DataObject, workload: Workload, data: Data) -> None:
    plan = built(workload, choose.draw(slicing.labels(workload))).plan
    read = {source.name for query in workload.queries for source in query.sources}
    times = [ts for name in read for ts, _ in data[name]]
    start = choose.draw(st.sampled_from([0, 4_000_000]))
    if max(times, default=-1) >= start:
        _watched(plan, workload, tables_of(data, _KINDS), start)


_AGGREGATIONS = (
    "sliding", "rows and range", "tumbling", "three on one attribute", "one group, theta, filter",
    "self-join",
)  # fmt: skip


@pytest.mark.parametrize("name", _AGGREGATIONS)
def test_aggregations(name: str) -> None:
    workload = AGGREGATION_SAMPLES[name]
    tables = generate(workload, 12, seed=3)
    for plan in family("early_aggregation").space(workload).candidates():
        trace = _watched(plan, workload, tables, start=6_000_000)
        end = trace.steps[-1]
        if name != "tumbling":
            assert len(end.contents["answer"]) == end.results


@_FEW
@given(aggregations())
def test_aggregations_at_random(case: tuple[Workload, Data]) -> None:
    workload, data = case
    if AGGREGATING.refuses(workload) is None and _has_tuples(data, workload):
        tables = tables_of(data, AGGREGATED)
        for plan in AGGREGATING.space(workload).candidates():
            _watched(plan, workload, tables)


@_FEW
@given(shedding.cases(least_arms=2), st.sampled_from(LABELS))
def test_star_joins(case: shedding.Case, policy: str) -> None:
    if policy in OFFLINE and len(case.arms) > 2:
        policy = "RAND-S"
    plan = family("load_shedding").space(case.workload).plan(policy)
    if len(shedding.feed_of(case.workload, case.tables, policy).tuples.ts):
        _watched(plan, case.workload, case.tables)


@_FEW
@given(st.data(), scheduling.workloads(), scheduling.tuples())
def test_schedules(choose: st.DataObject, workload: Workload, data: Data) -> None:
    plan = scheduling.plan_of(workload, choose.draw(scheduling.labels(workload)))
    if any(data.values()):
        trace = _watched(plan, workload, tables_of(data, _KINDS))
        emitted = [e for step in trace.steps for e in step.events if e.kind == "emit"]
        assert len(emitted) == trace.steps[-1].results


@_FEW
@given(shedding.cases(least_arms=2))
def test_star_joins_on_a_processor_that_is_short_are_counted_though_not_drawn(
    case: shedding.Case,
) -> None:
    execution = replace(case.workload.execution, utilisation=2.0)
    workload = replace(case.workload, execution=execution)
    plan = family("load_shedding").space(workload).plan("RAND-S")
    if len(shedding.feed_of(workload, case.tables, "RAND-S").tuples.ts):
        trace = _watched(plan, workload, case.tables)
        assert not trace.places
        aliases = {source.alias for source in workload.queries[0].sources}
        assert {chip.source for chip in trace.chips.values()} <= aliases


def test_a_made_up_family_without_a_watcher(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(engines.ENGINES, "thinning", engines.Modules("tests.thinning"))
    workload = load_workload(THINNED)
    plan = Thinning().space(workload).plan("HALF")
    trace = _watched(plan, workload, generate(workload, 3, seed=1))
    assert (trace.places, trace.lines) == ((), ())
    assert trace.ends_quietly
    assert trace.steps[-1].results == len(trace.without_end().steps) / 2
    engines.engine.cache_clear()


def test_a_step_that_does_thousands_of_things_shows_the_first_of_each_kind_and_place() -> None:
    workload = load_workload("""
version: 1
name: naive
streams:
  - {name: A, rate: 10, attributes: {k: {distinct: 40}}}
  - {name: B, rate: 10, attributes: {k: {distinct: 40}}}
  - {name: C, rate: 10, attributes: {k: {distinct: 40}}}
queries:
  - {name: Q, text: "SELECT * FROM A [RANGE 5], B [RANGE 5], C [RANGE 5]
       WHERE A.k = B.k AND B.k = C.k"}
""")
    watching = watch(workload, ("naive:A,B,C",), 12)
    (plan,) = player_data(watching)["plans"]
    more = 0
    for step, drawn in zip(watching.traces[0].steps, plan["steps"], strict=True):
        of = Counter((kind, place) for kind, _, _, place, *_ in drawn["events"])
        assert of.keys() == {(event.kind, event.place) for event in step.events}
        assert max(of.values(), default=0) <= MOST_EVENTS
        assert len(drawn["events"]) + drawn["more"] == len(step.events)
        more += drawn["more"]
    assert more
