"""Star joins for tests: random ones with their tuples, the worked example, plans without Spark."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import strategies as st

from planner.families.load_shedding.plans import built
from planner.families.load_shedding.star import star_of
from planner.files.tuple_table import FIRST, LAST, ColumnData, Table
from planner.plan.cost import UnitCosts
from planner.plan.plan import Plan
from planner.workload.execution import Execution, RunSettings, Shedding
from planner.workload.query import Column, Filter, Predicate, Query, Source, TimeWindow
from planner.workload.streams import Attribute, Relation, Stream
from planner.workload.workload import Workload
from runtime.data.feed import Feed, Span, Split
from runtime.engines.load_shedding.program import StarProgram
from runtime.engines.protocol import PlanInput, Tally
from runtime.engines.registry import engine
from tests.oracles.shedding import Item, Row
from tests.runtime.driving import stepped

SECOND = 1_000_000
_KEYS = "abc"
_CONDITION = 3


@dataclass(frozen=True, slots=True)
class Case:
    """A workload and its tuples, as tables and as the oracle reads them."""

    workload: Workload
    tables: dict[str, Table]
    arms: list[list[Item]]
    rows: list[Row]

    @property
    def lifetimes(self) -> list[int]:
        return [arm.lifetime for arm in star_of(self.workload).arms]

    @property
    def shares(self) -> list[int]:
        return [arm.share for arm in star_of(self.workload).arms]


@dataclass(frozen=True, slots=True)
class Driven:
    """What came of a plan: its results as rows of seqs, and its tally."""

    rows: list[tuple[int, ...]]
    tally: Tally
    plan: Plan
    span: Span

    @property
    def evictions(self) -> Any:
        return self.tally.shed["evictions"]


def star_workload(
    lifetimes: Sequence[float],
    memory: int,
    relation: bool = True,
    one_key: bool = False,
    filtered: bool = False,
    shedding: Shedding | None = None,
    buckets: int = 2,
) -> Workload:
    """Streams R, S, T with a key, an importance and a value each, which meet through F or directly.

    With one key all are joined with the same attribute of F. The second stream stands behind F.
    """
    names = "RST"[: len(lifetimes)]
    attributes = {"key": Attribute(5), "worth": Attribute(9), "v": Attribute(5)}
    streams = tuple(Stream(name, 1.0, attributes, importance="worth") for name in names)
    sources = [
        Source(name, name, TimeWindow(seconds))
        for name, seconds in zip(names, lifetimes, strict=True)
    ]
    keys = {name: "a" if one_key else _KEYS[place] for place, name in enumerate(names)}
    relations: tuple[Relation, ...] = ()
    if relation:
        sources.insert(1, Source("F", "F", None))
        predicates = [Predicate(Column(n, "key"), "=", Column("F", keys[n])) for n in names]
        relations = (Relation("F", 5, {key: Attribute(5) for key in (*_KEYS, "v")}),)
    else:
        first, *rest = names
        predicates = [Predicate(Column(first, "key"), "=", Column(n, "key")) for n in rest]
    filters = [Filter(Column("R", "v"), "<=", _CONDITION)] if filtered else []
    if filtered and relation:
        filters.append(Filter(Column("F", "v"), "<=", _CONDITION))
    return Workload(
        "star",
        streams,
        (Query("Q", tuple(sources), tuple(predicates), tuple(filters)),),
        relations,
        Execution(memory=memory, buckets=buckets, shedding=shedding or Shedding()),
        run=RunSettings(seed=5, warmup=3, duration=20),
    )


def _column(values: Sequence[int | None]) -> ColumnData:
    valid = np.array([value is not None for value in values], np.bool_)
    filled = np.array([0 if value is None else value for value in values], np.int64)
    return ColumnData(filled, None if valid.all() else valid)


def stream_table(tuples: Sequence[tuple[int, int | None, int, int]]) -> Table:
    """Tuples of a second, a key, an importance and a value each."""
    columns = zip(*tuples, strict=True) if tuples else ((), (), (), ())
    seconds, keys, worth, values = (list(column) for column in columns)
    found = {"key": _column(keys), "worth": _column(worth), "v": _column(values)}
    ts = np.array(seconds, np.int64) * SECOND
    return Table(np.arange(len(ts), dtype=np.int64), ts, found)


def relation_table(rows: Sequence[tuple[tuple[int | None, ...], int, int, int]]) -> Table:
    """Rows of keys, when they begin and end in seconds, and a value each."""
    columns = {key: _column([row[0][n] for row in rows]) for n, key in enumerate(_KEYS)}
    columns["v"] = _column([row[3] for row in rows])
    begin = np.array([row[1] * SECOND for row in rows], np.int64)
    end = np.array([row[2] * SECOND for row in rows], np.int64)
    nothing = np.empty(0, np.int64)
    return Table(np.arange(len(rows), dtype=np.int64), nothing, columns, begin, end)


@st.composite
def cases(draw: st.DrawFn, least_arms: int = 1) -> Case:
    """Random star joins: up to three streams, equal times, missing keys, rows that come and go."""
    count = draw(st.integers(least_arms, 3))
    with_relation = count == 1 or draw(st.booleans())
    one_key, filtered = draw(st.booleans()), draw(st.booleans())
    key = st.one_of(st.integers(0, 3), st.integers(0, 3), st.none())
    item = st.tuples(st.integers(0, 14), key, st.integers(1, 4), st.integers(1, 5))
    least = 0 if with_relation else 1
    streams = [
        sorted(draw(st.lists(item, min_size=least, max_size=9)), key=lambda one: one[0])
        for _ in range(count)
    ]
    span = st.integers(-2, 15)
    row = st.tuples(st.tuples(key, key, key), span, span, st.integers(1, 5))
    rows = draw(st.lists(row, min_size=1, max_size=8))
    rows = [(keys, min(one, two), max(one, two) + 1, v) for keys, one, two, v in rows]
    access = draw(st.sampled_from(["index", "scan", "hash", "search"]))
    if not one_key and count > 1 and access in ("hash", "search"):
        access = "scan"
    shedding = Shedding(
        beta=draw(st.sampled_from([None, 1.5])), prefilter=draw(st.booleans()), access=access
    )
    lifetimes = [draw(st.integers(1, 8)) for _ in range(count)]
    workload = star_workload(
        lifetimes, draw(st.integers(1, 9)), with_relation, one_key, filtered, shedding
    )
    names = "RST"[:count]
    tables = {name: stream_table(own) for name, own in zip(names, streams, strict=True)}
    if with_relation:
        tables["F"] = relation_table(rows)
    items = [
        [
            Item(arm, nth, ts * SECOND, key, worth * SECOND)
            for nth, (ts, key, worth, v) in enumerate(own)
            if arm > 0 or not filtered or v <= _CONDITION
        ]
        for arm, own in enumerate(streams)
    ]
    if not with_relation:
        known = range(4)
        return Case(workload, tables, items, [Row(k, (k,) * count, FIRST, LAST) for k in known])
    facts = [
        Row(nth, (keys[:1] * count) if one_key else keys[:count], begin * SECOND, end * SECOND)
        for nth, (keys, begin, end, v) in enumerate(rows)
        if not filtered or v <= _CONDITION
    ]
    return Case(workload, tables, items, facts)


def as_rows(case: Case, results: dict[tuple[tuple[int, ...], int], int]) -> list[tuple[int, ...]]:
    """Results as the runtime writes them: seqs in FROM order, and the time."""
    place, rows = star_of(case.workload).relation_place, []
    ts = [{item.nth: item.ts for item in arm} for arm in case.arms]
    for members, row in results:
        last = max(own[nth] for own, nth in zip(ts, members, strict=True))
        seqs = list(members)
        if place is not None:
            seqs.insert(place, row)
        rows.append((*seqs, last))
    return sorted(rows)


def _plan_of(workload: Workload, label: str) -> Plan:
    return built(workload.queries[0], star_of(workload), label).plan


def feed_of(workload: Workload, tables: Mapping[str, Table], label: str) -> Feed:
    """The feed of a plan."""
    plan = _plan_of(workload, label)
    return engine("load_shedding").feed(plan, workload)(workload, tables)


def instants_of(feed: Feed) -> list[int]:
    """Where a feed may be cut: where a time begins."""
    return (np.flatnonzero(np.diff(feed.tuples.ts)) + 1).tolist()


def program_of(
    workload: Workload,
    tables: Mapping[str, Table],
    label: str,
    split: Split | None = None,
    units: UnitCosts | None = None,
) -> StarProgram:
    """A plan as a program for these tuples."""
    plan, runs = _plan_of(workload, label), engine("load_shedding")
    feed, split = feed_of(workload, tables, label), split or runs.split(plan, workload, 1)
    end = int(feed.tuples.ts[-1]) + 1 if len(feed.tuples.ts) else 1
    given = PlanInput(plan, workload, feed.schema, Span(3 * SECOND, end), split, units=units)
    program = runs.compile(given)
    assert isinstance(program, StarProgram)
    return program


def driven(
    workload: Workload,
    tables: Mapping[str, Table],
    label: str,
    cuts: Sequence[int] = (),
    split: Split | None = None,
) -> Driven:
    """A plan through its feed, cut into batches at these places."""
    program = program_of(workload, tables, label, split)
    plan = _plan_of(workload, label)
    split = split or engine("load_shedding").split(plan, workload, 1)
    feed = feed_of(workload, tables, label)
    rows, totals = stepped(program, split, feed, cuts, keep_rows=True)
    return Driven(sorted(rows), program.tally(totals, plan), plan, program.span)


def worked_example() -> tuple[Workload, dict[str, Table]]:
    """Section 3.1 of the paper: six tuples of each stream that live for four seconds, two kept."""
    workload = star_workload([4, 4], memory=4)
    keys_and_worth = {
        "R": ([1, 0, 1, 0, 2, 5], [5, 1, 4, 8, 3, 2]),
        "S": ([1, 3, 3, 8, 3, 5], [1, 5, 2, 6, 4, 3]),
    }
    tables = {
        name: stream_table([(t, k, w, 1) for t, (k, w) in enumerate(zip(*own, strict=True))])
        for name, own in keys_and_worth.items()
    }
    pairs = [(0, 3), (1, 5), (0, 8), (4, 5), (1, 3), (5, 8)]
    ends, begins = {4: 5}, {5: 3}
    tables["F"] = relation_table(
        [((*pair, 0), begins.get(n, -1), ends.get(n, 100), 1) for n, pair in enumerate(pairs)]
    )
    return workload, tables
