"""An aggregation's answer by DuckDB, an engine that shares nothing with the kernels."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import duckdb
import pyarrow as pa

from planner.files.tuple_table import Table
from planner.workload.query import Aggregate, CountWindow, Query, Source, TimeWindow, TumblingWindow
from planner.workload.validation import microseconds

Rows = list[tuple[Any, ...]]


def duckdb_answer(query: Query, tables: Mapping[str, Table]) -> Rows:
    """The rows of the answer just after the last tuple, group columns before aggregates, sorted."""
    last = max(int(tables[s.name].ts[-1]) for s in query.sources if s.window is not None)
    with duckdb.connect() as connection:
        for name, table in tables.items():
            columns = {
                attribute: pa.array(data.values, mask=None if data.valid is None else ~data.valid)
                for attribute, data in table.columns.items()
            }
            times = {"ts": table.ts} if len(table.ts) else {}
            connection.register(name, pa.table({"seq": table.seq, **times, **columns}))
        return connection.execute(_sql(query, last)).fetchall()


def _sql(query: Query, last: int) -> str:
    lengths = {s.window for s in query.sources if s.window is not None}
    window = next(iter(lengths))
    together = len(lengths) == 1 and isinstance(window, TumblingWindow)
    groups = [f'{c.alias}."{c.attribute}"' for c in query.group_by]
    conditions = [f"{p.left} {p.comparison} {p.right} + {p.offset}" for p in query.predicates]
    conditions = [c.removesuffix(" + 0.0") for c in conditions]
    conditions += [str(condition) for condition in query.filters]
    if together:
        length = microseconds(window.seconds)  # type: ignore[union-attr]
        streams = [s.alias for s in query.sources if s.window is not None]
        conditions += [f"{a}.ts // {length} = {streams[0]}.ts // {length}" for a in streams[1:]]
        groups = [f"{streams[0]}.ts // {length} * {length} / 1e6", *groups]
    sources = ", ".join(f"{_held(s, last, together)} AS {s.alias}" for s in query.sources)
    selected = ", ".join([*groups, *(_aggregate(a) for a in query.aggregates)])
    where = f" WHERE {' AND '.join(conditions)}" if conditions else ""
    # An empty group is absent, also where there is but one.
    by = f" GROUP BY {', '.join(groups)}" if groups else ""
    order = f" ORDER BY {', '.join(map(str, range(1, len(groups) + 1)))}" if groups else ""
    return f"SELECT {selected} FROM {sources}{where}{by} HAVING count(*) > 0{order}"


def _held(source: Source, last: int, together: bool) -> str:
    """What the window of a source holds after the last tuple."""
    window = source.window
    if isinstance(window, TimeWindow):
        held = f"ts > {last - microseconds(window.seconds)}"
    elif isinstance(window, CountWindow):
        held = f"seq > (SELECT max(seq) FROM {source.name}) - {window.rows}"
    elif isinstance(window, TumblingWindow) and not together:
        length = microseconds(window.seconds)
        held = f"ts // {length} = {last // length}"
    else:
        held = "true"
    return f"(SELECT * FROM {source.name} WHERE {held})"


def _aggregate(aggregate: Aggregate) -> str:
    inside = "*" if aggregate.column is None else str(aggregate.column)
    distinct = "DISTINCT " if aggregate.distinct else ""
    return f"{aggregate.function}({distinct}{inside})"
