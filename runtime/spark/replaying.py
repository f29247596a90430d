"""A replayed run: one Spark job, watched by the notes that its tasks leave."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from pyspark.sql import SparkSession

from runtime.prepare import Prepared
from runtime.records import Progress, Run
from runtime.so_far import progress_of
from runtime.spark.going import GoingOn
from runtime.spark.notes import newest_notes
from runtime.spark.replay import replay
from runtime.stopping import StopSignal
from runtime.totals import Totals


def replayed(
    spark: SparkSession,
    record: Run,
    prepared: Prepared,
    folder: Path,
    on_progress: Callable[[Progress], None],
    stop: StopSignal,
) -> list[bytes]:
    """The totals of every partition after the last micro-batch; `folder` is the run's own."""
    notes, kept, begun = folder / "notes", Totals(folder), time.time()
    notes.mkdir(exist_ok=True)
    parts = str(folder / "results") if record.request.results else None

    def look() -> None:
        found = newest_notes(notes, prepared.program.partitions)
        if found is not None and found[0] + 1 > kept.done():
            number, totals = found
            kept.keep(number + 1, totals)
            on_progress(progress_of(prepared, number + 1, totals, begun))

    going_on = GoingOn(folder)
    return replay(spark, prepared.program, prepared.batches, parts, notes, going_on, look, stop)
