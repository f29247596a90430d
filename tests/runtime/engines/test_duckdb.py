"""Kernels on thousands of tuples against DuckDB, an engine that shares nothing with them."""

from __future__ import annotations

import pytest

from planner.files.tuple_table import ColumnData, Table
from planner.statistics.generate import generate
from planner.workload.execution import Execution
from planner.workload.query import TimeWindow
from planner.workload.streams import Arrivals, Attribute, Stream
from planner.workload.workload import Workload
from runtime.data.feed import Span
from runtime.engines.join_feeds import multiway_feed as feed
from tests.oracles.in_duckdb.joins import duckdb_rows
from tests.planner.workloads import HASHED, PER_VALUE, chain_query
from tests.runtime.driving import compiled, drive

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
    expected = duckdb_rows(workload.queries[0], tables)
    assert len(expected) > 1000
    assert driven.rows == expected
