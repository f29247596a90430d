"""Stream: a program as a stateful operator of Structured Streaming, one micro-batch per file.

Windows and counters live in Spark's state store. The totals that a micro-batch emits count from the
start of the run, so a run that is killed and started again from its checkpoint ends with the same
answer and counts: a batch that is run again starts from the state before it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pandas as pd
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.state import GroupState, GroupStateTimeout

from planner.errors import RunError
from runtime.microbatches import MicroBatches
from runtime.programs.program import Program
from runtime.spark.faults import cause
from runtime.spark.replay import TOTALS, by_partition
from runtime.spark.worker import step_through
from runtime.stopping import StopSignal

_POLL_SECONDS = 0.2


def stream(
    spark: SparkSession,
    program: Program,
    batches: MicroBatches,
    checkpoint: Path,
    results_folder: str | None,
    on_batch: Callable[[int, list[bytes]], None],
    stop: StopSignal,
) -> None:
    """Run to the end of the micro-batches, from the checkpoint if there is one.

    `on_batch` is given the number of each finished batch and the totals of all partitions.
    """
    text = program.to_json()

    def run(
        _group: tuple[int], frames: Iterator[pd.DataFrame], state: GroupState
    ) -> Iterator[pd.DataFrame]:
        frame = pd.concat(frames).sort_values("batch")
        before = bytes(state.get[0]) if state.exists else None
        partition = int(frame["partition"].iloc[0])
        given = zip(frame["batch"], frame["tuples"], strict=True)
        after, totals = step_through(text, before, given, partition, results_folder)
        state.update((after,))
        yield pd.DataFrame(
            {"partition": [partition], "batch": [frame["batch"].iloc[-1]], "totals": [totals]}
        )

    def emit(emitted: DataFrame, _batch_id: int) -> None:
        rows = sorted(emitted.collect(), key=lambda row: row["partition"])
        if rows:
            on_batch(rows[0]["batch"], [bytes(row["totals"]) for row in rows])

    spark.conf.set("spark.sql.shuffle.partitions", str(program.partitions))
    source = (
        spark.readStream.schema("batch int, partitions array<int>, tuples binary")
        .option("maxFilesPerTrigger", 1)
        .parquet(batches.folder)
    )
    query = (
        by_partition(source, program.partitions)
        .groupBy("group")
        .applyInPandasWithState(run, TOTALS, "state binary", "update", GroupStateTimeout.NoTimeout)
        .writeStream.outputMode("update")
        .option("checkpointLocation", str(checkpoint))
        .trigger(availableNow=True)
        .foreachBatch(emit)
        .start()
    )
    try:
        while query.isActive:
            stop.wait(_POLL_SECONDS)
            stop.check()
    finally:
        query.stop()
    if error := query.exception():
        raise RunError(f"the stream broke off: {cause(error)}", "Spark") from error
