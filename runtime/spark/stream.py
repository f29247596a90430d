"""Stream: a program as a stateful operator of Structured Streaming, one micro-batch per file.

Windows and counters live in Spark's state store. The totals that a micro-batch emits count from the
start of the run, so a run that is killed and started again from its checkpoint ends with the same
answer and counts: a batch that is run again starts from the state before it.

Files come one by one, each when the batch before it is done: between two batches another program
can take over the state.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pandas as pd
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.query import StreamingQuery
from pyspark.sql.streaming.state import GroupState, GroupStateTimeout

from planner.errors import RunError
from runtime.arriving import Arriving
from runtime.disk import RESUME
from runtime.programs.program import Program
from runtime.spark.faults import cause
from runtime.spark.going import GoingOn, only_while
from runtime.spark.replay import TOTALS, by_partition
from runtime.spark.worker import step_through
from runtime.stopping import StopSignal

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
