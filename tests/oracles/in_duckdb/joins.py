"""A join's answer by DuckDB, an engine that shares nothing with the kernels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import duckdb
import numpy as np
import pyarrow as pa

from planner.files.tuple_table import Table
from planner.workload.query import Column, CountWindow, Query, Source, TimeWindow
from planner.workload.validation import exact, microseconds


def _sql(query: Query) -> str:
    """The definition over pairs: no member may have left its window when another arrives."""
    conditions = [
        f"{_column(p.left)} {p.comparison} {_column(p.right)} + {exact(p.offset)}"
        for p in query.predicates
    ]
    conditions += [f"{_column(f.column)} {f.sign} {f.constant!r}" for f in query.filters]
    conditions += [
        _within(earlier, later)
        for earlier in query.sources
        for later in query.sources
        if later != earlier
    ]
    aliases = [source.alias for source in query.sources]
    columns = ", ".join(f'"{alias}".seq' for alias in aliases)
    last = ", ".join(f'"{alias}".ts' for alias in aliases)
    sources = ", ".join(f'"{source.name}" AS "{source.alias}"' for source in query.sources)
    return f"SELECT {columns}, greatest({last}) FROM {sources} WHERE {' AND '.join(conditions)}"


def _column(column: Column) -> str:
    return f'"{column.alias}"."{column.attribute}"'


def _within(earlier: Source, later: Source) -> str:
    """Who of two tuples with equal ts arrives first does not matter to a window of time."""
    one, other, window = f'"{earlier.alias}"', f'"{later.alias}"', earlier.window
    if isinstance(window, TimeWindow):
        return f"{other}.ts - {one}.ts < {microseconds(window.seconds)}"
    assert isinstance(window, CountWindow)
    since = f'{other}."arrived before of {earlier.name}" - {one}.place'
    return f"({other}.arrival < {one}.arrival OR {since} <= {window.rows})"


def _columns(tables: Mapping[str, Table], order: Sequence[str]) -> Iterator[tuple[str, pa.Table]]:
    """Every table with its place in the arrival order, and what came of each stream before."""
    ts = np.concatenate([tables[name].ts for name in order])
    # The sort is stable: equal times stay in the order of the streams, and of their rows.
    arrival = np.empty(len(ts), np.int64)
    arrival[np.argsort(ts, kind="stable")] = np.arange(len(ts))
    ends = np.cumsum([len(tables[name]) for name in order])
    arrivals = dict(zip(order, np.split(arrival, ends[:-1]), strict=True))
    for name, table in tables.items():
        found = {"seq": table.seq, "ts": table.ts, "place": np.arange(len(table))}
        if name in arrivals:
            found["arrival"] = arrivals[name]
            for other, theirs in arrivals.items():
                found[f"arrived before of {other}"] = np.searchsorted(theirs, arrivals[name])
        for attribute, column in table.columns.items():
            missing = None if column.valid is None else ~column.valid
            found[attribute] = pa.array(column.values, mask=missing)
        yield name, pa.table(found)


def duckdb_rows(
    query: Query, tables: Mapping[str, Table], order: Sequence[str] = ()
) -> list[tuple[int, ...]]:
    """Every result as the seq of each member in FROM order and the time of the last.

    Count windows need the `order` of the streams in the workload, in which equal times arrive.
    """
    with duckdb.connect() as connection:
        for name, table in _columns(tables, [name for name in order or tables if name in tables]):
            connection.register(name, table)
        return sorted(connection.execute(_sql(query)).fetchall())
