"""Joins on Spark's own operators, carried out: as a stream, or as one batch job."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pyspark.sql import Column, DataFrame, Observation, SparkSession
from pyspark.sql.functions import col, count, lit, shiftrightunsigned, when
from pyspark.sql.functions import sum as total

from planner.errors import RunError
from runtime.backends.interruption import StopSignal
from runtime.backends.native.description import TS, NativeJoins
from runtime.backends.native.files import NativeFiles
from runtime.backends.native.results import rows_folder
from runtime.backends.native.tally import NativeTally
from runtime.spark.native_frames import HASH, QUERY, reader, taken
from runtime.spark.replay import stopping
from runtime.spark.spark_errors import cause

_POLL_SECONDS = 0.2
_ALL, _MEASURED = "rows", "measured"

# Given the number of a join, and of a step of it, its results and their times.
Observe = Callable[[int, int, DataFrame, Column], DataFrame]


def _after(warmup: int, ts: Column) -> Column:
    """The rows from the end of the warm-up on, counted."""
    return count(when(ts >= lit(warmup), lit(1)))


def _summed(rows: DataFrame, warmup: int) -> list[dict[str, int]]:
    """How many results each query has in these rows, and the sums of their hashes."""
    sums = rows.groupBy(QUERY).agg(
        count(lit(1)).alias("results"),
        _after(warmup, col(TS)).alias("measured"),
        total(col(HASH).bitwiseAND(lit(0xFFFFFFFF))).alias("low"),
        total(shiftrightunsigned(HASH, 32)).alias("high"),
    )
    return [row.asDict() for row in sums.collect()]


def replay_joins(
    spark: SparkSession,
    native: NativeJoins,
    files: NativeFiles,
    warmup: int,
    parts: Path | None,
    stop: StopSignal,
) -> NativeTally:
    """All of the joins in one batch job."""
    tally = NativeTally()
    with watched(tally, warmup) as observe, stopping(spark, stop):
        rows = taken(native, reader(spark, files, False), False, observe, parts is not None)
        if parts is not None:
            rows = rows.persist()
        tally.add_found(_summed(rows, warmup))
        if parts is not None:
            rows.write.parquet(str(rows_folder(parts, 0)))
            rows.unpersist()
    return tally


@contextmanager
def watched(tally: NativeTally, warmup: int) -> Iterator[Observe]:
    """Count the rows of each join of a batch job that is carried out within."""
    seen: dict[tuple[int, int], Observation] = {}

    def observe(join: int, step: int, rows: DataFrame, last: Column) -> DataFrame:
        seen[join, step] = Observation(_name(join, step))
        counted = count(lit(1)).alias(_ALL), _after(warmup, last).alias(_MEASURED)
        return rows.observe(seen[join, step], *counted)

    yield observe
    for (join, step), observation in seen.items():
        found = observation.get
        metrics = tally.join(join, step)
        metrics.rows, metrics.measured = found[_ALL], found[_MEASURED]


def stream_joins(
    spark: SparkSession,
    native: NativeJoins,
    files: NativeFiles,
    warmup: int,
    checkpoint: Path,
    parts: Path | None,
    on_batch: Callable[[int, NativeTally], None],
    stop: StopSignal,
) -> NativeTally:
    """The joins as a stream, one file of each input per micro-batch."""
    tally = NativeTally()

    def observe(join: int, step: int, rows: DataFrame, last: Column) -> DataFrame:
        counted = count(lit(1)).alias(_ALL), _after(warmup, last).alias(_MEASURED)
        return rows.observe(_name(join, step), *counted)

    def add(batch: DataFrame, number: int) -> None:
        # Computed once, or Spark would go through its state again.
        kept = batch.persist() if parts is not None else batch
        tally.add_found(_summed(kept, warmup))
        if parts is not None:
            kept.write.mode("overwrite").parquet(str(rows_folder(parts, number)))
            kept.unpersist()
        on_batch(number, tally)

    rows = taken(native, reader(spark, files, True), True, observe, parts is not None)
    query = (
        rows.writeStream.outputMode("append")
        .option("checkpointLocation", str(checkpoint))
        .trigger(availableNow=True)
        .foreachBatch(add)
        .start()
    )
    heard: set[int] = set()

    def hear() -> None:
        """Add what Spark reports of each micro-batch: it forgets all but the latest."""
        for progress in query.recentProgress:
            told = json.loads(progress.json)
            number = told["batchId"]
            if number not in heard:
                heard.add(number)
                # Behind the micro-batches of tuples comes one more, to drop what is held.
                measured = number < len(files.untils) and files.untils[number] >= warmup
                _add_progress(tally, told, list(_state_places(native)), measured)

    try:
        while query.isActive:
            stop.wait(_POLL_SECONDS)
            stop.check()
            hear()
    finally:
        query.stop()
    if error := query.exception():
        raise RunError(f"the stream broke off: {cause(error)}", "Spark") from error
    hear()
    return tally


def _name(join: int, step: int) -> str:
    return f"join {join} step {step}"


def _state_places(native: NativeJoins) -> Iterator[tuple[int, int]]:
    """The joins that hold state, as Spark lists them: the last one of each first."""
    for join, described in enumerate(native.joins):
        for step in reversed(range(len(described.steps))):
            if described.steps[step].reach is not None:
                yield join, step


def _add_progress(
    tally: NativeTally,
    progress: dict[str, Any],
    places: list[tuple[int, int]],
    is_measured: bool,
) -> None:
    for phase, ms in progress["durationMs"].items():
        tally.phases_ms[phase] = tally.phases_ms.get(phase, 0) + ms
    tally.input_rows += progress["numInputRows"]
    for name, seen in (progress.get("observedMetrics") or {}).items():
        _, join, _, step = name.split()
        metrics = tally.join(int(join), int(step))
        metrics.rows += seen[_ALL]
        metrics.measured += seen[_MEASURED]
    for place, state in zip(places, progress["stateOperators"], strict=True):
        metrics = tally.join(*place)
        metrics.dropped += state["numRowsDroppedByWatermark"]
        metrics.update_ms += state["allUpdatesTimeMs"]
        metrics.remove_ms += state["allRemovalsTimeMs"]
        metrics.commit_ms += state["commitTimeMs"]
        if is_measured:
            metrics.state_rows.append(state["numRowsTotal"])
            metrics.state_bytes.append(state["memoryUsedBytes"])
