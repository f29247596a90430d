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
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pandas as pd
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.query import StreamingQuery
from pyspark.sql.streaming.state import GroupState, GroupStateTimeout

from planner.errors import RunError
from runtime.backends.interruption import RESUME, StopSignal
from runtime.backends.kernels.pace import Pace
from runtime.backends.kernels.prepare import Prepared
from runtime.backends.kernels.progress import Totals, progress_of
from runtime.backends.live_changes import boundary
from runtime.backends.protocol import RunContext
from runtime.data.microbatches import MicroBatches
from runtime.engines.protocol import Program
from runtime.runs.records import Run
from runtime.spark.replay import TOTALS, by_partition
from runtime.spark.spark_errors import cause
from runtime.spark.worker import GoingOn, only_while, step_through


class Arriving:
    """Links to the files of micro-batches. What came before a run was interrupted is there still.

    Between two batches nothing is under way: then a stream can be stopped and another program go
    on, or the next batch be kept back until its time has come.
    """

    def __init__(self, batches: MicroBatches, folder: Path) -> None:
        self.folder = folder
        self._files = sorted(Path(batches.folder).glob("*.parquet"))
        folder.mkdir(parents=True, exist_ok=True)
        self.come = len(list(folder.glob("*.parquet")))

    @property
    def all_come(self) -> bool:
        """Whether none is left."""
        return self.come == len(self._files)

    def let_in(self) -> None:
        """The next batch comes, with the time of its file, by which Spark orders them."""
        file = self._files[self.come]
        try:
            os.link(file, self.folder / file.name)
        except OSError:
            # Not every file system has links. Spark passes over names with an underscore.
            beside = self.folder / f"_{file.name}"
            shutil.copy2(file, beside)
            beside.replace(self.folder / file.name)
        self.come += 1


_POLL_SECONDS = 0.2

OnBatch = Callable[[int, list[bytes]], None]


class _Done:
    """How many micro-batches are done: told by Spark's thread, awaited by the run's."""

    def __init__(self, done: int, on_batch: OnBatch) -> None:
        self.count = done
        self._on_batch = on_batch
        self._changed = threading.Condition()

    def emit(self, emitted: DataFrame, _batch_id: int) -> None:
        """Take what a micro-batch emits."""
        rows = sorted(emitted.collect(), key=lambda row: row["partition"])
        if rows:
            number = int(rows[0]["batch"])
            self._on_batch(number, [bytes(row["totals"]) for row in rows])
            with self._changed:
                self.count = number + 1
                self._changed.notify_all()

    def wait(self, count: int) -> bool:
        """Wait some time for so many to be done; whether they are."""
        with self._changed:
            return self._changed.wait_for(lambda: self.count >= count, _POLL_SECONDS)


@dataclass(frozen=True, slots=True)
class Streamed:
    """What a stream reads and where it keeps what it needs."""

    arriving: Arriving
    checkpoint: Path
    results_folder: str | None
    going_on: GoingOn


def stream(
    spark: SparkSession,
    program: Program,
    streamed: Streamed,
    done: int,
    on_batch: OnBatch,
    before_next: Callable[[int], Program],
    stop: StopSignal,
) -> None:
    """Run to the end of the micro-batches, from the checkpoint if there is one.

    `done` is how many were done before. `on_batch` is given the number of each finished batch and
    the totals of all partitions. `before_next` is asked when so many batches are done, and may
    wait: the program it gives runs from there on.
    """
    arriving = streamed.arriving
    batches = _Done(done, on_batch)
    streamed.going_on.begin()
    query = _start(spark, program, streamed, batches)
    try:
        while True:
            while not batches.wait(arriving.come):
                stop.check()
                _check(query)
            stop.check()
            if arriving.all_come:
                break
            following = before_next(batches.count)
            if following is not program:
                _end(query)
                program = following
                query = _start(spark, program, streamed, batches)
            arriving.let_in()
        _end(query)
    finally:
        streamed.going_on.end()
        query.stop()


