"""What is described for Spark's own operators gives the kernels' answers, whoever runs it."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice

import numpy as np
import pytest

from planner.families.join_order import JoinOrder
from planner.families.registry import family
from planner.files.query.text import parse_query
from planner.files.tuple_table import Table
from planner.statistics.generate import generate
from planner.workload.execution import Every, Execution, RunSettings
from planner.workload.query import Column, Filter, Predicate, Query, Source, TimeWindow
from planner.workload.streams import Attribute, Relation, RelationChanges, Stream, catalogue
from planner.workload.workload import Workload
from runtime.backends.native.kinds import describe, refusal
from runtime.data.feed import Span
from runtime.runs.records import Way
from tests.oracles.in_duckdb.native import answers_of
from tests.planner.aggregations import AGGREGATION_SAMPLES
from tests.planner.chains import CHAIN_SAMPLES, joined, joins
from tests.planner.join_graphs import growing_join
from tests.planner.workloads import SAMPLES
from tests.runtime.driving import counted, feed_of

MOST_PLANS = 6
GRAPH = (
    "SELECT * FROM A [RANGE 8] a, B [RANGE 5] b, C [RANGE 3] c, R r WHERE a.k = b.k AND b.v = r.v "
    "AND a.v - c.v <= 2 AND c.v - a.v <= 2.5 AND r.w > 2 AND c.v <> 4 AND a.t = 'x'"
)


def graph(execution: Execution | None = None, missing: float = 0.1) -> Workload:
    """Equalities on two attributes, a band, filters on numbers and text, a changing relation."""
    text = Attribute(values=("x", "y"))
    known = [
        Stream("A", 4, {"k": Attribute(5), "v": Attribute(9), "t": text}),
        Stream("B", 5, {"k": Attribute(5, missing=missing), "v": Attribute(6)}),
        Stream("C", 3, {"v": Attribute(9)}),
        Relation("R", 12, {"v": Attribute(6), "w": Attribute(4)}, RelationChanges(1, 1)),
    ]
    query = parse_query(GRAPH, "Q1", relations=["R"], catalogue=catalogue(known))
    streams, relation = tuple(known[:3]), known[3]
    assert isinstance(relation, Relation)
    return Workload("a graph", streams, (query,), (relation,), execution or Execution())  # type: ignore[arg-type]


STREAM, ATTRIBUTE = "S{1}'`", 'a b.`"""];x'
# No tuple has it.
ABSENT = "not there')"
TEXT = 'it\'s \\ "x" %s {y} ${env:HOME} $\\{z}\\n?:a -- /* '


def odd() -> Workload:
    """Names and values that would end a literal, a comment or a path of a careless program."""
    values = Attribute(values=(TEXT, "z"))
    streams = (
        Stream(STREAM, 6, {ATTRIBUTE: Attribute(9), "t": values}),
        Stream("S2", 5, {"k": Attribute(9), "v": Attribute(7, type="float")}),
    )
    query = Query(
        'Q"""1/..',
        (Source("a'\\b", STREAM, TimeWindow(3)), Source("b", "S2", TimeWindow(2.000001))),
        (Predicate(Column("a'\\b", ATTRIBUTE), "=", Column("b", "k")),),
        (
            Filter(Column("a'\\b", "t"), "=", (TEXT, ABSENT)),
            Filter(Column("b", "v"), ">", 2.5),
        ),
    )
    return Workload('odd \'""" names', streams, (query,), run=RunSettings(1, 5, 20))


def coarse(tables: dict[str, Table]) -> dict[str, Table]:
    """Times rounded to half seconds: many are equal, and many windows end exactly there."""
    return {
        name: replace(table, ts=np.round(table.ts / 500_000).astype(np.int64) * 500_000)
        if len(table.ts)
        else table
        for name, table in tables.items()
    }


JOINS = {
    "graph": graph(),
    "odd names": odd(),
    "lazy": graph(Execution(evaluate=Every(4), expire=Every(4))),
    **{name: SAMPLES[name] for name in ("table 5", "two streams", "self-join")},
}
CASES = [
    *(pytest.param("join_order", workload, 30.0, id=name) for name, workload in JOINS.items()),
    *(
        pytest.param("sliced_chain", workload, 12.0, id=name)
        for name, workload in CHAIN_SAMPLES.items()
        if "count" not in name and name != "three groups"
    ),
]


@pytest.mark.parametrize(("name", "workload", "seconds"), CASES)
def test_every_plan_that_is_described_gives_the_answer_of_the_kernels(
    name: str, workload: Workload, seconds: float
) -> None:
    known = family(name)
    tables = coarse(generate(workload, seconds, seed=5))
    for plan in islice(known.space(workload).candidates(), MOST_PLANS):
        assert refusal(plan, workload, "stream") is None
        tally = counted(plan, workload, feed_of(plan, workload)(workload, tables), Span(0, 1))
        expected = tally.by_query or {workload.queries[0].name: (tally.results, tally.digest)}
        assert answers_of(describe(plan, workload), tables) == expected, plan.label
        assert any(results for results, _ in expected.values())


def test_the_order_of_a_plan_is_the_order_of_the_joins() -> None:
    workload = SAMPLES["table 5"]
    described = describe(JoinOrder().space(workload).plan("S3,S1,S4,S2"), workload)
    assert [i.name for i in described.joins[0].inputs] == ["S3", "S1", "S4", "S2"]
    names = [step.name for step in described.joins[0].steps]
    assert names == ["S3 with S1", "S3, S1 with S4", "S3, S1, S4 with S2"]
    assert described.notes == ()


def test_an_order_for_each_origin_is_noted_as_the_one_that_is_used() -> None:
    workload = SAMPLES["two streams"]
    plan = JoinOrder().space(workload).plan("general:S1=S1,S2;S2=S1,S2")
    assert describe(plan, workload).notes == (
        "Spark joins in one order, whichever tuple arrives: S1,S2, that of S1",
    )


def test_windows_of_rows_are_refused_with_the_reason() -> None:
    workload = CHAIN_SAMPLES["count windows"]
    plan = family("sliced_chain").space(workload).plan("pull-up")
    said = refusal(plan, workload, "replay")
    assert said is not None
    assert "A of Q1 has the window [ROWS 20]" in said
    assert "window of time" in said


def test_landmark_windows_are_refused_with_the_reason() -> None:
    workload = growing_join()
    said = refusal(family("join_order").space(workload).best(), workload, "stream") or ""
    assert "A of Q1 has the window [LANDMARK]" in said
    assert "an age at which a tuple leaves" in said


def test_many_joins_are_not_streamed() -> None:
    workload = joins([joined(n) for n in range(1, 42)])
    plan = family("sliced_chain").space(workload).plan("unshared")
    assert "it has 41 joins" in (refusal(plan, workload, "stream") or "")
    assert refusal(plan, workload, "replay") is None


@pytest.mark.parametrize(
    ("name", "way", "told"),
    [
        ("sliding", "replay", "all windows must be tumbling"),
        ("landmark", "replay", "all windows must be tumbling"),
        ("tumbling", "stream", "use replay"),
    ],
)
def test_aggregations_that_spark_cannot_express(name: str, way: Way, told: str) -> None:
    workload = AGGREGATION_SAMPLES[name]
    plan = family("early_aggregation").space(workload).plan("LAP")
    assert told in (refusal(plan, workload, way) or "")
