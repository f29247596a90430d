"""Joins on Spark's own operators, carried out: as a stream, or as one batch job."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql.functions import col, lit, shiftrightunsigned
from pyspark.sql.functions import sum as total

from planner.errors import RunError
from runtime.backends.interruption import StopSignal
from runtime.backends.native.backend import PreparedNative
from runtime.backends.native.description import TS, NativePlan
from runtime.backends.native.files import NativeFiles, rows_folder
from runtime.backends.native.tally import NativeTally, QueryTally
from runtime.runs.records import RunRequest
from runtime.spark.native.early_aggregation_run import replay_aggregation
from runtime.spark.native.frames import (
    ALL,
    HASH,
    MEASURED,
    QUERY,
    counted,
    counts,
    reader,
    taken,
)
from runtime.spark.replay import stopping
from runtime.spark.spark_errors import cause

_POLL_SECONDS = 0.2

# Given the number of a micro-batch that is done.
OnBatch = Callable[[int, NativeTally], None]


def run_natively(
    spark: SparkSession,
    request: RunRequest,
    prepared: PreparedNative,
    files: NativeFiles,
    folder: Path,
    on_batch: OnBatch,
    stop: StopSignal,
) -> NativeTally:
    """Run a prepared plan. Groups are written; results of joins are left in parts."""
    spark.conf.set("spark.sql.shuffle.partitions", str(prepared.partitions))
    # Between two of these batches Spark checks whether its task is cancelled. Rows of one may meet
    # all rows of another stream: the usual 4,096 of them are at work for many seconds.
    spark.conf.set("spark.sql.parquet.columnarReaderBatchSize", "16")
    if prepared.groups is not None:
        tally, rows = replay_aggregation(spark, prepared, files, stop)
        tally.found[0] = QueryTally(len(rows), 0, prepared.groups.digest(rows))
        if request.results is not None:
            prepared.groups.write(rows, request.results)
        return tally
    sink = _Sink(prepared.span.warmup, folder / "results" if request.results else None)
    if request.way == "replay":
        _replay(spark, prepared.described, files, sink, stop)
    else:
        _stream(spark, prepared.described, files, sink, folder / "checkpoint", on_batch, stop)
    return sink.tally


@dataclass(frozen=True, slots=True)
class _Sink:
    """Adds up the results of joins, and writes them to `parts`, if given."""

    warmup: int
    parts: Path | None
    tally: NativeTally = field(default_factory=NativeTally)

    def add(self, rows: DataFrame, number: int) -> None:
        """The results of a micro-batch. Kept while written, or Spark would compute them again."""
        kept = rows.persist() if self.parts else rows
        sums = kept.groupBy(QUERY).agg(
            *counts(self.warmup, col(TS)),
            total(col(HASH).bitwiseAND(lit(0xFFFFFFFF))).alias("low"),
            total(shiftrightunsigned(HASH, 32)).alias("high"),
        )
        self.tally.add_found([row.asDict() for row in sums.collect()])
        if self.parts:
            kept.write.mode("overwrite").parquet(str(rows_folder(self.parts, number)))
            kept.unpersist()


def _replay(
    spark: SparkSession, native: NativePlan, files: NativeFiles, sink: _Sink, stop: StopSignal
) -> None:
    """All of the joins in one batch job."""
    with counted(sink.tally, sink.warmup) as observe, stopping(spark, stop):
        read = reader(spark, files, False)
        sink.add(taken(native, read, False, observe, sink.parts is not None), 0)


def _stream(
    spark: SparkSession,
    native: NativePlan,
    files: NativeFiles,
    sink: _Sink,
    checkpoint: Path,
    on_batch: OnBatch,
    stop: StopSignal,
) -> None:
    """The joins as a stream, one file of each input per micro-batch."""

    def observe(join: int, step: int, rows: DataFrame, last: Column) -> DataFrame:
        return rows.observe(f"join {join} step {step}", *counts(sink.warmup, last))

    def add(batch: DataFrame, number: int) -> None:
        sink.add(batch, number)
        on_batch(number, sink.tally)

    rows = taken(native, reader(spark, files, True), True, observe, sink.parts is not None)
    query = (
        rows.writeStream.outputMode("append")
        .option("checkpointLocation", str(checkpoint))
        .trigger(availableNow=True)
        .foreachBatch(add)
        .start()
    )
    places, heard = list(_state_places(native)), set[int]()

    def hear() -> None:
        """Add what Spark reports of each micro-batch: it forgets all but the latest."""
        for progress in query.recentProgress:
            report = json.loads(progress.json)
            number = report["batchId"]
            if number not in heard:
                heard.add(number)
                # Behind the micro-batches of tuples comes one more, to drop what is held.
                measured = number < len(files.untils) and files.untils[number] >= sink.warmup
                _add_progress(sink.tally, report, places, measured)

    try:
        while query.isActive:
            stop.wait(_POLL_SECONDS)
            stop.check()
            hear()
    finally:
        query.stop()
    if error := query.exception():
        raise RunError(f"the stream was interrupted: {cause(error)}", "Spark") from error
    hear()


def _state_places(native: NativePlan) -> Iterator[tuple[int, int]]:
    """The joins that hold state, as Spark lists them: the last one of each first."""
    for join, described in enumerate(native.joins):
        for step in reversed(range(len(described.steps))):
            if described.steps[step].reach is not None:
                yield join, step


def _add_progress(
    tally: NativeTally, progress: dict[str, Any], places: list[tuple[int, int]], is_measured: bool
) -> None:
    for phase, ms in progress["durationMs"].items():
        tally.phases_ms[phase] = tally.phases_ms.get(phase, 0) + ms
    tally.input_rows += progress["numInputRows"]
    for name, seen in (progress.get("observedMetrics") or {}).items():
        _, join, _, step = name.split()
        metrics = tally.join(int(join), int(step))
        metrics.rows += seen[ALL]
        metrics.measured += seen[MEASURED]
    for place, state in zip(places, progress["stateOperators"], strict=True):
        metrics = tally.join(*place)
        metrics.dropped += state["numRowsDroppedByWatermark"]
        metrics.update_ms += state["allUpdatesTimeMs"]
        metrics.remove_ms += state["allRemovalsTimeMs"]
        metrics.commit_ms += state["commitTimeMs"]
        if is_measured:
            metrics.state_rows.append(state["numRowsTotal"])
            metrics.state_bytes.append(state["memoryUsedBytes"])
