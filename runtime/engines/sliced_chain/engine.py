"""The engine of many joins that share: unshared, shared and sliced."""

from __future__ import annotations

from pathlib import Path

from planner.plan.plan import Plan
from planner.workload.workload import Workload
from runtime.data.feed import Merge, Split
from runtime.engines.pair_feed import PairSchema, every_attribute, pair_feed
from runtime.engines.protocol import Engine, Tally
from runtime.engines.sliced_chain.compile import compile_slices
from runtime.engines.sliced_chain.program import load_slice_kernels
from runtime.runs.result_files import merge_shared_results


class SliceEngine(Engine):
    """Runs chains of sliced joins, and what they are compared with."""

    schema = staticmethod(PairSchema.read)
    compile = staticmethod(compile_slices)
    loaders = (load_slice_kernels,)

    def feed(self, _plan: Plan, _workload: Workload, open_to_change: bool = False) -> Merge:
        """What merges the streams: every attribute where queries may enter while it runs."""
        return every_attribute if open_to_change else pair_feed

    def split(self, _plan: Plan, _workload: Workload, partitions: int) -> Split:
        """The program shares out the buckets itself: each join may have others."""
        return Split(partitions, None)

    def write_results(
        self, workload: Workload, _schema: PairSchema, _tally: Tally, parts: Path, folder: Path
    ) -> None:
        """Write `QUERY.parquet` for every query."""
        merge_shared_results(workload, parts, folder)


ENGINE = SliceEngine()
