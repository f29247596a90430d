"""The engine of shared joins whose work is scheduled: one task, one clock of work."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from planner.plan.plan import Plan
from planner.workload.workload import Workload
from runtime.data.feed import Merge, Split
from runtime.engines.pair_feed import PairSchema, every_attribute, pair_feed
from runtime.engines.protocol import Engine, PlanInput, Program, Tally
from runtime.engines.shared_schedule.load_kernels import load_schedule_kernels
from runtime.engines.shared_schedule.program import ScheduleProgram
from runtime.runs.result_files import merge_shared_results

if TYPE_CHECKING:
    from runtime.engines.design import Design


class ScheduleEngine(Engine):
    """Runs one join for many queries, and measures every policy on the same arrivals."""

    def feed(self, _plan: Plan, _workload: Workload, open_to_change: bool = False) -> Merge:
        """What merges the streams: every attribute where queries may enter while it runs."""
        return every_attribute if open_to_change else pair_feed

    def split(self, _plan: Plan, _workload: Workload, _partitions: int) -> Split:
        """One server works on the whole join."""
        return Split(1, None, "a schedule is of one server")

    def schema(self, folder: Path) -> PairSchema:
        """What the schema of a feed wrote beside its micro-batches."""
        return PairSchema.read(folder)

    def compile(self, given: PlanInput) -> Program:
        """The plan as a program."""
        # A worker that steps a program needs no planning.
        from runtime.engines.shared_schedule.compile import compile_schedule

        return compile_schedule(given)

    def program(self, content: Mapping[str, Any]) -> Program:
        """The program that `to_json` wrote."""
        return ScheduleProgram.from_json(content)

    def write_results(
        self, workload: Workload, _schema: PairSchema, _tally: Tally, parts: Path, folder: Path
    ) -> None:
        """Write `QUERY.parquet` for every query."""
        merge_shared_results(workload, parts, folder)

    def loaders(self) -> Sequence[Callable[[], None]]:
        """Its kernels together."""
        return (load_schedule_kernels,)

    def designs(self) -> Iterator[Design]:
        """Joins that compare much, and joins that find much."""
        from runtime.engines.shared_schedule.designs import schedules

        return schedules()


ENGINE = ScheduleEngine()
