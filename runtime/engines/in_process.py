"""A plan run in this process, on one partition and in one batch: no Spark, no files."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from planner.files.tuple_table import Table
from planner.plan.loop_orders import is_multiway
from planner.plan.plan import Plan
from planner.workload.workload import Workload
from runtime.data.batch import Batch
from runtime.data.feed import Feed, feed
from runtime.data.split import Split
from runtime.engines.aggregation.feed import aggregate_feed
from runtime.engines.joins.loop_feed import loop_feed
from runtime.engines.program import Span, Tally
from runtime.engines.registry import compile_plan
from runtime.engines.slices.feed import every_attribute, slice_feed

# Merges the tables of a workload's streams in arrival order.
Merge = Callable[[Workload, Mapping[str, Table]], Feed]


def feed_of(plan: Plan, workload: Workload, open_to_change: bool = False) -> Merge:
    """What merges the streams for the kernel that runs this plan.

    `open_to_change`: queries that are not known yet may enter while sliced joins run.
    """
    if plan.family == "early_aggregation":
        return aggregate_feed
    if plan.family == "sliced_chain":
        return every_attribute if open_to_change else slice_feed
    return feed if is_multiway(plan, workload) else loop_feed


def counted(plan: Plan, workload: Workload, merged: Feed, span: Span) -> Tally:
    """What the kernels count of this plan over these tuples."""
    split = Split(1, None)
    program = compile_plan(
        plan, workload, merged.codes, span, split, merged.constants, merged.grouping
    )
    program.load()
    until = int(merged.tuples.ts[-1]) if len(merged.tuples.ts) else 0
    batch: Batch = Batch(merged.tuples, until, last=True)
    return program.tally([program.step(None, batch.pack(), 0, keep_rows=False).totals], plan)
