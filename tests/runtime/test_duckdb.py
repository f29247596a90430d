"""Kernels on thousands of tuples against DuckDB, an engine that shares nothing with them."""

from __future__ import annotations

from collections.abc import Mapping

import duckdb
import pyarrow as pa
import pytest

from planner.checks import microseconds
from planner.execution import Execution
from planner.query import Query, TimeWindow
from planner.streams import Arrivals, Attribute, Stream
from planner.tables import ColumnData, Table
from planner.workload import Workload
from runtime.feed import feed
from runtime.generate import generate
from runtime.programs.program import Span
from tests.planner.workloads import HASHED, PER_VALUE, chain_query
from tests.runtime.driving import compiled, drive, windows_of

SECONDS = 60
HYBRID = Execution(join={"a": "hash", "c": "hash"}, buckets={"a": 3})


def _workload(execution: Execution) -> Workload:
    """Four sources over three streams: bursts of equal ts, a skewed key, one stream twice."""
    streams = (
        Stream("X", 20, {"attr": Attribute(40)}, Arrivals("pareto", 3)),
        Stream("Y", 10, {"attr": Attribute(30, zipf=1.0)}, Arrivals("regular")),
        Stream("Z", 5, {"attr": Attribute(50)}),
    )
    sources = {
        "a": ("Y", TimeWindow(7)),
        "b": ("X", TimeWindow(4.000001)),
        "c": ("Z", TimeWindow(20)),
        "d": ("Y", TimeWindow(3)),
    }
    return Workload("larger", streams, (chain_query("Q1", sources),), execution=execution)


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


def _duckdb_rows(query: Query, tables: Mapping[str, Table]) -> list[tuple[int, ...]]:
    with duckdb.connect() as connection:
        for name, table in tables.items():
            column = table.columns["attr"]
            missing = None if column.valid is None else ~column.valid
            keys = pa.array(column.values, mask=missing)
            connection.register(name, pa.table({"seq": table.seq, "ts": table.ts, "attr": keys}))
        return sorted(connection.execute(_sql(query)).fetchall())


def _with_missing_keys(table: Table) -> Table:
    column = table.columns["attr"]
    return Table(table.seq, table.ts, {"attr": ColumnData(column.values, table.seq % 7 != 0)})


@pytest.mark.parametrize(
    "execution",
    [Execution(), HASHED, PER_VALUE, HYBRID],
    ids=["nested", "5 buckets", "per value", "hybrid"],
)
@pytest.mark.parametrize("partitions", [1, 3])
def test_rows_are_duckdb_s(execution: Execution, partitions: int) -> None:
    workload = _workload(execution)
    tables = generate(workload, SECONDS, seed=3)
    tables["Y"] = _with_missing_keys(tables["Y"])
    merged = feed(workload, tables)
    program, plan, split = compiled(workload, merged, Span(0, SECONDS * 1_000_000), partitions)
    driven = drive(program, plan, split, merged, cuts=range(0, len(merged.tuples.ts), 500))
    expected = _duckdb_rows(workload.queries[0], tables)
    assert len(expected) > 1000
    assert driven.rows == expected
