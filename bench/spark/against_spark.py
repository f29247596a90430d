"""Our streamed runs beside Spark's own stream-stream join: same tuples, same micro-batches.

Every stream becomes a folder of Parquet files, one per micro-batch. A join result with windows T_i
is the combinations with t_j - t_i < T_i for all pairs; a chain of joins may carry one event-time
column only, so the others travel as microseconds. The digest is computed with Spark's functions.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from functools import reduce
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql.functions import (
    col,
    count,
    expr,
    lit,
    shiftrightunsigned,
    timestamp_micros,
    xxhash64,
)
from pyspark.sql.functions import sum as total

from bench.workloads import FOUR_WAY, TWO_WAY, EngineAnswer, hashed, join_of, tables_of
from planner.experiments.golab.curves import Row
from planner.workload.query import TimeWindow
from planner.workload.validation import microseconds
from planner.workload.workload import Workload
from runtime.control.execute import run
from runtime.engines.join_feeds import multiway_feed as feed
from runtime.engines.kernels.windows import Tuples
from runtime.runs.history import History
from runtime.runs.records import RunRequest
from runtime.spark.session import cores, session

TWO_WAY_TUPLES = (100_000, 1_000_000)
FOUR_WAY_TUPLES = (200_000,)
# Both engines join so many first, so that neither is timed cold.
WARMING_TUPLES = 20_000
BATCHES = 10


def against_spark() -> dict[str, Any]:
    """Our streaming run beside Spark's own join, as the data grow."""
    # Java with all its compilers, which Spark's own join profits from; Sluice runs in the same.
    session(java_options="").range(1).count()
    for parameters in (TWO_WAY, FOUR_WAY):
        _beside_spark(parameters, WARMING_TUPLES)
    return {
        "two-way": [_beside_spark(TWO_WAY, tuples) for tuples in TWO_WAY_TUPLES],
        "four-way": [_beside_spark(FOUR_WAY, tuples) for tuples in FOUR_WAY_TUPLES],
    }


def _beside_spark(parameters: tuple[Row, ...], tuples: int) -> dict[str, Any]:
    workload = hashed(join_of(parameters, tuples))
    batch_rows = tuples // BATCHES
    merged = feed(workload, tables_of(workload))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_streams(workload, merged.tuples, batch_rows, folder)
        history = History(folder / "history.sqlite")
        request = RunRequest(workload, "join_order", "best", batch_rows=batch_rows)
        run(request, history=history)
        ours = run(request, history=history).measurement
        native = native_join(session().newSession(), workload, folder)
    assert ours is not None
    arrivals = len(merged.tuples.ts)
    return {
        "tuples": arrivals,
        "results": native.results,
        "same answer": (ours.results["Q1"], int(ours.answers["Q1"], 16))
        == (native.results, native.digest),
        "Sluice, tuples per second": arrivals / ours.timings.engine,
        "Spark, tuples per second": arrivals / native.seconds,
        "times Spark": native.seconds / ours.timings.engine,
    }


def write_streams(workload: Workload, tuples: Tuples, batch_rows: int, folder: Path) -> None:
    """Write each source's tuples, cut where the micro-batches of our own runs are cut."""
    (query,) = workload.queries
    for place, source in enumerate(query.sources):
        (folder / source.alias).mkdir(parents=True)
        for number, start in enumerate(range(0, len(tuples.ts), batch_rows)):
            batch = tuples.take(slice(start, start + batch_rows))
            own = batch.take(batch.source == place)
            file = folder / source.alias / f"batch-{number:06}.parquet"
            pq.write_table(pa.table({"us": own.ts, "seq": own.seq, "key": own.key}), file)
            os.utime(file, (1_000_000_000 + number, 1_000_000_000 + number))


def native_join(spark: SparkSession, workload: Workload, folder: Path) -> EngineAnswer:
    """Join the streams of the folder in FROM order with Spark's own operators, on all cores."""
    spark.conf.set("spark.sql.shuffle.partitions", str(cores()))
    (query,) = workload.queries
    windows = {
        source.alias: microseconds(source.window.seconds)
        for source in query.sources
        if isinstance(source.window, TimeWindow)
    }
    aliases = list(windows)
    joined = _stream(spark, folder, aliases[0])
    for alias in aliases[1:]:
        joined = _joined(joined, _stream(spark, folder, alias), alias, windows)
    members = reduce(
        Column.bitwiseXOR,
        [
            xxhash64(lit(place).cast("long"), col(f"{alias}_seq"))
            for place, alias in enumerate(aliases)
        ],
    )
    hashed = joined.select(xxhash64(members).alias("hash"))
    sums = {"results": 0, "low": 0, "high": 0}

    def add(batch: DataFrame, _number: int) -> None:
        # Two halves: a sum of 64-bit hashes would overflow.
        row = batch.agg(
            count("*").alias("results"),
            total(col("hash").bitwiseAND(lit(0xFFFFFFFF))).alias("low"),
            total(shiftrightunsigned("hash", 32)).alias("high"),
        ).first()
        for name in sums:
            sums[name] += (row[name] if row else 0) or 0

    checkpoint = tempfile.mkdtemp()
    begun = time.perf_counter()
    writer = hashed.writeStream.outputMode("append").option("checkpointLocation", checkpoint)
    writer.trigger(availableNow=True).foreachBatch(add).start().awaitTermination()
    seconds = time.perf_counter() - begun
    shutil.rmtree(checkpoint, ignore_errors=True)
    digest = ((sums["high"] << 32) + sums["low"]) % 2**64
    return EngineAnswer(sums["results"], digest, seconds)


def _stream(spark: SparkSession, folder: Path, alias: str) -> DataFrame:
    rows = (
        spark.readStream.schema("us long, seq long, key int")
        .option("maxFilesPerTrigger", 1)
        .parquet(str(folder / alias))
    )
    renamed = rows.select(
        timestamp_micros("us").alias(f"{alias}_time"),
        col("us").alias(f"{alias}_us"),
        col("seq").alias(f"{alias}_seq"),
        col("key").alias(f"{alias}_key"),
    )
    return renamed.withWatermark(f"{alias}_time", "0 seconds")


def _joined(left: DataFrame, right: DataFrame, alias: str, windows: dict[str, int]) -> DataFrame:
    """Join one more stream; the first stream's time stays the event time of what is joined."""
    before = [name.removesuffix("_us") for name in left.columns if name.endswith("_us")]
    first = before[0]
    inside = [
        (col(f"{alias}_us") - col(f"{earlier}_us") < windows[earlier])
        & (col(f"{earlier}_us") - col(f"{alias}_us") < windows[alias])
        for earlier in before
    ]
    # The same as a range of event times, which is what lets Spark drop old state.
    in_time = expr(
        f"{alias}_time < {first}_time + INTERVAL {windows[first]} MICROSECONDS "
        f"AND {first}_time < {alias}_time + INTERVAL {windows[alias]} MICROSECONDS"
    )
    keys = col(f"{alias}_key") == col(f"{first}_key")
    joined = left.join(right, reduce(Column.__and__, [keys, *inside, in_time]))
    return joined.drop(f"{alias}_time", f"{alias}_key")
