"""Replay: a program over all micro-batches in one Spark batch job."""

from __future__ import annotations

import shutil
import threading
import time
import uuid
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import count

import pyarrow as pa
from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrameReader, GroupedData, Row, SparkSession
from pyspark.sql.functions import array, col, element_at, explode, lit
from pyspark.sql.streaming.readwriter import DataStreamReader

from planner.errors import RunError
from runtime.backends.interruption import StopSignal
from runtime.backends.kernels.damaged_batches import with_sound_batches
from runtime.backends.kernels.prepare import Prepared
from runtime.backends.kernels.progress import Totals, progress_of
from runtime.backends.protocol import RunContext
from runtime.runs.records import Run
from runtime.spark.spark_errors import cause
from runtime.spark.worker import GoingOn, newest_notes, only_while, step_through


def _rotate(word: int, bits: int) -> int:
    return ((word << bits) | (word >> (32 - bits))) & 0xFFFFFFFF


def spark_hash(value: int) -> int:
    """Spark SQL's `hash` of an INT: Murmur3 with seed 42, as a signed number."""
    word = _rotate(value * 0xCC9E2D51 & 0xFFFFFFFF, 15) * 0x1B873593 & 0xFFFFFFFF
    mixed = (_rotate(42 ^ word, 13) * 5 + 0xE6546B64) & 0xFFFFFFFF
    mixed ^= 4
    mixed = (mixed ^ mixed >> 16) * 0x85EBCA6B & 0xFFFFFFFF
    mixed = (mixed ^ mixed >> 13) * 0xC2B2AE35 & 0xFFFFFFFF
    mixed ^= mixed >> 16
    return mixed - 2**32 if mixed >= 2**31 else mixed


def group_ids(partitions: int) -> list[int]:
    """One group id per partition, each in a task of its own.

    >>> sorted(spark_hash(group) % 4 for group in group_ids(4))
    [0, 1, 2, 3]
    """
    ids: dict[int, int] = {}
    for candidate in count():
        ids.setdefault(spark_hash(candidate) % partitions, candidate)
        if len(ids) == partitions:
            return [ids[task] for task in range(partitions)]
    raise AssertionError("count() does not end")


_POLL_SECONDS = 0.2

TOTALS = "partition int, batch int, totals binary"


def by_partition(
    spark: SparkSession, reader: DataFrameReader | DataStreamReader, folder: str, partitions: int
) -> GroupedData:
    """One row per partition that a micro-batch goes to, grouped so that each is a task."""
    spark.conf.set("spark.sql.shuffle.partitions", str(partitions))
    source = reader.schema("batch int, partitions array<int>, tuples binary").parquet(folder)
    groups = array(*(lit(group) for group in group_ids(partitions)))
    shared = source.select("batch", "tuples", explode("partitions").alias("partition"))
    return shared.withColumn("group", element_at(groups, col("partition") + 1)).groupBy("group")


@contextmanager
def stopping(
    spark: SparkSession,
    stop: StopSignal,
    look: Callable[[], None] = lambda: None,
    on_stop: Callable[[], None] = lambda: None,
) -> Iterator[None]:
    """Cancel the jobs that are started within, should the run be stopped.

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
                try:
                    # Again until it is done: what Spark has not submitted yet, it cannot cancel.
                    context.cancelJobsWithTag(tag)
                except (Py4JError, OSError):
                    # Java is gone, and its jobs with it: the thread that started them hears of it.
                    return

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    context.addJobTag(tag)
    try:
        yield
    except (PySparkException, Py4JError, ConnectionError) as error:
        if failed:
            raise failed[0] from error
        stop.check()
        raise RunError(f"the replay was interrupted: {cause(error)}", "Spark") from error
    finally:
        on_stop()
        done.set()
        watcher.join()
        context.removeJobTag(tag)


def replayed(
    spark: SparkSession, record: Run, prepared: Prepared, context: RunContext
) -> list[bytes]:
    """The totals of every partition after the last micro-batch."""

    def attempt() -> list[bytes]:
        for before in ("notes", "results"):
            shutil.rmtree(context.folder / before, ignore_errors=True)
        return _replayed(spark, record, prepared, context)

    return with_sound_batches(record.request, prepared, attempt)


def _replayed(
    spark: SparkSession, record: Run, prepared: Prepared, context: RunContext
) -> list[bytes]:
    """Tasks leave notes in a folder, which are looked at several times a second."""
    folder, begun, program = context.folder, time.time(), prepared.program
    notes, kept, going_on = folder / "notes", Totals(folder), GoingOn(folder)
    notes.mkdir(exist_ok=True)
    results = str(folder / "results") if record.request.results else None
    text, notes_folder, mark = program.to_json(), str(notes), str(going_on.file)

    def run(groups: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        every = [row for group in groups for row in group.to_pylist()]
        rows = sorted(every, key=lambda row: row["batch"])
        partition = rows[0]["partition"]
        given = ((row["batch"], row["tuples"]) for row in rows)
        with only_while(mark):
            _, totals = step_through(text, None, given, partition, results, notes_folder)
        yield pa.RecordBatch.from_pylist(
            [{"partition": partition, "batch": rows[-1]["batch"], "totals": totals}],
            schema=pa.schema(
                [("partition", pa.int32()), ("batch", pa.int32()), ("totals", pa.binary())]
            ),
        )

    def look() -> None:
        found = newest_notes(notes, program.partitions)
        if found is not None and found[0] + 1 > kept.done():
            number, totals = found
            kept.keep(number + 1, totals)
            context.on_progress(progress_of(prepared, number + 1, totals, begun))

    shared = by_partition(spark, spark.read, prepared.batches.folder, program.partitions)
    going_on.begin()
    with stopping(spark, context.stop, look, going_on.end):
        rows = shared.applyInArrow(run, TOTALS).collect()
    return totals_of_all(rows, program.partitions, prepared.batches.batches - 1)


def totals_of_all(rows: Iterable[Row], partitions: int, last: int) -> list[bytes]:
    """The totals of all partitions; a RunError unless each has done all batches to the last."""
    found = sorted(rows, key=lambda row: row["partition"])
    if [(row["partition"], row["batch"]) for row in found] != [
        (n, last) for n in range(partitions)
    ]:
        raise RunError(f"batch {last} or one before it was not read by all partitions", "Spark")
    return [bytes(row["totals"]) for row in found]
