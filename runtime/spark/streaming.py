"""A streamed run from micro-batch to micro-batch: its pace held, its totals kept and told."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from pyspark.sql import SparkSession

from planner.errors import RunError
from runtime.arriving import Arriving
from runtime.pace import Pace
from runtime.prepare import Prepared
from runtime.programs.program import Program
from runtime.records import Progress, Run
from runtime.so_far import progress_of
from runtime.spark.stream import Streamed, stream
from runtime.stopping import StopSignal
from runtime.totals import Totals

_POLL_SECONDS = 0.1


def streamed(
    spark: SparkSession,
    record: Run,
    prepared: Prepared,
    folder: Path,
    on_progress: Callable[[Progress], None],
    stop: StopSignal,
) -> list[bytes]:
    """The totals of every partition after the last micro-batch; `folder` is the run's own."""
    going = _Streaming(record, prepared, folder, on_progress, stop)
    going.through(spark)
    return going.totals.kept()


class _Streaming:
    def __init__(
        self,
        record: Run,
        prepared: Prepared,
        folder: Path,
        on_progress: Callable[[Progress], None],
        stop: StopSignal,
    ) -> None:
        self._record, self._prepared, self._folder = record, prepared, folder
        self._on_progress, self._stop = on_progress, stop
        self._pace = Pace(record.request.pace, prepared.begin, prepared.batches.untils)
        self._begun = time.time()
        self.totals = Totals(folder)

    def through(self, spark: SparkSession) -> None:
        """Run all micro-batches that are left."""
        checkpoint, comes = self._folder / "checkpoint", self._folder / "arrivals"
        if checkpoint.exists() and not comes.exists():
            # Its stream has read files under other names, and would read them all again.
            raise RunError("an earlier version of Sluice began it; run the plan again", "run")
        kept = str(self._folder / "results") if self._record.request.results else None
        files = Streamed(Arriving(self._prepared.batches, comes), checkpoint, kept)
        done = self.totals.done()
        self._pace.go_on_from(done)
        stream(
            spark,
            self._prepared.program,
            files,
            done,
            self._on_batch,
            self._before_next,
            self._stop,
        )

    def _on_batch(self, number: int, totals: list[bytes]) -> None:
        done = number + 1
        self.totals.keep(done, totals)
        so_far = progress_of(self._prepared, done, totals, self._begun)
        self._on_progress(replace(so_far, lag=self._pace.lag(done)))

    def _before_next(self, done: int) -> Program:
        """Wait until the next batch is due."""
        while (left := self._pace.seconds_until(done)) > 0:
            self._stop.wait(min(left, _POLL_SECONDS))
            self._stop.check()
        return self._prepared.program
