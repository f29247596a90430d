"""The engine of aggregations over joins."""

from __future__ import annotations

from pathlib import Path

from planner.plan.plan import Plan
from planner.workload.query import CountWindow, Query, common_block
from planner.workload.workload import Workload
from runtime.data.feed import Merge, Split
from runtime.engines.early_aggregation.answer_files import write_answer
from runtime.engines.early_aggregation.compile import compile_aggregation
from runtime.engines.early_aggregation.feed import aggregate_feed
from runtime.engines.early_aggregation.groups import AggregationSchema
from runtime.engines.early_aggregation.kernel.aggregation import load_aggregation_kernels
from runtime.engines.era_program import eras_compiled
from runtime.engines.nested_loops import common_modulus
from runtime.engines.protocol import Engine, PlanInput, Program, Tally
from runtime.engines.watching.sketch_plan import SketchPlan, by_class, of_one_query

_IN_PARTS = "partitions hold parts of groups: the state measured counts every part"


class AggregationEngine(Engine):
    """Runs late and early aggregation."""

    schema = staticmethod(AggregationSchema.read)
    compile = staticmethod(compile_aggregation)
    bytes_per_tuple = 300
    loaders = (load_aggregation_kernels,)

    def feed(self, _plan: Plan, _workload: Workload, open_to_change: bool = False) -> Merge:
        """What merges the streams: the same for all plans."""
        assert not open_to_change, "the query of an aggregation does not change while it runs"
        return aggregate_feed

    def split(self, plan: Plan, workload: Workload, partitions: int) -> Split:
        """By key where each probe looks a key up, in windows that pass over time; else replicated.

        Sums of parts are sums. A number of distinct values has to be counted over a whole group,
        and so is a block of tumbling windows when it ends: then a group must lie in one partition,
        as it does where it has one key. An extremum is looked for anew in all that a stream holds,
        which a partition would have a share of: what is counted then would depend on the
        partitions.
        """
        (query,) = workload.queries
        for aggregate in query.aggregates:
            if aggregate.function in ("min", "max"):
                name = aggregate.default_name()
                return Split(1, None, f"{name} is looked for anew in all that a window holds")
        classes = query.equality_classes()
        probes = [op for op in plan.operators() if op.kind == "probe"]
        modulus = None
        if (
            probes
            and len(classes) == 1
            and len(classes[0]) == len(query.sources)
            and all(op.param("access") == "hash" for op in probes)
            and not any(isinstance(s.window, CountWindow) for s in query.sources)
        ):
            modulus = common_modulus((op.param("buckets") for op in probes), partitions)
        whole = modulus is not None and not classes[0].isdisjoint(query.group_by)
        if not whole and (reason := _needs_whole_groups(query)):
            return Split(1, None, reason)
        return Split(partitions, modulus, caveat=_IN_PARTS if partitions > 1 and not whole else "")

    def sketched(
        self, workload: Workload, schema: AggregationSchema, replicated: bool
    ) -> SketchPlan:
        """Its streams and the keys they are joined by."""
        return of_one_query(
            workload, by_class(schema.join.codes), schema.join.constants, replicated
        )

    def compile_stages(self, given: PlanInput) -> Program:
        """Plans that follow each other, over the same windows and groups."""
        return eras_compiled(compile_aggregation, given)

    def write_results(
        self, workload: Workload, schema: AggregationSchema, tally: Tally, parts: Path, folder: Path
    ) -> None:
        """Write `QUERY.parquet`, the answer, and `QUERY.changes.parquet`."""
        assert tally.groups is not None, "an aggregation has them"
        write_answer(workload.queries[0], schema, tally.groups, parts, folder)


def _needs_whole_groups(query: Query) -> str:
    for aggregate in query.aggregates:
        if aggregate.distinct:
            return f"{aggregate.default_name()} of a group does not follow from those of its parts"
    if common_block(query):
        return "blocks of tumbling windows end as a whole"
    return ""


ENGINE = AggregationEngine()
