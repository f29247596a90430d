"""The description of a plan on Spark's own operators, read as SQL: what it says, without Spark."""

from __future__ import annotations

from collections.abc import Mapping

import duckdb
import numpy as np
import pyarrow as pa
from sqlglot import exp

from planner.files.tuple_table import FIRST, LAST, Table
from runtime.backends.native.description import Input, NativePlan
from runtime.engines.kernels.digest import digest_of


def answers_of(native: NativePlan, tables: Mapping[str, Table]) -> dict[str, tuple[int, int]]:
    """The number of results and the digest of every query."""
    rows: dict[int, list[tuple[int, ...]]] = {n: [] for n in range(len(native.queries))}
    with duckdb.connect() as connection:
        for name, table in tables.items():
            connection.register(_named(name), _table(table))
        for number, join in enumerate(native.joins):
            for given in join.inputs:
                query = _columns(given).sql(dialect="duckdb")
                connection.execute(f"CREATE OR REPLACE TEMP TABLE {given.view} AS {query}")
            query = join.select().sql(dialect="duckdb")
            connection.execute(f"CREATE TEMP TABLE join_{number} AS {query}")
        for taking in native.takings:
            found = connection.execute(native.select(taking).sql(dialect="duckdb")).fetchall()
            rows[taking.query] += [row[:-1] for row in found]
    return {
        name: (len(rows[n]), int(digest_of(np.array(rows[n], np.int64).reshape(len(rows[n]), -1))))
        for n, name in enumerate(native.queries)
    }


def _named(table: str) -> str:
    """A table's name that is none of our views'."""
    return f"table {table}"


def _table(table: Table) -> pa.Table:
    columns = {
        name: pa.array(data.values, mask=None if data.valid is None else ~data.valid)
        for name, data in table.columns.items()
    }
    if len(table.ts):
        return pa.table({"seq": table.seq, "ts": table.ts, **columns})
    forever = np.full(len(table), FIRST), np.full(len(table), LAST)
    begin = forever[0] if table.begin is None else table.begin
    end = forever[1] if table.end is None else table.end
    return pa.table({"seq": table.seq, "begin": begin, "end": end, **columns})


def _columns(given: Input) -> exp.Select:
    """The columns of an input, from a table with its user's names."""
    times = ["ts"] if given.is_stream else ["begin", "end"]
    names = {name: given.column(name) for name in ["seq", *times]}
    names |= {name: given.attribute(name) for name in given.attributes}
    columns = (exp.column(name, quoted=True).as_(known) for name, known in names.items())
    return exp.select(*columns).from_(exp.to_identifier(_named(given.table), quoted=True))
