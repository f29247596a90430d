"""The join kernel with its Parquet read beside DuckDB, on the same files."""

from __future__ import annotations

import os
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from bench.measure import Timed, in_turns
from bench.workloads import TWO_WAY, EngineAnswer, hashed, join_of, tables_of
from planner.families.registry import family
from planner.files.tuple_table import ColumnData, Table
from planner.workload.validation import microseconds
from planner.workload.workload import Workload
from runtime.data.batch import Batch
from runtime.data.feed import Span
from runtime.engines.join_feeds import multiway_feed as feed
from runtime.engines.kernels.digest import digest_of
from runtime.engines.kernels.windows import Tuples
from runtime.engines.protocol import PlanInput
from runtime.engines.registry import engine

TUPLES = 1_000_000
ROUNDS = 3


def against_duckdb() -> dict[str, Any]:
    """The kernel with its Parquet read beside DuckDB, on a two-way join of the same files."""
    workload = hashed(join_of(TWO_WAY, TUPLES))
    tables = tables_of(workload)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for stream, table in tables.items():
            pq.write_table(
                pa.table({"us": table.ts, "key": table.columns["attr"].values}),
                folder / f"{stream}.parquet",
            )
        contenders = {
            "Sluice": lambda: _by_kernel(workload, folder),
            "DuckDB": lambda: _by_duckdb(folder, "SELECT count(*), sum(hash(a.seq, b.seq))"),
        }
        for contender in contenders.values():
            contender()
        timed: dict[str, Timed] = in_turns(contenders, ROUNDS)
        rows = _by_duckdb(folder, "SELECT a.seq, b.seq", rows=True)
    ours: EngineAnswer = timed["Sluice"].outcome
    tuples = sum(len(table) for table in tables.values())
    return {
        "tuples": tuples,
        "results": ours.results,
        "same answer": (ours.results, ours.digest) == (len(rows), int(digest_of(rows))),
        "Sluice, tuples per second": tuples / timed["Sluice"].seconds,
        "DuckDB, tuples per second": tuples / timed["DuckDB"].seconds,
        "times DuckDB": timed["DuckDB"].seconds / timed["Sluice"].seconds,
    }


def _by_kernel(workload: Workload, folder: Path) -> EngineAnswer:
    """Read the files, merge the streams and join them, on every core as DuckDB does."""
    begun = time.perf_counter()
    tables = {}
    for stream in workload.streams:
        read = pq.read_table(folder / f"{stream.name}.parquet")
        ts, key = (read.column(name).to_numpy() for name in ("us", "key"))
        tables[stream.name] = Table(np.arange(len(ts)), ts, {"attr": ColumnData(key)})
    merged = feed(workload, tables)
    last = int(merged.tuples.ts[-1])
    plan = family("join_order").space(workload).best()
    runs = engine(plan.family)
    split = runs.split(plan, workload, os.cpu_count() or 1)
    program = runs.compile(PlanInput(plan, workload, merged.schema, Span(0, last), split))

    def join(partition: int, share: Tuples) -> bytes:
        return program.step(None, Batch(share, last, True).pack(), partition, most_rows=0).totals

    shares = split.share(merged.tuples)
    assert shares is not None
    with ThreadPoolExecutor() as threads:
        totals = list(threads.map(join, range(split.partitions), shares))
    tally = program.tally(totals, plan)
    return EngineAnswer(tally.results, tally.digest, time.perf_counter() - begun)


def _by_duckdb(folder: Path, select: str, rows: bool = False) -> Any:
    """DuckDB on all cores. Time is cut into blocks of a window, so that it joins on equality only
    with the block and its neighbours: several times faster here than a plain range condition."""
    window = microseconds(TWO_WAY[0][1])
    query = f"""
        WITH a AS (SELECT us, key, file_row_number AS seq, us // {window} AS block
                   FROM read_parquet($a, file_row_number = true)),
             b AS (SELECT us, key, file_row_number AS seq,
                          unnest([us // {window} - 1, us // {window}, us // {window} + 1]) AS block
                   FROM read_parquet($b, file_row_number = true))
        {select} FROM a JOIN b USING (key, block)
        WHERE a.us - b.us < {window} AND b.us - a.us < {window}
    """
    files = {"a": str(folder / "S1.parquet"), "b": str(folder / "S2.parquet")}
    with duckdb.connect() as connection:
        answer = connection.execute(query, files)
        if rows:
            return np.column_stack(list(answer.fetchnumpy().values())).astype(np.int64)
        return answer.fetchall()
