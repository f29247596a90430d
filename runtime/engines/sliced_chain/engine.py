"""The engine of many joins that share: unshared, shared and sliced."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from planner.plan.plan import Plan
from planner.workload.workload import Workload
from runtime.data.feed import Merge, Split
from runtime.engines.pair_feed import PairSchema, every_attribute, pair_feed
from runtime.engines.protocol import Engine, PlanInput, Program, Tally
from runtime.engines.sliced_chain.compile import compile_slices
from runtime.engines.sliced_chain.program import SliceProgram, load_slice_kernels
from runtime.runs.result_files import merge_shared_results

if TYPE_CHECKING:
    from runtime.engines.design import Design


class SliceEngine(Engine):
    """Runs chains of sliced joins, and what they are compared with."""

    def feed(self, _plan: Plan, _workload: Workload, open_to_change: bool = False) -> Merge:
        """What merges the streams: every attribute where queries may enter while it runs."""
        return every_attribute if open_to_change else pair_feed

    def split(self, _plan: Plan, _workload: Workload, partitions: int) -> Split:
        """The program shares out the buckets itself: each join may have others."""
        return Split(partitions, None)

    def schema(self, folder: Path) -> PairSchema:
        """What the schema of a feed wrote beside its micro-batches."""
        return PairSchema.read(folder)

    def compile(self, given: PlanInput) -> Program:
        """The plan as a program."""
        return compile_slices(given)

    def program(self, content: Mapping[str, Any]) -> Program:
        """The program that `to_json` wrote."""
        return SliceProgram.from_json(content)

    def write_results(
        self, workload: Workload, _schema: PairSchema, _tally: Tally, parts: Path, folder: Path
    ) -> None:
        """Write `QUERY.parquet` for every query."""
        merge_shared_results(workload, parts, folder)

    def loaders(self) -> Sequence[Callable[[], None]]:
        """Its one kernel."""
        return (load_slice_kernels,)

    def designs(self) -> Iterator[Design]:
        """Chains of slices, shared and unshared."""
        from runtime.engines.sliced_chain.designs import chains

        return chains()


ENGINE = SliceEngine()
