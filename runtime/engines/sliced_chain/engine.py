"""The engine of many joins that share: unshared, shared and sliced."""

from __future__ import annotations

from planner.plan.plan import Plan
from planner.workload.workload import Workload
from runtime.data.feed import Split
from runtime.engines.pair_engine import PairEngine
from runtime.engines.sliced_chain.compile import compile_slices
from runtime.engines.sliced_chain.program import load_slice_kernels


class SliceEngine(PairEngine):
    """Runs chains of sliced joins, and what they are compared with."""

    compile = staticmethod(compile_slices)
    bytes_per_tuple = 250
    loaders = (load_slice_kernels,)

    def split(self, _plan: Plan, _workload: Workload, partitions: int) -> Split:
        """The program shares out the buckets itself: each join may have others."""
        return Split(partitions, None)


ENGINE = SliceEngine()
