"""Replay: a program over all micro-batches in one Spark batch job."""

from __future__ import annotations

import shutil
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from planner.errors import RunError
from runtime.backends.interruption import StopSignal
from runtime.backends.kernels.damaged_batches import with_sound_batches
from runtime.backends.kernels.prepare import PreparedKernelRun
from runtime.backends.kernels.progress import progress_of
from runtime.backends.kernels.totals import Totals
from runtime.backends.protocol import RunContext
from runtime.runs.records import Run
from runtime.spark.partition_tasks import PartitionTask, run_tasks
from runtime.spark.spark_errors import cause
from runtime.spark.worker import GoingOn, newest_notes

_POLL_SECONDS = 0.2


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
    stop.check()
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
    spark: SparkSession, record: Run, prepared: PreparedKernelRun, context: RunContext
) -> list[bytes]:
    """The totals of every partition after the last micro-batch."""

    def attempt() -> list[bytes]:
        for before in ("notes", "results"):
            shutil.rmtree(context.folder / before, ignore_errors=True)
        return _replayed(spark, record, prepared, context)

    return with_sound_batches(record.request, prepared, attempt)


def _replayed(
    spark: SparkSession, record: Run, prepared: PreparedKernelRun, context: RunContext
) -> list[bytes]:
    """Tasks leave notes in a folder, which are looked at several times a second."""
    folder, begun, program = context.folder, time.time(), prepared.program
    notes, kept, going_on = folder / "notes", Totals(folder), GoingOn(folder)
    notes.mkdir(exist_ok=True)
    results = str(folder / "results") if record.request.results else None
    work = PartitionTask(program.to_json(), prepared.batches.folder, str(going_on.file), results)
    task = partial(work.replay, prepared.batches.batches, str(notes))

    def look() -> None:
        found = newest_notes(notes, program.partitions)
        if found is not None and found[0] + 1 > kept.done():
            number, totals = found
            kept.keep(number + 1, totals)
            context.on_progress(progress_of(prepared, number + 1, totals, begun))

    going_on.begin()
    with stopping(spark, context.stop, look, going_on.end):
        return run_tasks(spark.sparkContext, program.partitions, task)
