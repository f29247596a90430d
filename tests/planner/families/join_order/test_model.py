"""The model: bucket shares against counting, windows' upkeep, formulas, and what is refused."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.errors import PlanError
from planner.families.join_order import JoinOrder
from planner.families.join_order.pricing import PRINTED_BUCKETS
from planner.joins.keys import bucket_fraction
from planner.workload.execution import Every, Execution
from planner.workload.query import (
    Aggregate,
    Column,
    LandmarkWindow,
    Predicate,
    TimeWindow,
    TumblingWindow,
    Window,
)
from planner.workload.streams import Attribute, Stream
from planner.workload.workload import Workload
from tests.planner.workloads import HYBRID, PER_VALUE, TABLE_5, chain_query, equality_join

FAMILY = JoinOrder()


@given(st.integers(1, 60), st.integers(1, 60), st.integers(1, 80))
def test_a_bucket_share_is_what_counting_gives(keys: int, values: int, buckets: int) -> None:
    met = sum(1 for k in range(1, keys + 1) for v in range(1, values + 1) if (k - v) % buckets == 0)
    assert bucket_fraction(keys, values, buckets) == pytest.approx(met / (keys * values))


def test_windows_are_kept_at_the_printed_rates() -> None:
    workload = equality_join(TABLE_5, HYBRID)
    plan = FAMILY.space(workload).best()
    costs = FAMILY.space(workload).estimate(plan).costs
    found = {
        (op.kind, op.param("source")): costs[op.id]
        for op in plan.operators()
        if op.kind in ("arrive", "insert", "expire")
    }
    assert found["arrive", "S1"].rows_out == 10
    assert (found["insert", "S3"].inserts, found["insert", "S3"].state_tuples) == (1, 200)
    assert found["expire", "S1"].expirations == 15 + 10 + 10, "hashed: its bucket is visited too"
    assert found["expire", "S2"].expirations == 15 + 1


def test_operators_follow_the_contract() -> None:
    workload = equality_join(TABLE_5[:3], PER_VALUE)
    plan = FAMILY.space(workload).plan("S3,S1,S2")
    (output,) = plan.roots
    assert (output.kind, output.params) == ("output", (("query", "Q1"),))
    assert [end.param("origin") for end in output.inputs] == ["S1", "S2", "S3"]
    last = output.inputs[1]
    assert dict(last.params) == {
        "origin": "S2",
        "step": 2,
        "source": "S1",
        "access": "hash",
        "buckets": "per-value",
    }
    first, kept = last.inputs
    assert (first.param("source"), first.param("step")) == ("S3", 1)
    assert kept.kind == "expire"
    assert dict(kept.inputs[0].params) == {
        "source": "S1",
        "window": "RANGE 100",
        "access": "hash",
        "buckets": "per-value",
    }
    assert first.inputs[0].params == (("source", "S2"), ("stream", "S2"))


def test_the_printed_bucket_cost_stands_beside_where_it_differs() -> None:
    def models(buckets: int) -> set[str]:
        workload = equality_join(TABLE_5, Execution(join="hash", buckets=buckets))
        formulas = FAMILY.space(workload).estimate(FAMILY.space(workload).best()).formulas
        return {formula.model for found in formulas.values() for formula in found}

    assert PRINTED_BUCKETS not in models(5), "5 divides every number of values"
    assert PRINTED_BUCKETS in models(1000), "more buckets than values"


def test_more_buckets_than_values_cost_what_an_index_per_value_costs() -> None:
    many = FAMILY.space(equality_join(TABLE_5, Execution(join="hash", buckets=10_000))).rank()
    index = FAMILY.space(equality_join(TABLE_5, PER_VALUE)).rank()
    assert [(c.label, pytest.approx(c.score)) for c in many.candidates] == [
        (c.label, c.score) for c in index.candidates
    ]


def _with_query(**changes: object) -> Workload:
    workload = equality_join(TABLE_5)
    return replace(workload, queries=(replace(workload.queries[0], **changes),))


def _with_window(window: Window | None) -> Workload:
    first, *others = equality_join(TABLE_5).queries[0].sources
    return _with_query(sources=(replace(first, window=window), *others))


def _with_predicates(*predicates: tuple[str, str, str, str]) -> Workload:
    made = tuple(
        Predicate(Column(a, left), "=", Column(b, right)) for a, left, b, right in predicates
    )
    return _with_query(predicates=made)


def _streams(**changes: object) -> Workload:
    workload = equality_join(TABLE_5)
    first, *others = workload.streams
    return replace(workload, streams=(replace(first, **changes), *others))


def _timed(evaluate: float, expire: float) -> Workload:
    return equality_join(TABLE_5, Execution(evaluate=Every(evaluate), expire=Every(expire)))


def _two_queries() -> Workload:
    workload = equality_join(TABLE_5)
    query = workload.queries[0]
    return replace(workload, queries=(query, replace(query, name="Q2")))


def _one_source() -> Workload:
    workload = equality_join(TABLE_5)
    return replace(workload, queries=(chain_query("Q", {"S1": ("S1", TimeWindow(5))}),))


def _huge() -> Workload:
    return equality_join([(1e9, 1e9, 10)] * 20)


COLUMN = Column("S1", "attr")


@pytest.mark.parametrize(
    ("workload", "said"),
    [
        (_two_queries(), "--query: Q1, Q2"),
        (_one_source(), "one source"),
        (_with_query(aggregates=(Aggregate("count"),)), "aggregates"),
        (_with_query(group_by=(COLUMN,)), "aggregates"),
        (_timed(evaluate=2, expire=5), "make execution.expire a multiple"),
        (_with_window(None), "relation"),
        (_with_window(TumblingWindow(5)), "[TUMBLING 5]"),
        (
            replace(_with_window(LandmarkWindow()), execution=Execution(evaluate=Every(5))),
            "set execution.evaluate and execution.expire to eager",
        ),
        (_with_query(predicates=()), "no predicate links S2, S3, S4 with"),
        (_with_predicates(("S1", "attr", "S2", "attr")), "no predicate links S3, S4 with"),
        (
            _with_predicates(("S1", "attr", "S2", "attr"), ("S3", "x", "S4", "x")),
            "no predicate links S3, S4 with",
        ),
        (_with_predicates(("S1", "attr", "S1", "x")), "two attributes of one source"),
        (
            _with_predicates(
                ("S1", "attr", "S2", "attr"),
                ("S1", "x", "S2", "attr"),
                ("S2", "attr", "S3", "attr"),
                ("S3", "attr", "S4", "attr"),
            ),
            "two attributes of one source",
        ),
        (_streams(rate=None), "has no rate"),
        (_streams(attributes={}), "no attribute 'attr'"),
        (_streams(attributes={"attr": Attribute(type="string")}), "no distinct count"),
        (equality_join(TABLE_5[:2], names=["a,b", "c"]), "cannot stand in a label"),
        (_huge(), "too large to price"),
    ],
)
def test_what_is_not_covered_is_said_in_one_sentence(workload: Workload, said: str) -> None:
    reason = FAMILY.refuses(workload)
    assert reason is not None
    assert said in reason
    with pytest.raises(PlanError, match="join_order: "):
        FAMILY.space(workload).best()


def test_values_that_are_listed_are_counted() -> None:
    streams = (
        Stream("S1", 1, {"attr": Attribute(values=("VT", "NY"))}),
        Stream("S2", 1, {"attr": Attribute(values=("NY", "VT"))}),
    )
    workload = replace(equality_join(TABLE_5[:2]), streams=streams)
    assert FAMILY.space(workload).scores(["S1,S2"]) == (200.0,)


@pytest.mark.parametrize("label", ["", "S1", "S1,S2,S3,S3", "S1,S2,S3,S9", "naive:", "S1,,S2" * 99])
def test_an_unknown_label_is_told_what_labels_look_like(label: str) -> None:
    with pytest.raises(PlanError, match="such as S1,S2,S3,S4"):
        FAMILY.space(equality_join(TABLE_5)).plan(label)
