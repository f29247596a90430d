"""The loop kernel gives the answer of the definition under every order, laziness and access."""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.files.tuple_table import FIRST, LAST
from planner.plan.plan import Operator, Plan
from planner.workload.execution import Every, Execution
from planner.workload.query import (
    Column,
    CountWindow,
    Filter,
    LandmarkWindow,
    Predicate,
    Query,
    Source,
    TimeWindow,
    Window,
)
from planner.workload.streams import Relation, Stream
from planner.workload.workload import Workload
from runtime.data.batch import Batch
from runtime.data.feed import Span, Split
from runtime.engines.join_feeds import loop_feed
from runtime.engines.join_order.loop_program import compile_loops
from runtime.engines.join_order.simulation import LoopSimulation
from runtime.engines.kernels.digest import digest_of
from runtime.engines.protocol import PlanInput, Tally
from runtime.engines.trace import members
from tests.examples import examples
from tests.oracles.joins import Data, results_of
from tests.runtime.driving import tables_of

Orders = dict[str, list[str]]


def loop_plan(query: Query, orders: Orders, access: dict[str, tuple[str, int | str]]) -> Plan:
    """The operators of these loop orders, by hand: what the planner builds in its own way."""
    arrive = {
        s.alias: Operator("arrive", (("source", s.alias), ("stream", s.name)))
        if s.window
        else Operator("table", (("source", s.alias), ("relation", s.name)))
        for s in query.sources
    }
    for condition in query.filters:
        alias = condition.column.alias
        params = (("source", alias), ("condition", str(condition)))
        arrive[alias] = Operator("filter", params, (arrive[alias],))
    window = {}
    for source in query.sources:
        alias = source.alias
        if source.window is None:
            window[alias] = arrive[alias]
            continue
        how, buckets = access[alias]
        params = (("source", alias), ("access", how), ("buckets", buckets))
        insert = Operator("insert", params, (arrive[alias],))
        window[alias] = Operator("expire", (("source", alias), ("when", "-")), (insert,))
    ends = []
    for origin, order in orders.items():
        content = [arrive[a] if a == origin else window[a] for a in order]
        previous = content[0]
        for step, alias in enumerate(order[1:], 1):
            how, buckets = ("scan", 1) if alias == origin else access[alias]
            previous = Operator(
                "probe",
                (
                    ("origin", origin),
                    ("step", step),
                    ("source", alias),
                    ("access", how),
                    ("buckets", buckets),
                ),
                (previous, content[step]),
            )
        ends.append(previous)
    output = Operator("output", (("query", query.name),), tuple(ends))
    return Plan("join_order", "by hand", (output,))


def drive(
    workload: Workload, data: Data, plan: Plan, partitions: int, cuts: Sequence[int], warmup: int
) -> tuple[list[tuple[int, ...]], Tally]:
    """Rows and tally of the plan over the data, cut into batches at these places."""
    feed = loop_feed(workload, tables_of(data, {"a": "int64", "b": "int64"}))
    tuples = feed.tuples
    end = int(tuples.ts[-1]) + 1 if len(tuples.ts) else 1
    split = Split(partitions, None)
    given = PlanInput(plan, workload, feed.schema, Span(warmup, end), split)
    program = compile_loops(given)
    states: list[bytes | None] = [None] * partitions
    totals = [b""] * partitions
    rows: list[tuple[int, ...]] = []
    inside = sorted({cut for cut in cuts if 0 < cut < len(tuples.ts)})
    for start, stop in pairwise([0, *inside, max(len(tuples.ts), 1)]):
        part = tuples.take(slice(start, stop))
        batch = Batch(part, end, stop >= len(tuples.ts)).pack()
        for partition in range(partitions):
            step = program.step(states[partition], batch, partition, most_rows=10**6)
            states[partition], totals[partition] = step.state, step.totals
            rows += map(tuple, step.rows.tolist())
    return sorted(rows), program.tally(totals, plan)


