"""A join's answer by DuckDB, an engine that shares nothing with the kernels."""

from __future__ import annotations

from collections.abc import Mapping

import duckdb
import pyarrow as pa

from planner.checks import microseconds
from planner.query import Query
from planner.tables import Table
from tests.runtime.driving import windows_of


def _sql(query: Query) -> str:
    """The definition over pairs: no member may have left its window when another arrives.

    Who of two tuples with equal ts arrives first does not matter here: both are 0 apart.
    """
    windows = [microseconds(seconds) for seconds in windows_of(query)]
    aliases = [source.alias for source in query.sources]
    conditions = [f"{aliases[0]}.attr = {alias}.attr" for alias in aliases[1:]]
    conditions += [
        f"{later}.ts - {earlier}.ts < {window}"
        for earlier, window in zip(aliases, windows, strict=True)
        for later in aliases
        if later != earlier
    ]
    columns = ", ".join(f"{alias}.seq" for alias in aliases)
    last = ", ".join(f"{alias}.ts" for alias in aliases)
    sources = ", ".join(f"{source.name} AS {source.alias}" for source in query.sources)
    return f"SELECT {columns}, greatest({last}) FROM {sources} WHERE {' AND '.join(conditions)}"


def duckdb_rows(query: Query, tables: Mapping[str, Table]) -> list[tuple[int, ...]]:
    """Every result as the seq of each member in FROM order and the time of the last."""
    with duckdb.connect() as connection:
        for name, table in tables.items():
            column = table.columns["attr"]
            missing = None if column.valid is None else ~column.valid
            keys = pa.array(column.values, mask=missing)
            connection.register(name, pa.table({"seq": table.seq, "ts": table.ts, "attr": keys}))
        return sorted(connection.execute(_sql(query)).fetchall())
