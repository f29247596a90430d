"""Stream: a program as a stateful operator of Structured Streaming, one micro-batch per file.

Windows and counters live in Spark's state store. The totals that a micro-batch emits count from the
start of the run, so a run that is killed and started again from its checkpoint ends with the same
answer and counts: a batch that is run again starts from the state before it.

Files come one by one, each when the batch before it is done: between two batches another program
can take over the state.
"""

from __future__ import annotations

import os
import shutil
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pandas as pd
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.query import StreamingQuery
from pyspark.sql.streaming.state import GroupState, GroupStateTimeout

from planner.errors import RunError
from runtime.backends.interruption import RESUME
from runtime.backends.kernels.damaged_batches import with_sound_batches
from runtime.backends.kernels.pace import Pace
from runtime.backends.kernels.prepare import Prepared
from runtime.backends.kernels.progress import Totals, progress_of
from runtime.backends.live_changes import boundary
from runtime.backends.protocol import RunContext
from runtime.data.microbatches import MicroBatches
from runtime.engines.protocol import Program
from runtime.runs.records import Run
from runtime.spark.replay import TOTALS, by_partition, totals_of_all
from runtime.spark.spark_errors import cause
from runtime.spark.worker import GoingOn, only_while, step_through


class Arriving:
    """Links to the files of micro-batches. What came before a run was interrupted is there still.

    Between two batches nothing is under way: then a stream can be stopped and another program go
    on, or the next batch be kept back until its time has come.
    """

    def __init__(self, batches: MicroBatches, folder: Path, done: int) -> None:
        self.folder, self._batches = folder, batches
        folder.mkdir(parents=True, exist_ok=True)
        self.come = len(list(folder.glob("*.parquet")))
        # Spark reads again what it has not committed, and may meet what was damaged since.
        for number in range(max(0, done - 1), self.come):
            self._put(number)

    @property
    def all_come(self) -> bool:
        """Whether none is left."""
        return self.come == self._batches.batches

    def let_in(self) -> None:
        """The next batch comes, with the time of its file, by which Spark orders them."""
        self._put(self.come)
        self.come += 1

    def _put(self, number: int) -> None:
        file = self._batches.file(number)
        place, beside = self.folder / file.name, self.folder / f"_{file.name}"
        # Spark passes over names with an underscore.
        beside.unlink(missing_ok=True)
        try:
            os.link(file, beside)
        except OSError:
            # Not every file system has links.
            shutil.copy2(file, beside)
        beside.replace(place)
        # Renaming one name of a file to another name of it does nothing.
        beside.unlink(missing_ok=True)


_POLL_SECONDS = 0.2


def streamed(
    spark: SparkSession, record: Run, prepared: Prepared, context: RunContext
) -> tuple[list[bytes], Run, Prepared]:
    """The totals of every partition after the last micro-batch, and what was run in the end.

    What the context's steering asks for is done between two batches.
    """
    going = _Streaming(spark, record, prepared, context)
    with_sound_batches(record.request, prepared, going.through)
    return going.totals.kept(), going.record, going.prepared


class _Streaming:
    """A run as a stream, from its checkpoint if there is one."""

    def __init__(
        self, spark: SparkSession, record: Run, prepared: Prepared, context: RunContext
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
        self._comes = context.folder / "arrivals"
        self._results = context.folder / "results"
        self._going_on = GoingOn(context.folder)

    def through(self) -> None:
        """Run all micro-batches that are left."""
        if self._checkpoint.exists() and not self._comes.exists():
            # Its stream has read files under other names, and would read them all again.
            raise RunError("an earlier version of Sluice began it; run the plan again", "run")
        self._done = self.totals.done()
        if not self._done:
            # No batch is done, or what they counted was damaged since: from the start.
            for folder in (self._checkpoint, self._comes, self._results):
                shutil.rmtree(folder, ignore_errors=True)
        arriving = Arriving(self.prepared.batches, self._comes, self._done)
        stop = self._context.stop
        self._pace.go_on_from(self._done)
        self._going_on.begin()
        program = self.prepared.program
        query = self._start(program)
        try:
            while True:
                while not self._are_done(arriving.come):
                    stop.check()
                    _check(query)
                stop.check()
                if arriving.all_come:
                    break
                following = self._before_next(self._done)
                if following is not program:
                    _end(query)
                    program = following
                    query = self._start(program)
                arriving.let_in()
            _end(query)
        finally:
            self._going_on.end()
            query.stop()

    def _start(self, program: Program) -> StreamingQuery:
        # What a worker is sent must not hold this object.
        text, going_on = program.to_json(), str(self._going_on.file)
        results = str(self._results) if self.record.request.results else None

        def run(
            _group: tuple[int], frames: Iterator[pd.DataFrame], state: GroupState
        ) -> Iterator[pd.DataFrame]:
            frame = pd.concat(frames).sort_values("batch")
            before = bytes(state.get[0]) if state.exists else None
            partition = int(frame["partition"].iloc[0])
            given = zip(frame["batch"], frame["tuples"], strict=True)
            with only_while(going_on):
                after, totals = step_through(text, before, given, partition, results)
            state.update((after,))
            yield pd.DataFrame(
                {"partition": [partition], "batch": [frame["batch"].iloc[-1]], "totals": [totals]}
            )

        reader = self._spark.readStream.option("maxFilesPerTrigger", 1)
        return (
            by_partition(self._spark, reader, str(self._comes), program.partitions)
            .applyInPandasWithState(
                run, TOTALS, "state binary", "update", GroupStateTimeout.NoTimeout
            )
            .writeStream.outputMode("update")
            .option("checkpointLocation", str(self._checkpoint))
            .foreachBatch(self._emit)
            .start()
        )

    def _emit(self, emitted: DataFrame, _batch_id: int) -> None:
        """Take what a micro-batch emits: the totals of all partitions."""
        rows = emitted.collect()
        last = max((int(row["batch"]) for row in rows), default=self._done)
        totals = totals_of_all(rows, self.prepared.program.partitions, last)
        done = last + 1
        self.totals.keep(done, totals)
        so_far = progress_of(self.prepared, done, totals, self._begun)
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
        if not self.record.request.steerable:
            # Its batches may part tuples of one time: nothing can change between them.
            return
        begin, batches = self.prepared.begin, self.prepared.batches
        after = batches.untils[done - 1] - begin if done else -1
        made = self._steering.made_at(boundary(after, batches.froms[done] - begin))
        if made is not None:
            request, self.prepared = made
            self.record = replace(
                self.record,
                request=request,
                workload=self.prepared.workload,
                plan=self.prepared.plan,
                estimate=self.prepared.estimate,
            )
            self._context.revise(self.record, self.prepared)


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