@st.composite
def cases(
    draw: st.DrawFn, chance: float = 0.0
) -> tuple[Workload, Data, Orders, dict[str, tuple[str, int | str]]]:
    """A random join graph over random tuples with many equal times, and random loop orders.

    Each source but one is by this chance a relation, whose rows begin and end at such times too.
    """
    count = draw(st.integers(2, 4))
    aliases = [f"S{n}" for n in range(count)]
    shuffle = random.Random(draw(st.integers(0, 10_000)))
    relations = [a for a in aliases[1:] if shuffle.random() < chance]
    shuffle.shuffle(aliases)
    windows: list[Window | None] = [
        None
        if alias in relations
        else CountWindow(shuffle.randint(1, 4))
        if shuffle.random() < 0.4
        else LandmarkWindow()
        if shuffle.random() < 0.15
        else TimeWindow(shuffle.randint(1, 6))
        for alias in aliases
    ]
    predicates = []
    for place in range(1, count):
        if shuffle.random() < 0.1:
            # A cross join.
            continue
        other = shuffle.randrange(place)
        left = Column(aliases[other], shuffle.choice("ab"))
        right = Column(aliases[place], shuffle.choice("ab"))
        comparison = shuffle.choice(["=", "=", "=", "<", "<=", ">", "<>"])
        offset = shuffle.choice([0, 0, 1, -2]) if comparison in "<=>=" and comparison != "=" else 0
        predicates.append(Predicate(left, comparison, right, offset))
    filters = []
    if shuffle.random() < 0.4:
        filters.append(Filter(Column(shuffle.choice(aliases), "b"), "<=", 2))
    lazy = shuffle.choice([0, 0, 1, 2, 5])
    evaluate = Every(lazy) if lazy else "eager"
    expire = shuffle.choice(["eager", Every(lazy * 3) if lazy else Every(2)])
    query = Query(
        "Q1",
        tuple(Source(a, a, w) for a, w in zip(aliases, windows, strict=True)),
        tuple(predicates),
        tuple(filters),
    )
    streams = tuple(Stream(a, 1.0) for a in aliases if a not in relations)
    execution = Execution(evaluate=evaluate, expire=expire)
    tables = tuple(Relation(a, 5) for a in relations)
    workload = Workload("random", streams, (query,), tables, execution)

    def values() -> dict[str, int | None]:
        return {k: None if shuffle.random() < 0.1 else shuffle.randint(0, 3) for k in "ab"}

    data: dict[str, list[tuple[object, dict[str, int | None]]]] = {}
    for alias in aliases:
        count = shuffle.randint(0, 9)
        if alias in relations:
            data[alias] = [(_validity(shuffle), values()) for _ in range(count)]
        else:
            times = sorted(shuffle.randint(0, 16) for _ in range(count))
            data[alias] = [(ts * 500_000, values()) for ts in times]
    orders = {}
    for alias in aliases:
        if alias in relations:
            continue
        order = aliases[:]
        shuffle.shuffle(order)
        orders[alias] = order
    access: dict[str, tuple[str, int | str]] = {
        a: shuffle.choice([("scan", 1), ("hash", 2), ("hash", "per-value")]) for a in aliases
    }
    return workload, data, orders, access


def _validity(shuffle: random.Random) -> tuple[int, int]:
    """From always or some time on, until some time (which may be the same) or for ever."""
    begin = shuffle.choice([FIRST, shuffle.randint(0, 16) * 500_000])
    end = shuffle.choice([LAST, (max(begin // 500_000, 0) + shuffle.randint(0, 9)) * 500_000])
    return begin, end


EVERY_CASE = st.one_of(cases(), cases(chance=0.5))


@examples(150)
@given(EVERY_CASE, st.integers(1, 3), st.lists(st.integers(0, 30), max_size=4))
def test_every_order_gives_the_answer_of_the_definition_once(case, partitions, cuts) -> None:
    workload, data, orders, access = case
    plan = loop_plan(workload.queries[0], orders, access)
    rows, tally = drive(workload, data, plan, partitions, cuts, warmup=1_000_000)
    assert rows == results_of(workload, data)
    assert tally.results == len(rows)
    width = len(workload.queries[0].sources)
    members = np.array([row[:-1] for row in rows], np.int64).reshape(len(rows), width)
    assert tally.digest == int(digest_of(members))
    alone, whole = drive(workload, data, plan, 1, [], warmup=1_000_000)
    assert alone == rows
    for operator_id, cost in whole.costs.items():
        assert tally.costs[operator_id].as_dict() == pytest.approx(cost.as_dict())


@examples(120)
@given(EVERY_CASE)
def test_counts_are_those_of_a_plain_simulation(case) -> None:
    workload, data, orders, access = case
    plan = loop_plan(workload.queries[0], orders, access)
    _, tally = drive(workload, data, plan, 1, [], warmup=1_000_000)
    feed = loop_feed(workload, tables_of(data, {"a": "int64", "b": "int64"}))
    end = int(feed.tuples.ts[-1]) + 1 if len(feed.tuples.ts) else 1
    simulation = LoopSimulation(workload, orders, access, feed.schema.codes, 1_000_000, end)
    values = {name: [values for _, values in items] for name, items in data.items()}
    for member in members(workload, feed.tuples, values):
        simulation.arrive(member)
    simulation.finish()
    assert sorted(simulation.results) == results_of(workload, data)
    seconds = (end - 1_000_000) / 1_000_000
    for operator in plan.operators() if seconds > 0 else ():
        cost, params = tally.costs[operator.id].as_dict(), dict(operator.params)
        expected: dict[str, float] = {}
        if operator.kind == "probe":
            at = str(params["origin"]), int(params["step"])
            expected = {"comparisons": simulation.examined[at], "rows_out": simulation.matched[at]}
        alias = str(params.get("source"))
        if operator.kind in ("insert", "table"):
            expected["inserts"] = simulation.inserts[alias]
        if operator.kind in ("expire", "table"):
            expected["expirations"] = simulation.expirations[alias]
        for name, count in expected.items():
            assert cost[name] * seconds == pytest.approx(count), (operator, name)
