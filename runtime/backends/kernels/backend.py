"""Plans on our kernels: a program stepped through micro-batches by Spark, and what it counted."""

from __future__ import annotations

import time
from dataclasses import replace
from functools import partial
from pathlib import Path

from planner.families.registry import family
from planner.plan.cost import Timings
from planner.seconds.kernel_work import RunShape, kernel_seconds
from runtime.backends.interruption import RESUME, RUN_AGAIN, unless_stopped
from runtime.backends.kernels.adapting import Adapting
from runtime.backends.kernels.observing import with_observed
from runtime.backends.kernels.prepare import PreparedKernelRun, prepare
from runtime.backends.kernels.progress import measured_so_far, measurement_of
from runtime.backends.kernels.totals import Totals
from runtime.backends.protocol import Backend, RunContext
from runtime.data.run_data import run_seconds
from runtime.engines.registry import engine
from runtime.runs.records import KernelTime, Progress, Run, RunRequest
from runtime.runs.result_files import check_parts


class KernelBackend(Backend):
    """Runs programs. A stream keeps its totals and a checkpoint: it can be resumed."""

    prepare = staticmethod(prepare)
    measured_so_far = staticmethod(measured_so_far)

    def predicted_kernel(self, request: RunRequest, prepared: PreparedKernelRun) -> KernelTime:
        """Over all of its stream time, batches and partitions."""
        workload, batches = prepared.workload, prepared.batches
        space = family(prepared.plan.family).space(workload, request.units)
        seconds = run_seconds(workload)
        if request.data is not None:
            seconds = max(0.0, (batches.last_ts - prepared.begin) / 1e6)
        replicated = prepared.split.modulus is None
        keeps_rows = bool(request.results)
        shape = RunShape(batches.batches, prepared.partitions, replicated, keeps_rows)
        work = space.kernel_work(prepared.plan, prepared.estimate.costs)
        spent = kernel_seconds(work, space.units, workload.longest_window, seconds, shape)
        return KernelTime(spent, space.units.source)

    def measure(self, record: Run, prepared: PreparedKernelRun, context: RunContext) -> Run:
        """Step the program through Spark; write the results, and lay the counts over the plan."""
        # Imported when a plan is first run: planning and reading history need no Spark.
        from runtime.spark.process_deaths import said_if_a_process_dies
        from runtime.spark.replay import replayed
        from runtime.spark.session import ready
        from runtime.spark.stream import streamed

        request, batches = record.request, prepared.batches
        adapting: Adapting | None = None
        begun = Progress("Starting Spark and the kernels", 0, batches.batches, batches.arrivals)
        context.on_progress(begun)
        starting = partial(ready, request.master, request.shared, prepared.program.load)
        start_begun = time.time()
        spark = unless_stopped(starting, context.stop).newSession()
        start_seconds = time.time() - start_begun
        context.folder.mkdir(parents=True, exist_ok=True)
        engine_begun = time.time()
        context.on_progress(replace(begun, phase="Running"))
        with said_if_a_process_dies(self._what_to_do(record)):
            if request.way == "replay":
                if prepared.workload.run.adapt is not None:
                    # One job runs all batches: what a stream decides in between is decided first.
                    adapting = Adapting(request, prepared)
                    record, prepared = adapting.revised(record, prepared, batches.batches)
                    request = record.request
                    context.revise(record, prepared)
                totals = replayed(spark, record, prepared, context)
            else:
                context.steering.begin(request, prepared)
                totals, record, prepared, adapting = streamed(spark, record, prepared, context)
        # Spark may be done between two looks at the limits.
        context.stop.check()
        tally = prepared.program.tally(totals, prepared.plan)
        engine_seconds = time.time() - engine_begun
        if request.results:
            runs, parts = engine(prepared.plan.family), context.folder / "results"
            check_parts(parts, prepared.batches.batches, prepared.program.partitions)
            runs.write_results(prepared.workload, prepared.schema, tally, parts, request.results)
        finished = time.time()
        spent = finished - context.begun
        decide = None if adapting is None else adapting.seconds
        kernel = tally.kernel_seconds
        timings = Timings(spent, engine_seconds, kernel, start_seconds, decide=decide)
        measurement = with_observed(
            measurement_of(prepared, tally, timings), context.folder, prepared
        )
        return replace(record.ended("finished", finished), measurement=measurement)

    def _what_to_do(self, record: Run) -> str:
        """About a run that Spark has left."""
        if self.why_not_resumed(record.request) is not None:
            return RUN_AGAIN
        return f"{RESUME} (python -m runtime resume {record.id})"

    def why_not_resumed(self, request: RunRequest) -> str | None:
        """A replay cannot be resumed."""
        if request.way != "stream":
            return "was a replay, which keeps no checkpoint; run the plan again"
        return None

    def batches_counted(self, folder: Path) -> int:
        """How many batches the totals on disk cover."""
        return Totals(folder).done()


BACKEND = KernelBackend()
