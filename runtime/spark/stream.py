"""Stream: a query of Structured Streaming, which steps a program through one file per micro-batch.

Spark keeps in its checkpoint which files have come and which batches are committed; for each batch
it calls us, and we run a job with a task per partition. Windows and counters are in files beside
the checkpoint (`state_files.py`). The totals of a batch count from the start of the run, so a run
that is killed and started again ends with the same answer and counts: a batch that is run again
starts from the state before it.

Where somebody may change the run, or it has a pace, a file comes when the batch before it is done:
between two batches another program can take over the state. Else files come well ahead, and the
job of a batch runs while Spark commits the one before (`steps_ahead.py`).
"""

from __future__ import annotations

import shutil
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial

from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from planner.errors import RunError
from runtime.backends.interruption import RESUME
from runtime.backends.kernels.adapting import Adapting, revised
from runtime.backends.kernels.damaged_batches import with_sound_batches
from runtime.backends.kernels.observing import observing_of
from runtime.backends.kernels.pace import Pace
from runtime.backends.kernels.prepare import PreparedKernelRun
from runtime.backends.kernels.progress import progress_of
from runtime.backends.kernels.totals import Totals
from runtime.backends.live_changes import boundary
from runtime.backends.protocol import RunContext
from runtime.engines.protocol import Program
from runtime.runs.records import Run
from runtime.spark.arrivals import BatchInbox, forget_unplanned
from runtime.spark.partition_tasks import PartitionTask, run_tasks
from runtime.spark.spark_errors import cause
from runtime.spark.state_files import StateFiles
from runtime.spark.steps_ahead import StepsAhead
from runtime.spark.worker import GoingOn

_POLL_SECONDS = 0.2
# Spark lists the folder when it has read what it found there the last time.
_MOST_AHEAD = 64


def streamed(
    spark: SparkSession, record: Run, prepared: PreparedKernelRun, context: RunContext
) -> tuple[list[bytes], Run, PreparedKernelRun, Adapting | None]:
    """The totals of every partition after the last micro-batch, what was run in the end, and what
    decided on its plans.

    What the context's steering asks for is done between two batches.
    """
    going = _Streaming(spark, record, prepared, context)
    with_sound_batches(record.request, prepared, going.through)
    return going.totals.kept(), going.record, going.prepared, going.adapting


