"""The description of a plan on Spark's own operators, read as SQL: what it says, without Spark."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import duckdb
import numpy as np
import pyarrow as pa

from planner.files.data_columns import FIRST, LAST
from planner.files.tuple_table import Table
from runtime.backends.native.description import (
    All,
    AnyOf,
    Condition,
    Fails,
    Input,
    Join,
    NativeJoins,
    column_of,
)
from runtime.engines.kernels.digest import digest_of


def answers_of(native: NativeJoins, tables: Mapping[str, Table]) -> dict[str, tuple[int, int]]:
    """The number of results and the digest of every query."""
    rows: dict[int, list[tuple[int, ...]]] = {n: [] for n in range(len(native.queries))}
    with duckdb.connect() as connection:
        for name, table in tables.items():
            connection.register(name, _table(table))
        for taking in native.takings:
            members = ", ".join(column_of(number, "seq") for number in taking.members)
            sql = f"SELECT {members} FROM {_from(native.joins[taking.join])} WHERE "
            found = connection.execute(sql + _every(taking.tests)).fetchall()
            rows[taking.query] += found
    return {
        name: (len(rows[n]), int(digest_of(np.array(rows[n], np.int64).reshape(len(rows[n]), -1))))
        for n, name in enumerate(native.queries)
    }


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


def _from(join: Join) -> str:
    text = _input(join.first)
    for step in join.steps:
        text += f" JOIN {_input(step.input)} ON {_every(step.tests)}"
    return text


def _input(given: Input) -> str:
    times = ["ts"] if given.is_stream else ["begin", "end"]
    columns = [f'"{name}" AS {given.column(name)}' for name in ["seq", *times]]
    columns += [f'"{name}" AS {given.attribute(name)}' for name in given.attributes]
    inner = f'SELECT {", ".join(columns)} FROM "{given.table}"'
    return f"(SELECT * FROM ({inner}) WHERE {_every(given.tests)}) AS i{given.number}"


def _every(tests: Sequence[Condition]) -> str:
    return " AND ".join(f"({_test(test)})" for test in tests) or "true"


def _test(test: Condition) -> str:
    if isinstance(test, All):
        return _every(test.tests)
    if isinstance(test, AnyOf):
        return " OR ".join(f"({_test(one)})" for one in test.tests)
    if isinstance(test, Fails):
        return f"NOT coalesce({_test(test.test)}, false)"
    constant = repr(test.constant)
    if test.right is None:
        return f"{test.left} {test.comparison} {constant}"
    return f"{test.left} {test.comparison} {test.right} + {constant}"