def _start(
    spark: SparkSession, program: Program, streamed: Streamed, batches: _Done
) -> StreamingQuery:
    text, results_folder = program.to_json(), streamed.results_folder
    going_on = str(streamed.going_on.file)

    def run(
        _group: tuple[int], frames: Iterator[pd.DataFrame], state: GroupState
    ) -> Iterator[pd.DataFrame]:
        frame = pd.concat(frames).sort_values("batch")
        before = bytes(state.get[0]) if state.exists else None
        partition = int(frame["partition"].iloc[0])
        given = zip(frame["batch"], frame["tuples"], strict=True)
        with only_while(going_on):
            after, totals = step_through(text, before, given, partition, results_folder)
        state.update((after,))
        yield pd.DataFrame(
            {"partition": [partition], "batch": [frame["batch"].iloc[-1]], "totals": [totals]}
        )

    spark.conf.set("spark.sql.shuffle.partitions", str(program.partitions))
    source = (
        spark.readStream.schema("batch int, partitions array<int>, tuples binary")
        .option("maxFilesPerTrigger", 1)
        .parquet(str(streamed.arriving.folder))
    )
    return (
        by_partition(source, program.partitions)
        .groupBy("group")
        .applyInPandasWithState(run, TOTALS, "state binary", "update", GroupStateTimeout.NoTimeout)
        .writeStream.outputMode("update")
        .option("checkpointLocation", str(streamed.checkpoint))
        .foreachBatch(batches.emit)
        .start()
    )


def _end(query: StreamingQuery) -> None:
    """Stop a stream that has run all batches that have come, when the last is committed."""
    try:
        query.processAllAvailable()
    except PySparkException as error:
        raise RunError(f"the stream broke off: {cause(error, RESUME)}", "Spark") from error
    query.stop()


def _check(query: StreamingQuery) -> None:
    """Raise why a stream is at an end that has batches before it."""
    if query.isActive:
        return
    error = query.exception()
    told = cause(error, RESUME) if error else "it ended before its last micro-batch"
    raise RunError(f"the stream broke off: {told}", "Spark") from error


def streamed(
    spark: SparkSession, record: Run, prepared: Prepared, context: RunContext
) -> tuple[list[bytes], Run, Prepared]:
    """The totals of every partition after the last micro-batch, and what was run in the end.

    What the context's steering asks for is done between two batches.
    """
    going = _Streaming(record, prepared, context)
    going.through(spark)
    return going.totals.kept(), going.record, going.prepared


class _Streaming:
    def __init__(self, record: Run, prepared: Prepared, context: RunContext) -> None:
        self.record, self.prepared, self._context = record, prepared, context
        self._folder, self._steering = context.folder, context.steering
        self._pace = Pace(record.request.pace, prepared.begin, prepared.batches.untils)
        self._begun = time.time()
        self.totals = Totals(context.folder)

    def through(self, spark: SparkSession) -> None:
        """Run all micro-batches that are left."""
        checkpoint, comes = self._folder / "checkpoint", self._folder / "arrivals"
        if checkpoint.exists() and not comes.exists():
            # Its stream has read files under other names, and would read them all again.
            raise RunError("an earlier version of Sluice began it; run the plan again", "run")
        kept = str(self._folder / "results") if self.record.request.results else None
        arriving = Arriving(self.prepared.batches, comes)
        files = Streamed(arriving, checkpoint, kept, GoingOn(self._folder))
        done = self.totals.done()
        self._pace.go_on_from(done)
        stream(
            spark,
            self.prepared.program,
            files,
            done,
            self._on_batch,
            self._before_next,
            self._context.stop,
        )

    def _on_batch(self, number: int, totals: list[bytes]) -> None:
        done = number + 1
        self.totals.keep(done, totals)
        so_far = progress_of(self.prepared, done, totals, self._begun)
        self._context.on_progress(replace(so_far, lag=self._pace.lag(done)))

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
