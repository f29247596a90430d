"""The engine of shared joins whose work is scheduled: one task, one clock of work."""

from __future__ import annotations

from planner.plan.plan import Plan
from planner.workload.workload import Workload
from runtime.data.feed import Split
from runtime.engines.pair_engine import PairEngine
from runtime.engines.shared_schedule.compile import compile_schedule
from runtime.engines.shared_schedule.load_kernels import load_schedule_kernels


class ScheduleEngine(PairEngine):
    """Runs one join for many queries, and measures every policy on the same arrivals."""

    compile = staticmethod(compile_schedule)
    bytes_per_tuple = 250
    loaders = (load_schedule_kernels,)

    def split(self, _plan: Plan, _workload: Workload, _partitions: int) -> Split:
        """One server works on the whole join."""
        return Split(1, None, "a schedule is of one server")


ENGINE = ScheduleEngine()
