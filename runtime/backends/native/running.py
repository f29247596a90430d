"""A run on Spark's own operators: carried out, and what Spark counted laid over the plan."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from planner.plan.cost import Measurement, Timings
from runtime.backends.interruption import StopSignal
from runtime.backends.native.aggregating import NativeGroups
from runtime.backends.native.describe_aggregation import NativeAggregation
from runtime.backends.native.description import NativeJoins
from runtime.backends.native.prepare import PreparedNative, prepare_native
from runtime.backends.native.results import merge_native_results
from runtime.backends.native.tally import Found, JoinMetrics, NativeTally
from runtime.backends.protocol import RunContext
from runtime.engines.kernels.digest import as_text
from runtime.runs.records import Progress, Run, RunRequest


class NativeBackend:
    """Runs plans on Spark's own operators, which keep no totals and count anew when they start."""

    def prepare(self, request: RunRequest, partitions: int) -> PreparedNative:
        """Plan, generate or read the tuples, and describe what Spark is to do."""
        return prepare_native(request, partitions)

    def predicted_kernel(self, request: RunRequest, prepared: PreparedNative) -> None:
        """There are no kernels."""

    def measure(self, record: Run, prepared: PreparedNative, context: RunContext) -> Run:
        """Run the plan to its end."""
        stop, folder = context.stop, context.folder
        return measured_natively(record, prepared, context.begun, context.on_progress, stop, folder)

    def measured_so_far(self, prepared: PreparedNative, folder: Path, begun: float) -> None:
        """Nothing is kept on the way."""

    def why_not_resumed(self, _request: RunRequest) -> str:
        """It never can be."""
        return "ran on Spark's own operators, which count anew; run the plan again"

    def batches_counted(self, _folder: Path) -> int:
        """None are kept."""
        return 0


BACKEND = NativeBackend()


def measured_natively(
    record: Run,
    prepared: PreparedNative,
    begun: float,
    on_progress: Callable[[Progress], None],
    stop: StopSignal,
    folder: Path,
) -> Run:
    """Run the plan on Spark's own operators to its end. What it wrote meanwhile is dropped."""
    try:
        return _carried_out(record, prepared, begun, on_progress, stop, folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _carried_out(
    record: Run,
    prepared: PreparedNative,
    begun: float,
    on_progress: Callable[[Progress], None],
    stop: StopSignal,
    folder: Path,
) -> Run:
    # Imported when a plan is first run: planning and reading history need no Spark.
    from runtime.spark.native_aggregation import replay_aggregation
    from runtime.spark.native_run import replay_joins, stream_joins
    from runtime.spark.session import session

    request, batches = record.request, len(prepared.cuts)
    on_progress(Progress("Starting Spark", 0, batches, prepared.arrivals))
    start_begun = time.time()
    spark = session(request.master, request.shared).newSession()
    start_seconds = time.time() - start_begun
    stop.check()
    folder.mkdir(parents=True, exist_ok=True)
    files = prepared.write(folder / "tuples")
    spark.conf.set("spark.sql.shuffle.partitions", str(prepared.partitions))
    # Between two of these batches Spark looks whether its task is cancelled. Rows of one may meet
    # all rows of another stream: the usual 4,096 of them are at work for many seconds.
    spark.conf.set("spark.sql.parquet.columnarReaderBatchSize", "16")
    parts = folder / "results" if request.results else None

    def on_batch(number: int, tally: NativeTally) -> None:
        if number < batches:
            on_progress(_progress(tally, number + 1, prepared, files.untils[number], engine_begun))

    engine_begun = time.time()
    on_progress(Progress("Running", 0, batches, prepared.arrivals))
    described, warmup = prepared.described, prepared.span.warmup
    if isinstance(described, NativeAggregation):
        assert prepared.groups is not None, "an aggregation has them"
        tally, rows = replay_aggregation(spark, described, prepared.groups, files, warmup, stop)
        _add_groups(prepared.groups, tally, rows, request.results)
    elif request.way == "replay":
        tally = replay_joins(spark, described, files, warmup, parts, stop)
    else:
        checkpoint = folder / "checkpoint"
        tally = stream_joins(spark, described, files, warmup, checkpoint, parts, on_batch, stop)
    # Spark may be done between two looks at the limits.
    stop.check()
    engine_seconds = time.time() - engine_begun
    if isinstance(described, NativeJoins) and parts and request.results:
        merge_native_results(prepared.workload, parts, request.results)
    finished = time.time()
    timings = Timings(finished - begun, engine_seconds, None, start_seconds)
    return replace(
        record.ended("finished", finished), measurement=_measurement(prepared, tally, timings)
    )


def _add_groups(
    groups: NativeGroups, tally: NativeTally, rows: np.ndarray, results: Path | None
) -> None:
    """The answer of an aggregation, from its groups as rows of numbers."""
    digest = groups.digest(rows)
    tally.found[0] = Found(len(rows), 0, digest % 2**32, digest >> 32)
    if results is not None:
        groups.write(rows, results)


def _progress(
    tally: NativeTally, done: int, prepared: PreparedNative, until: int, begun: float
) -> Progress:
    return Progress(
        "Running",
        done,
        len(prepared.cuts),
        prepared.arrivals,
        time.time() - begun,
        results=tally.results,
        state_tuples=tally.state_rows,
        reached=(until - prepared.begin) / 1e6,
    )


def _measurement(prepared: PreparedNative, tally: NativeTally, timings: Timings) -> Measurement:
    found = {
        name: tally.found.get(number, Found())
        for number, name in enumerate(prepared.described.queries)
    }
    return Measurement(
        costs={},
        qualities={},
        timings=timings,
        rows={name: len(table) for name, table in prepared.tables.items()},
        results={name: own.results for name, own in found.items()},
        answers={name: as_text(own.digest) for name, own in found.items()},
        spark=_told_by_spark(prepared, tally, found),
    )


def _told_by_spark(
    prepared: PreparedNative, tally: NativeTally, found: dict[str, Found]
) -> dict[str, Any]:
    """What Spark counted, and where it is what an operator of the plan does.

    What Spark has no count of, comparisons above all, is left out.
    """
    seconds = prepared.span.seconds
    operators: dict[str, dict[str, float]] = {}
    # What an aggregation passes on are changes of groups, which Spark does not count.
    if seconds and isinstance(prepared.described, NativeJoins):
        for root in prepared.plan.roots:
            own = found[str(root.param("query"))]
            operators[root.id] = {"rows_out": own.measured / seconds}
    joins = []
    for number, join in enumerate(prepared.described.joins):
        for step in range(len(join.steps)):
            metrics = tally.join(number, step)
            joins.append(metrics.as_json(join.names[step], seconds))
        last = tally.joins.get((number, len(join.steps) - 1), JoinMetrics())
        if join.found is not None and seconds:
            operators.setdefault(join.found, {})["rows_out"] = last.measured / seconds
        if join.stored is not None and last.mean_state_rows is not None:
            operators.setdefault(join.stored, {})["state_tuples"] = last.mean_state_rows
    held = [j.mean_state_rows for j in tally.joins.values() if j.mean_state_rows is not None]
    outputs = [operators[root.id] for root in prepared.plan.roots if root.id in operators]
    cost = {"rows_out": sum(own["rows_out"] for own in outputs)} if outputs else {}
    if held:
        cost["state_tuples"] = sum(held)
    return {
        "cost": cost,
        "operators": operators,
        "joins": joins,
        "phases_ms": dict(tally.phases_ms),
        "input_rows": tally.input_rows or None,
    }
