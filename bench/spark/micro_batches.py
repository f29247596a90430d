"""A micro-batch of ours beside the least that Spark's stateful operator takes for one.

The floor is an identity `applyInPandasWithState` with one state per partition, on the very files of
our run, in the same session and with the same settings. Few tuples: what is timed is Spark.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import Any

import pandas as pd
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.functions import array, col, element_at, explode, expr, lit
from pyspark.sql.streaming.state import GroupState, GroupStateTimeout

from bench.workloads import TABLE_5, join_of
from runtime.backends.kernels.prepare import prepare
from runtime.control.execute import run
from runtime.runs.history import History
from runtime.runs.records import Progress, RunRequest
from runtime.spark.session import session

TUPLES, BATCH_ROWS, PARTITIONS, ROUNDS = 10_000, 500, 2, 3
# A stream's first batches start its workers.
LEFT_OUT = 5


def micro_batches() -> dict[str, Any]:
    """Seconds from the end of a batch to the end of the next: medians of rounds, in turns."""
    workload = join_of(TABLE_5, TUPLES)
    request = RunRequest(
        workload, "join_order", "best", partitions=PARTITIONS, batch_rows=BATCH_ROWS
    )
    folder = prepare(request, PARTITIONS).batches.folder
    ours, floor = [], []
    with tempfile.TemporaryDirectory() as name:
        history = History(Path(name) / "history.sqlite")
        for _ in range(ROUNDS):
            ours.append(_ours(request, history))
            floor.append(_floor(session().newSession(), folder))
    ratios = [own / least for own, least in zip(ours, floor, strict=True)]
    return {
        "batches": -(-TUPLES // BATCH_ROWS),
        "seconds": {"Sluice": median(ours), "identity": median(floor)},
        "times the identity": median(ratios),
        "at least": min(ratios),
        "at most": max(ratios),
    }


def _between(ends: list[float]) -> float:
    return median(after - before for before, after in pairwise(ends[LEFT_OUT:]))


def _ours(request: RunRequest, history: History) -> float:
    ends: dict[int, float] = {}

    def hear(progress: Progress) -> None:
        if progress.batches_done:
            ends.setdefault(progress.batches_done, time.perf_counter())

    run(request, hear, history=history)
    return _between(list(ends.values()))


def _floor(spark: SparkSession, folder: str) -> float:
    spark.conf.set("spark.sql.shuffle.partitions", str(PARTITIONS))
    # One key for each task, whatever Spark's hash makes of small numbers.
    tasks = expr(f"pmod(hash(cast(id AS int)), {PARTITIONS})")
    rows = spark.range(100).select("id", tasks.alias("task")).collect()
    keys = array(*(lit(min(r["id"] for r in rows if r["task"] == t)) for t in range(PARTITIONS)))

    def identity(
        _: tuple[int], frames: Iterator[pd.DataFrame], state: GroupState
    ) -> Iterator[pd.DataFrame]:
        before = state.get[0] if state.exists else b""
        state.update((before,))
        yield pd.concat(frames)[["batch"]]

    ends: list[float] = []

    def emit(frame: DataFrame, _: int) -> None:
        frame.collect()
        ends.append(time.perf_counter())

    with tempfile.TemporaryDirectory() as checkpoint:
        source = (
            spark.readStream.option("maxFilesPerTrigger", 1)
            .schema("batch int, partitions array<int>, tuples binary")
            .parquet(folder)
            .select("batch", "tuples", explode("partitions").alias("partition"))
            .withColumn("key", element_at(keys, col("partition") + 1))
        )
        query = (
            source.groupBy("key")
            .applyInPandasWithState(
                identity, "batch int", "state binary", "update", GroupStateTimeout.NoTimeout
            )
            .writeStream.outputMode("update")
            .option("checkpointLocation", checkpoint)
            .trigger(availableNow=True)
            .foreachBatch(emit)
            .start()
        )
        query.awaitTermination()
    return _between(ends)