class _Streaming:
    """A run as a stream, from its checkpoint if there is one."""

    def __init__(
        self, spark: SparkSession, record: Run, prepared: PreparedKernelRun, context: RunContext
    ) -> None:
        self._spark, self._context, self._steering = spark, context, context.steering
        self.record, self.prepared = record, prepared
        self._pace = Pace(record.request.pace, prepared.begin, prepared.batches.untils)
        self._begun = time.time()
        self.totals = Totals(context.folder)
        # How many micro-batches are done: set by Spark's thread, awaited by the run's.
        self._done = self.totals.done()
        self._changed = threading.Condition()
        self._checkpoint = context.folder / "checkpoint"
        self._states = context.folder / "state"
        self._comes = context.folder / "arrivals"
        self._results = context.folder / "results"
        self._going_on = GoingOn(context.folder)
        self.observing = observing_of(context.folder, prepared)
        adapts = prepared.workload.run.adapt is not None
        self.adapting = Adapting(record.request, prepared) if adapts else None
        # Nothing is waited for in a run without a pace whose program does not change.
        waits = adapts or record.request.steerable or record.request.pace is not None
        self._ahead = 0 if waits else min(_MOST_AHEAD, prepared.batches.batches)

    def through(self) -> None:
        """Run all micro-batches that are left."""
        self._done = self.totals.done()
        if self.observing is not None and not self.observing.resume(self._done):
            # What some batch saw was damaged: later ones would see less than they did.
            self._done = 0
            self.observing.resume(0)
        if self._done and not self._states.exists():
            raise RunError("an earlier version of Sluice began it; run the plan again", "run")
        if not self._done:
            # No batch is done, or what they counted was damaged since: from the start.
            for folder in (self._checkpoint, self._states, self._comes, self._results):
                shutil.rmtree(folder, ignore_errors=True)
        self._arriving = arriving = BatchInbox(self.prepared.batches, self._comes, self._done)
        stop = self._context.stop
        self._pace.go_on_from(self._done)
        self._going_on.begin()
        for _ in range(self._ahead - arriving.come):
            arriving.let_in()
        program = self.prepared.program
        query = self._start(program)
        try:
            while True:
                needed = arriving.come if arriving.all_come else arriving.come - self._ahead
                while not self._are_done(needed):
                    stop.check()
                    _check(query)
                stop.check()
                if arriving.all_come:
                    break
                following = self._before_next(arriving.come)
                if following is not program:
                    _end(query)
                    program = following
                    query = self._start(program)
                arriving.let_in()
            _end(query)
        finally:
            self._going_on.end()
            query.stop()
            self._steps.end()

    def _start(self, program: Program) -> StreamingQuery:
        results = str(self._results) if self.record.request.results else None
        sketches = self.prepared.sketches
        work = PartitionTask(
            program.to_json(),
            str(self._comes),
            str(self._going_on.file),
            results,
            None if sketches is None else sketches.to_json(),
        )

        # Workers start while Spark makes its first plans.
        threads = ThreadPoolExecutor(1)
        loading = threads.submit(run_tasks, self._spark.sparkContext, program.partitions, work.load)
        threads.shutdown(wait=False)

        # Where something may change between two batches, none begins before the one ahead is done.
        has_come = self._has_come if self._ahead else lambda _: False
        self._steps = steps = StepsAhead(partial(self._run_tasks, work), has_come)

        def step(_: DataFrame, number: int) -> None:
            loading.result()
            self._step(steps, number)

        forget_unplanned(self._checkpoint)
        # What is in a file is read by the tasks; Spark sees that it has come.
        return (
            self._spark.readStream.option("maxFilesPerTrigger", 1)
            .schema("batch int")
            .parquet(str(self._comes))
            .writeStream.option("checkpointLocation", str(self._checkpoint))
            .foreachBatch(step)
            .start()
        )

    def _has_come(self, number: int) -> bool:
        """Whether the tuples of this batch are there."""
        return number < self._arriving.come

    def _run_tasks(self, work: PartitionTask, number: int) -> list[tuple[bytes, bytes | None]]:
        """Run the tasks of a micro-batch: its totals, and sketches where it is watched."""
        task = partial(work.step, str(self._states), number)
        return run_tasks(self._spark.sparkContext, self.prepared.program.partitions, task)

    def _step(self, steps: StepsAhead[list[tuple[bytes, bytes | None]]], number: int) -> None:
        """Run a micro-batch, in Spark's thread. It is committed when this returns."""
        # Raised by the run's own thread, too, which looks less often.
        self._context.stop.check()
        stepped = steps.take(number)
        totals = [totals for totals, _ in stepped]
        done = number + 1
        so_far = progress_of(self.prepared, done, totals, self._begun)
        if self.observing is not None:
            sketches = [sketch for _, sketch in stepped if sketch is not None]
            self.observing.take(number, sketches)
            so_far = replace(so_far, observed=tuple(self.observing.timeline))
            if self.adapting is not None:
                self.adapting.note(number, sketches)
        so_far = replace(so_far, switches=self.record.switches)
        self.totals.keep(done, totals)
        StateFiles(str(self._states)).drop_before(number, self.prepared.program.partitions)
        self._context.on_progress(replace(so_far, lag=self._pace.lag(done)))
        with self._changed:
            self._done = done
            self._changed.notify_all()

    def _are_done(self, count: int) -> bool:
        """Wait some time for so many to be done; whether they are."""
        with self._changed:
            return self._changed.wait_for(lambda: self._done >= count, _POLL_SECONDS)

    def _before_next(self, done: int) -> Program:
        """Wait until the next batch is due, and make the changes that are asked for until then."""
        while True:
            self._change(done)
            left = self._pace.seconds_until(done)
            if left <= 0:
                break
            self._steering.wait(left, self._context.stop)
        if done == self.prepared.batches.batches - 1:
            self._steering.close()
        return self.prepared.program

    def _change(self, done: int) -> None:
        if self.adapting is not None:
            record, prepared = self.adapting.revised(self.record, self.prepared, done)
            if record != self.record:
                # Recorded before its first batch: a run that is resumed switches there too.
                self._revise(record, prepared)
            return
        if not self.record.request.steerable:
            # Its batches may part tuples of one time: nothing can change between them.
            return
        begin, batches = self.prepared.begin, self.prepared.batches
        after = batches.untils[done - 1] - begin if done else -1
        made = self._steering.made_at(boundary(after, batches.froms[done] - begin))
        if made is not None:
            request, prepared = made
            self._revise(revised(self.record, request, prepared), prepared)

    def _revise(self, record: Run, prepared: PreparedKernelRun) -> None:
        self.record, self.prepared = record, prepared
        self._context.revise(record, prepared)


def _end(query: StreamingQuery) -> None:
    """Stop a stream that has run all batches that have come, when the last is committed."""
    try:
        query.processAllAvailable()
    except PySparkException as error:
        raise RunError(f"the stream was interrupted: {cause(error, RESUME)}", "Spark") from error
    query.stop()


def _check(query: StreamingQuery) -> None:
    """Raise why a stream is at an end that has batches before it."""
    if query.isActive:
        return
    error = query.exception()
    text = cause(error, RESUME) if error else "it ended before its last micro-batch"
    raise RunError(f"the stream was interrupted: {text}", "Spark") from error
