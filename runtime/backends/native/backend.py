"""Runs on Spark's own operators: planned, described and written as files, then carried out."""

from __future__ import annotations

import shutil
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from planner.errors import RunError
from planner.families.registry import chosen_plan
from planner.files.tuple_table import Table
from planner.plan.cost import Measurement, Timings
from planner.time_limit import planning_limit
from runtime.backends.interruption import RUN_AGAIN
from runtime.backends.native.description import NativePlan
from runtime.backends.native.files import NativeFiles, cuts_of, merge_native_results, write_tables
from runtime.backends.native.kinds import NativeAggregation, describe, groups_of, refusal
from runtime.backends.native.tally import NativeTally
from runtime.backends.protocol import Backend, PreparedRun, RunContext, family_of
from runtime.data.folders import writable_home
from runtime.data.run_data import (
    covered,
    data_digest,
    generated,
    span_of,
    with_data,
)
from runtime.engines.kernels.digest import as_text
from runtime.runs.records import Progress, Run, RunRequest
from runtime.runs.result_files import check_folder


@dataclass(frozen=True, slots=True, kw_only=True)
class PreparedNative(PreparedRun):
    """A run on Spark's own operators that is ready to go, but for its files."""

    described: NativePlan
    tables: Mapping[str, Table]
    cuts: tuple[int, ...]
    # Of an aggregation.
    groups: NativeAggregation | None = None

    @property
    def streams(self) -> list[str]:
        """The streams among its tables."""
        return [s.name for s in self.workload.streams if s.name in self.tables]

    @property
    def arrivals(self) -> int:
        """How many tuples arrive."""
        return sum(len(self.tables[name]) for name in self.streams)

    def write(self, folder: Path) -> NativeFiles:
        """Write its tables as Spark is to read them."""
        used = {name: self.described.attributes(name) for name in self.tables}
        more = self.groups.columns() if self.groups else None
        return write_tables(self.tables, self.streams, used, self.cuts, folder, more)


class NativeBackend(Backend):
    """Runs plans on Spark's own operators, which keep no totals and count anew when they start."""

    def prepare(self, request: RunRequest, partitions: int) -> PreparedNative:
        """Plan, generate or read the tuples, and describe what Spark is to do.

        A RunError where Spark's own operators cannot express it.
        """
        writable_home(request.shared)
        if request.results is not None:
            check_folder(request.results)
        workload, own, warnings = with_data(request.workload, request.data, request.sort)
        chosen = family_of(request, workload)
        with planning_limit():
            space = chosen.space(workload)
            plan = chosen_plan(space, request.label)
            estimate = space.estimate(plan)
        if reason := refusal(plan, workload, request.way):
            raise RunError(reason, "--backend native")
        tables = own or generated(workload)
        described = describe(plan, workload)
        read = {name: tables[name] for name in described.tables}
        streams = [read[s.name] for s in workload.streams if s.name in read]
        span, more = span_of(workload, covered(streams), own_data=own is not None)
        cuts = cuts_of(streams, request.batch_rows, [span.warmup])
        return PreparedNative(
            workload=workload,
            plan=plan,
            estimate=estimate,
            data_digest=data_digest(workload, own),
            warnings=(*warnings, *more, *described.notes),
            partitions=partitions,
            batch_count=len(cuts),
            begin=covered(streams).first_ts if own else 0,
            span=span,
            described=described,
            tables=read,
            cuts=tuple(cuts),
            groups=groups_of(plan, described, workload, read),
        )

    def measure(self, record: Run, prepared: PreparedNative, context: RunContext) -> Run:
        """Run the plan to its end. What it wrote meanwhile is dropped."""
        # Imported when a plan is first run: planning and reading history need no Spark.
        from runtime.spark.native.run import run_natively
        from runtime.spark.process_deaths import said_if_a_process_dies
        from runtime.spark.session import session

        request, batches, folder = record.request, prepared.batch_count, context.folder
        context.on_progress(Progress("Starting Spark", 0, batches, prepared.arrivals))
        start_begun = time.time()
        spark = session(request.master, request.shared).newSession()
        start_seconds = time.time() - start_begun
        context.stop.check()

        def on_batch(number: int, tally: NativeTally) -> None:
            if number < batches:
                progress = Progress(
                    "Running",
                    number + 1,
                    batches,
                    prepared.arrivals,
                    time.time() - engine_begun,
                    results=tally.results,
                    state_tuples=tally.state_rows,
                    reached=(files.untils[number] - prepared.begin) / 1e6,
                )
                context.on_progress(progress)

        try:
            files = prepared.write(folder / "tuples")
            engine_begun = time.time()
            context.on_progress(Progress("Running", 0, batches, prepared.arrivals))
            with said_if_a_process_dies(RUN_AGAIN):
                tally = run_natively(
                    spark, request, prepared, files, folder, on_batch, context.stop
                )
            # Spark may be done between two looks at the limits.
            context.stop.check()
            engine_seconds = time.time() - engine_begun
            if request.results and prepared.groups is None:
                merge_native_results(prepared.workload, folder / "results", request.results)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        finished = time.time()
        timings = Timings(finished - context.begun, engine_seconds, None, start_seconds)
        return replace(
            record.ended("finished", finished), measurement=_measurement(prepared, tally, timings)
        )

    def why_not_resumed(self, _request: RunRequest) -> str:
        """It never can be."""
        return "ran on Spark's own operators, which count anew; run the plan again"


def _measurement(prepared: PreparedNative, tally: NativeTally, timings: Timings) -> Measurement:
    found = {name: tally.query(n) for n, name in enumerate(prepared.described.queries)}
    return Measurement(
        costs={},
        qualities={},
        timings=timings,
        rows={name: len(table) for name, table in prepared.tables.items()},
        results={name: own.results for name, own in found.items()},
        answers={name: as_text(own.hashes) for name, own in found.items()},
        spark=tally.as_json(prepared.plan, prepared.described, prepared.span.seconds),
    )


BACKEND = NativeBackend()
