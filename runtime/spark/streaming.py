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
from runtime.spark.going import GoingOn
from runtime.spark.stream import Streamed, stream
from runtime.steering import Steering, boundary
from runtime.stopping import StopSignal
from runtime.totals import Totals


def streamed(
    spark: SparkSession,
    record: Run,
    prepared: Prepared,
    folder: Path,
    on_progress: Callable[[Progress], None],
    stop: StopSignal,
    steering: Steering,
    revise: Callable[[Run, Prepared], None],
) -> tuple[list[bytes], Run, Prepared]:
    """The totals of every partition after the last micro-batch, and what was run in the end.

    `folder` is the run's own. What `steering` asks for is done between two batches, when `revise`
    has kept the record with it.
    """
    going = _Streaming(record, prepared, folder, on_progress, stop, steering, revise)
    going.through(spark)
    return going.totals.kept(), going.record, going.prepared


class _Streaming:
    def __init__(
        self,
        record: Run,
        prepared: Prepared,
        folder: Path,
        on_progress: Callable[[Progress], None],
        stop: StopSignal,
        steering: Steering,
        revise: Callable[[Run, Prepared], None],
    ) -> None:
        self.record, self.prepared, self._folder = record, prepared, folder
        self._on_progress, self._stop = on_progress, stop
        self._steering, self._revise = steering, revise
        self._pace = Pace(record.request.pace, prepared.begin, prepared.batches.untils)
        self._begun = time.time()
        self.totals = Totals(folder)

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
            self._stop,
        )

    def _on_batch(self, number: int, totals: list[bytes]) -> None:
        done = number + 1
        self.totals.keep(done, totals)
        so_far = progress_of(self.prepared, done, totals, self._begun)
        self._on_progress(replace(so_far, lag=self._pace.lag(done)))

    def _before_next(self, done: int) -> Program:
        """Wait until the next batch is due, and make the changes that are asked for until then."""
        while True:
            self._change(done)
            left = self._pace.seconds_until(done)
            if left <= 0:
                break
            self._steering.wait(left, self._stop)
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
            self._revise(self.record, self.prepared)
