"""One measurement of one point: its plan stepped through the kernels, in this process.

The programs are those that Spark's workers step; there is no Spark around them here, because the
rates are the kernels' own, and counts do not depend on partitions and batches.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from planner.experiments.experiment import Point
from planner.families.registry import chosen_plan, family
from planner.files.tuple_table import Table
from planner.plan.cost import Cost, total
from planner.plan.plan import Plan
from planner.workload.execution import Execution
from planner.workload.validation import microseconds
from planner.workload.workload import Workload
from runtime.data.batch import Batch
from runtime.data.feed import Feed
from runtime.data.generate import generate
from runtime.data.split import Split
from runtime.engines.in_process import Merge, feed_of
from runtime.engines.joins.loop_feed import loop_feed
from runtime.engines.joins.loop_program import compile_loops
from runtime.engines.kernels.digest import as_text
from runtime.engines.program import Program, Span
from runtime.engines.registry import compile_plan

# All of it is done by one task.
_ONE = Split(1, None)


@dataclass(frozen=True, slots=True)
class Sample:
    """What one measurement found: its cost per second of stream time, its tuples, and its time.

    `tuples` and `seconds` are those after the warm-up, `span` the stream time of these tuples.
    Seconds are the processor's, of this thread: what else the machine does must not count.
    `answer` is over all tuples, and the same for all plans on the same `data`. `operators` has the
    cost of each operator of the plan.
    """

    cost: Cost
    span: float
    tuples: int
    seconds: float
    results: int
    answer: str
    data: str
    operators: Mapping[str, Cost] = field(default_factory=dict)

    @property
    def rate(self) -> float:
        """Tuples per second that the kernel took: the most that could arrive."""
        return self.tuples / self.seconds

    @property
    def comparisons_per_tuple(self) -> float:
        """How many comparisons a tuple brought about."""
        return self.cost.comparisons * self.span / self.tuples


class Sampler:
    """Measures points; tuples are generated once for the points that share them."""

    def __init__(self) -> None:
        self._data = ""
        self._tables: dict[str, Table] = {}
        self._feeds: dict[Merge, Feed] = {}

    def sample(self, point: Point, seed: int, repeats: int = 1) -> Sample:
        """Run the point's plan: the warm-up first, then what is measured, as one batch.

        That is repeated as often as asked for, and the best time counts.
        """
        workload = replace(point.workload, run=replace(point.workload.run, seed=seed))
        warmup = workload.warmup
        span = Span(microseconds(warmup), microseconds(warmup + workload.run.duration))
        plan = chosen_plan(family(point.family).space(workload), point.plan)
        general = point.kernel == "general"
        data, fed = self._fed(workload, loop_feed if general else feed_of(plan, workload))
        program = _program(plan, workload, fed, span, general)
        program.load()
        tuples: Any = fed.tuples  # of whichever form the program takes
        first = int(np.searchsorted(tuples.ts, span.warmup))
        warm = Batch(tuples.take(slice(0, first)), span.warmup, last=False).pack()
        rest = Batch(tuples.take(slice(first, None)), span.end, last=True).pack()
        before = program.step(None, warm, partition=0, keep_rows=False)
        seconds = math.inf
        for _ in range(repeats):
            begun = time.thread_time()
            after = program.step(before.state, rest, partition=0, keep_rows=False)
            seconds = min(seconds, time.thread_time() - begun)
        tally = program.tally([after.totals], plan)
        return Sample(
            cost=total(tally.costs, (root.id for root in plan.roots)),
            span=span.seconds,
            tuples=len(tuples.ts) - first,
            seconds=seconds,
            results=tally.results,
            answer=as_text(tally.digest),
            data=data,
            operators=tally.costs,
        )

    def _fed(self, workload: Workload, merge: Merge) -> tuple[str, Feed]:
        """The tuples in arrival order, for a kernel; they do not depend on the execution."""
        data = replace(workload, execution=Execution()).digest
        if data != self._data:
            seconds = workload.warmup + workload.run.duration
            self._tables = generate(workload, seconds, workload.run.seed)
            self._data, self._feeds = data, {}
        if merge not in self._feeds:
            self._feeds[merge] = merge(workload, self._tables)
        return data, self._feeds[merge]


def _program(plan: Plan, workload: Workload, fed: Feed, span: Span, general: bool) -> Program:
    if general:
        return compile_loops(plan, workload, fed.codes, fed.constants, span, _ONE)
    return compile_plan(plan, workload, fed.codes, span, _ONE, fed.constants, fed.grouping)
