"""Replay: a program over all micro-batches in one Spark batch job."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa
from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.functions import array, col, element_at, explode, lit

from planner.errors import RunError
from runtime.microbatches import MicroBatches
from runtime.programs.program import Program
from runtime.spark.faults import cause
from runtime.spark.going import GoingOn, only_while
from runtime.spark.slots import group_ids
from runtime.spark.worker import step_through
from runtime.stopping import StopSignal

_POLL_SECONDS = 0.2

TOTALS = "partition int, batch int, totals binary"


def by_partition(source: DataFrame, partitions: int) -> DataFrame:
    """One row per partition that a micro-batch goes to, with the partition's group id."""
    groups = array(*(lit(group) for group in group_ids(partitions)))
    return source.select("batch", "tuples", explode("partitions").alias("partition")).withColumn(
        "group", element_at(groups, col("partition") + 1)
    )


def replay(
    spark: SparkSession,
    program: Program,
    batches: MicroBatches,
    results_folder: str | None,
    notes: Path,
    going_on: GoingOn,
    look: Callable[[], None],
    stop: StopSignal,
) -> list[bytes]:
    """The totals of every partition after the last micro-batch.

    Tasks leave notes in a folder; `look` is called several times a second, and reads them.
    """
    text, notes_folder, mark = program.to_json(), str(notes), str(going_on.file)

    def run(groups: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        rows = sorted(
            (
                (row["batch"], row["partition"], row["tuples"])
                for group in groups
                for row in group.to_pylist()
            ),
            key=lambda row: row[0],
        )
        partition = rows[0][1]
        given = ((number, tuples) for number, _, tuples in rows)
        with only_while(mark):
            _, totals = step_through(text, None, given, partition, results_folder, notes_folder)
        yield pa.RecordBatch.from_pylist(
            [{"partition": partition, "batch": rows[-1][0], "totals": totals}],
            schema=pa.schema(
                [("partition", pa.int32()), ("batch", pa.int32()), ("totals", pa.binary())]
            ),
        )

    spark.conf.set("spark.sql.shuffle.partitions", str(program.partitions))
    source = spark.read.schema("batch int, partitions array<int>, tuples binary").parquet(
        batches.folder
    )
    shared = by_partition(source, program.partitions)
    going_on.begin()
    with stopping(spark, stop, look, going_on.end):
        rows = shared.groupBy("group").applyInArrow(run, TOTALS).collect()
    return [bytes(row["totals"]) for row in sorted(rows, key=lambda row: row["partition"])]


@contextmanager
def stopping(
    spark: SparkSession,
    stop: StopSignal,
    look: Callable[[], None] = lambda: None,
    on_stop: Callable[[], None] = lambda: None,
) -> Iterator[None]:
    """Cancel the jobs that are started within, should the run be told to stop.

    Until they end, `look` is called several times a second. `on_stop` is called when they are to
    end, and at the end of all, maybe more than once.
    """
    context = spark.sparkContext
    tag = f"replay-{uuid.uuid4().hex}"
    done = threading.Event()
    failed: list[Exception] = []

    def watch() -> None:
        while not done.wait(_POLL_SECONDS):
            try:
                look()
            except Exception as error:
                # Raised by the thread that started the job, as soon as that is cancelled.
                failed.append(error)
            if failed or stop.is_set():
                on_stop()
                # Again until it is done: what Spark has not submitted yet, it cannot cancel.
                context.cancelJobsWithTag(tag)

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    context.addJobTag(tag)
    try:
        yield
    except (PySparkException, Py4JError) as error:
        if failed:
            raise failed[0] from error
        stop.check()
        raise RunError(f"the replay broke off: {cause(error)}", "Spark") from error
    finally:
        on_stop()
        context.removeJobTag(tag)
        done.set()
        watcher.join()
