"""Star joins for tests: the paper's worked example, and the setting of its experiments."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from planner.families.load_shedding.star import Star, star_of
from planner.files.tuple_table import FIRST, LAST, ColumnData, Table
from planner.workload.execution import Execution, Shedding
from planner.workload.query import Column, Filter, Predicate, Query, Source, TimeWindow
from planner.workload.streams import (
    Arrivals,
    Attribute,
    ImportanceOf,
    Relation,
    RelationChanges,
    Stream,
)
from planner.workload.workload import Workload

SECOND = 1_000_000


def star_workload(
    arms: int = 2,
    lifetime: float = 50,
    memory: int = 10,
    rows: int | None = 250,
    keys: int = 50,
    zipf: Sequence[float] = (1.0, 0.0),
    churn: float = 0.0,
    filters: tuple[Filter, ...] = (),
) -> Workload:
    """Streams R, S, T, ... of a tuple a second each, which meet through F; without rows, directly.

    The rarer a key, the more important; at most 10.
    """
    names = "RSTUVW"[:arms]
    importance = Attribute(type="float", importance_of=ImportanceOf("key", most=10))
    streams = [
        Stream(
            name,
            1.0,
            {"key": Attribute(keys, zipf=zipf[place % len(zipf)]), "importance": importance},
            Arrivals("regular", phase=0.0),
            importance="importance",
        )
        for place, name in enumerate(names)
    ]
    window = TimeWindow(lifetime)
    sources = [Source(name, name, window) for name in names]
    if rows is None:
        first, *rest = (Column(name, "key") for name in names)
        predicates = [Predicate(first, "=", other) for other in rest]
        relations: tuple[Relation, ...] = ()
    else:
        sources.append(Source("F", "F", None))
        predicates = [
            Predicate(Column(name, "key"), "=", Column("F", name.lower())) for name in names
        ]
        attributes = {name.lower(): Attribute(keys) for name in names}
        relations = (
            Relation("F", rows, attributes, RelationChanges(churn, churn), distinct_rows=True),
        )
    query = Query("Q", tuple(sources), tuple(predicates), filters)
    execution = Execution(memory=memory, shedding=Shedding())
    return Workload("star", tuple(streams), (query,), relations=relations, execution=execution)


def stream_table(
    times: Sequence[int], keys: Sequence[int | None], importance: Sequence[float]
) -> Table:
    """Tuples at whole seconds; a key may be missing."""
    valid = np.array([key is not None for key in keys], np.bool_)
    values = np.array([0 if key is None else key for key in keys], np.int64)
    columns = {
        "key": ColumnData(values, None if valid.all() else valid),
        "importance": ColumnData(np.array(importance, np.float64)),
    }
    ts = np.array(times, np.int64) * SECOND
    return Table(np.arange(len(ts), dtype=np.int64), ts, columns)


def relation_table(rows: Sequence[Sequence[int]], spans: Sequence[tuple[int, int]]) -> Table:
    """Rows with the key of each arm, and the seconds from which until which each is active."""
    keys = np.array(rows, np.int64).reshape(len(rows), -1)
    columns = {"rstuvw"[place]: ColumnData(keys[:, place]) for place in range(keys.shape[1])}
    begin, end = np.array(spans, np.int64).reshape(-1, 2).T * SECOND
    nothing = np.empty(0, np.int64)
    return Table(np.arange(len(rows), dtype=np.int64), nothing, columns, begin, end)


def worked_example() -> tuple[Star, dict[str, Table]]:
    """Section 3.1: six tuples of each stream that live for four seconds, two of each kept."""
    star = star_of(star_workload(lifetime=4, memory=4))
    relation = relation_table([(0, 3), (1, 5), (0, 8), (4, 5), (1, 3), (5, 8)], [(-1, 10**6)] * 6)
    begin = np.full(6, FIRST)
    end = np.full(6, LAST)
    end[4], begin[5] = 5 * SECOND, 3 * SECOND
    tables = {
        "R": stream_table(range(6), [1, 0, 1, 0, 2, 5], [5, 1, 4, 8, 3, 2]),
        "S": stream_table(range(6), [1, 3, 3, 8, 3, 5], [1, 5, 2, 6, 4, 3]),
        "F": Table(relation.seq, relation.ts, relation.columns, begin, end),
    }
    return star, tables
