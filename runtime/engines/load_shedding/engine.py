"""The engine of star joins under a memory bound."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from planner.families.load_shedding.labels import MOST_RESULTS, OFFLINE, OPTIMUM
from planner.families.load_shedding.star import is_loaded, star_of
from planner.plan.plan import Plan
from planner.workload.workload import Workload
from runtime.data.feed import Merge, Split
from runtime.engines.era_program import eras_compiled
from runtime.engines.load_shedding.aggregate_figures import write_aggregates
from runtime.engines.load_shedding.compile import compile_star
from runtime.engines.load_shedding.feed import (
    StarSchema,
    most_important_feed,
    most_results_feed,
    star_feed,
)
from runtime.engines.load_shedding.load_kernel import load_star_kernel
from runtime.engines.protocol import Engine, PlanInput, Program, Tally
from runtime.engines.watching.sketch_plan import KeyColumn, SketchPlan, of_one_query
from runtime.runs.result_files import merge_results

_FEEDS = {OPTIMUM: most_important_feed, MOST_RESULTS: most_results_feed}
# Keys are shared out as they are: no window has buckets that must stay whole.
_ANY_KEY = 2**31 - 1


class StarEngine(Engine):
    """Runs star joins: exactly, with tuples that are known beforehand, or under a policy."""

    schema = staticmethod(StarSchema.read)
    compile = staticmethod(compile_star)
    bytes_per_tuple = 600
    loaders = (load_star_kernel,)

    def feed(self, plan: Plan, _workload: Workload, open_to_change: bool = False) -> Merge:
        """What merges the streams; offline it also works out which tuples are best kept."""
        assert not open_to_change, "the query of a star join does not change while it runs"
        return _FEEDS.get(plan.label, star_feed)

    def feed_needs(self, plan: Plan, workload: Workload) -> object:
        """The importance that results are summed up by; offline the room of each stream, and how
        the best tuples to keep are found; for a processor how rows are, which is part of the exact
        work."""
        arms, shedding = star_of(workload).arms, workload.execution.shedding
        needs: list[object] = [[arm.importance for arm in arms]]
        if plan.label in OFFLINE:
            needs += [[arm.share for arm in arms], shedding.optimum, shedding.prefilter]
        if is_loaded(workload):
            needs += [[arm.access for arm in arms], star_of(workload).buckets]
        return needs

    def split(self, plan: Plan, workload: Workload, partitions: int) -> Split:
        """By key, where all streams have the same one; each partition then has its own memory."""
        if plan.label in OFFLINE:
            return Split(1, None, "the best tuples to keep are those of one memory")
        if is_loaded(workload):
            return Split(1, None, "one processor serves all streams")
        if not star_of(workload).is_keyed:
            return Split(1, None, "streams are joined on several attributes of the relation")
        caveat = (
            f"the memory is split: each of {partitions} partitions sheds by itself, and keeps its "
            "part of each stream's share"
        )
        return Split(partitions, _ANY_KEY, caveat=caveat if partitions > 1 else "")

    def compile_stages(self, given: PlanInput) -> Program:
        """Policies that follow each other, over the same memory."""
        return eras_compiled(compile_star, given)

    def sketched(self, workload: Workload, schema: StarSchema, replicated: bool) -> SketchPlan:
        """Its streams and the key of each: every arm has a column of its own."""
        (query,) = workload.queries
        classes = query.equality_classes()
        arms = zip(schema.codes, star_of(workload).arms, strict=True)
        keys = (
            KeyColumn(codes, next(n for n, c in enumerate(classes) if arm.key in c), arm.place)
            for codes, arm in arms
        )
        plan = of_one_query(workload, keys, schema.constants, replicated)
        # Rows that only stand for a key have the place behind all sources.
        return replace(plan, streams=[*plan.streams, ""])

    def write_results(
        self, workload: Workload, _schema: StarSchema, tally: Tally, parts: Path, folder: Path
    ) -> None:
        """Write `QUERY.parquet`: a row for each result, or for each group of an aggregation."""
        if "aggregates" in tally.shed:
            write_aggregates(workload, tally.shed["aggregates"], folder)
        else:
            merge_results(workload, parts, folder)


ENGINE = StarEngine()
