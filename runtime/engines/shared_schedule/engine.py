"""The engine of shared joins whose work is scheduled: one task, one clock of work."""

from __future__ import annotations

from pathlib import Path

from planner.plan.plan import Plan
from planner.workload.workload import Workload
from runtime.data.feed import Merge, Split
from runtime.engines.pair_feed import PairSchema, every_attribute, pair_feed
from runtime.engines.protocol import Engine, Tally
from runtime.engines.shared_schedule.compile import compile_schedule
from runtime.engines.shared_schedule.load_kernels import load_schedule_kernels
from runtime.runs.result_files import merge_shared_results


class ScheduleEngine(Engine):
    """Runs one join for many queries, and measures every policy on the same arrivals."""

    schema = staticmethod(PairSchema.read)
    compile = staticmethod(compile_schedule)
    loaders = (load_schedule_kernels,)

    def feed(self, _plan: Plan, _workload: Workload, open_to_change: bool = False) -> Merge:
        """What merges the streams: every attribute where queries may enter while it runs."""
        return every_attribute if open_to_change else pair_feed

    def split(self, _plan: Plan, _workload: Workload, _partitions: int) -> Split:
        """One server works on the whole join."""
        return Split(1, None, "a schedule is of one server")

    def write_results(
        self, workload: Workload, _schema: PairSchema, _tally: Tally, parts: Path, folder: Path
    ) -> None:
        """Write `QUERY.parquet` for every query."""
        merge_shared_results(workload, parts, folder)


ENGINE = ScheduleEngine()
