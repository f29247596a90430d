"""The engine of joins: the multi-way kernel where it knows the join, else the loop kernel."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from planner.plan.loop_orders import is_multiway
from planner.plan.plan import Plan
from planner.workload.workload import Workload
from runtime.data.feed import Merge, Split
from runtime.engines.era_program import eras_compiled
from runtime.engines.join_feeds import JoinSchema, loop_feed, multiway_feed
from runtime.engines.join_order.kernel.loops import load_loop_kernels
from runtime.engines.join_order.kernel.multiway import load_kernels
from runtime.engines.join_order.loop_program import compile_loops
from runtime.engines.join_order.multiway_program import compile_join
from runtime.engines.nested_loops import common_modulus
from runtime.engines.protocol import Engine, PlanInput, Program, Tally
from runtime.engines.watching.sketch_plan import SketchPlan, by_class, of_one_query
from runtime.runs.result_files import merge_results


class JoinEngine(Engine):
    """Runs the plans of a join. On the general kernel alone, all of them as nested loops."""

    schema = staticmethod(JoinSchema.read)
    # The fast kernel, then loops without and with relations.
    bytes_per_tuple = 250
    loaders = (load_kernels, partial(load_loop_kernels, False), partial(load_loop_kernels, True))

    def __init__(self, general_only: bool = False) -> None:
        self._general_only = general_only

    def general(self) -> JoinEngine:
        """The engine on the loop kernel, which runs every plan."""
        return JoinEngine(general_only=True)

    def _is_multiway(self, plan: Plan, workload: Workload) -> bool:
        return not self._general_only and is_multiway(plan, workload)

    def feed(self, plan: Plan, workload: Workload, open_to_change: bool = False) -> Merge:
        """What merges the streams for the kernel that runs this plan."""
        assert not open_to_change, "the queries of a join do not change while it runs"
        return multiway_feed if self._is_multiway(plan, workload) else loop_feed

    def split(self, plan: Plan, workload: Workload, partitions: int) -> Split:
        """Tuples of one bucket stay together where every window is hashed; else all are replicated.

        Keys that are equal modulo every number of buckets are equal modulo their greatest divisor.
        """
        if not self._is_multiway(plan, workload):
            return Split(partitions, None)
        buckets = [op.param("buckets") for op in plan.operators() if op.kind == "insert"]
        return Split(partitions, common_modulus(buckets, partitions))

    def sketched(self, workload: Workload, schema: JoinSchema, replicated: bool) -> SketchPlan:
        """Its streams and the keys they are joined by."""
        return of_one_query(workload, by_class(schema.codes), schema.constants, replicated)

    def compile(self, given: PlanInput) -> Program:
        """The plan as a program."""
        multiway = self._is_multiway(given.plan, given.workload)
        return compile_join(given) if multiway else compile_loops(given)

    def compile_stages(self, given: PlanInput) -> Program:
        """Plans that follow each other, over the same windows."""
        return eras_compiled(self.compile, given)

    def write_results(
        self, workload: Workload, _schema: JoinSchema, _tally: Tally, parts: Path, folder: Path
    ) -> None:
        """Write `QUERY.parquet`: a row for each result."""
        merge_results(workload, parts, folder)


ENGINE = JoinEngine()
