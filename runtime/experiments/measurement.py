"""Measure an experiment: every point once a round, so that a noisy machine is noisy for all.

A point's plan is stepped through the kernels in this process. The programs are those that Spark's
workers step; there is no Spark around them here, because the rates are the kernels' own, and counts
do not depend on partitions and batches.
"""

from __future__ import annotations

import math
import os
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from planner.errors import RunError
from planner.experiments.experiment import Experiment, Point, Quantity
from planner.experiments.quantities import figure_of
from planner.experiments.registry import experiment
from planner.families.registry import chosen_plan, family
from planner.files.tuple_table import Table
from planner.plan.cost import COST_UNITS, Cost, Quality, total
from planner.plan.objective import Objective
from planner.plan.plan import Plan
from planner.statistics.generate import generate
from planner.workload.execution import Execution
from planner.workload.validation import microseconds
from planner.workload.workload import Workload
from runtime.backends.protocol import OnProgress
from runtime.data.batch import Batch
from runtime.data.feed import Feed, Merge, Span, Split
from runtime.engines.kernels.digest import as_text
from runtime.engines.protocol import Engine, PlanInput
from runtime.engines.registry import engine
from runtime.experiments.figure import MeasuredFigure, keep, kept, nothing_yet
from runtime.runs.records import Progress, versions

# All of it is done by one task.
_ONE = Split(1, None)


@dataclass(frozen=True, slots=True)
class MeasuredSample:
    """What one measurement found: its cost per second of stream time, its tuples, and its time.

    `tuples` and `seconds` are those after the warm-up, `span` the stream time of these tuples.
    Seconds are the processor's, of this thread: what else the machine does must not count.
    `answer` is over all tuples, and the same for all plans on the same `data` that shed nothing.
    `operators` has the cost of each operator of the plan, `qualities` are those of its queries, and
    `schedules` and `shed` what the engine says of orders of its work and of tuples not kept. The
    `objectives` are those of the plan's family. `by_query` has the results and the digest of each
    query, where there are several.
    """

    cost: Cost
    span: float
    tuples: int
    seconds: float
    results: int
    answer: str
    data: str
    operators: Mapping[str, Cost] = field(default_factory=dict)
    qualities: Mapping[str, Quality] = field(default_factory=dict)
    schedules: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    shed: Mapping[str, Any] = field(default_factory=dict)
    plan: Plan | None = None
    objectives: Sequence[Objective] = ()
    by_query: Mapping[str, tuple[int, int]] = field(default_factory=dict)

    @property
    def is_whole(self) -> bool:
        """Whether the answer has every result: where tuples are shed, some may be missing."""
        return all(quality.recall in (None, 1.0) for quality in self.qualities.values())

    @property
    def costs(self) -> Mapping[str, Cost]:
        """The cost of each operator, as objectives ask for it."""
        return self.operators

    def served_as(self, plan: Plan) -> MeasuredSample:
        """What the run says of another plan that it served; all plans give queries the same rows.

        The cost is still that of the run.
        """
        assert self.plan is not None
        rows = {root.param("query"): self.operators[root.id] for root in self.plan.roots}
        own = {root.id: rows[root.param("query")] for root in plan.roots}
        queries = self.schedules[plan.label]["queries"]
        qualities = {query: Quality(**found) for query, found in queries.items()}
        return replace(self, plan=plan, operators=own, qualities=qualities)

    def value(self, quantity: Quantity, query: str = "") -> float:
        """The figure that is asked for; a RunError where it was not measured."""
        if quantity == "rate":
            return self.rate
        if quantity in COST_UNITS:
            return float(getattr(self.cost, quantity))
        found = None
        if self.plan is not None:
            found = figure_of(self.plan, self, self.objectives, quantity, query)
            if found is None:
                found = {**self.shed, **self.schedules.get(self.plan.label, {})}.get(quantity)
        if found is None:
            raise RunError("was not measured: the run has no such figure", quantity)
        return float(found)

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
        self._counted: dict[tuple[str, int], MeasuredSample] = {}
        # By workload the last run on its tuples: it may have served other plans.
        self._serving: dict[tuple[str, int], MeasuredSample] = {}
        self._data = ""
        self._tables: Mapping[str, Table] = {}
        # By what merges them, and what that depends on besides the tuples.
        self._feeds: dict[tuple[Merge, str], Feed] = {}

    def counted(self, point: Point, seed: int, quantity: Quantity) -> MeasuredSample:
        """What a run of the point's plan counted: the same in every run, so that one is enough.

        Where a run served other plans on the same arrivals, it has their figures but for costs.
        """
        key = point.run_key, seed
        join = replace(point, plan="").run_key, seed
        if key in self._counted:
            return self._counted[key]
        if quantity not in COST_UNITS and join in self._serving:
            serving = self._serving[join]
            if point.plan in serving.schedules:
                plan = chosen_plan(family(point.family).space(point.workload), point.plan)
                return serving.served_as(plan)
        found = self._counted[key] = self._serving[join] = self.sample(point, seed)
        return found

    def sample(
        self, point: Point, seed: int, repeats: int = 1, most_rows: int = 0
    ) -> MeasuredSample:
        """Run the point's plan: the warm-up first, then what is measured, as one batch.

        That is repeated as often as asked for, and the best time counts. Up to `most_rows` rows of
        results are kept.
        """
        workload = replace(point.workload, run=replace(point.workload.run, seed=seed))
        warmup = workload.warmup
        span = Span(microseconds(warmup), microseconds(warmup + workload.run.duration))
        space = family(point.family).space(workload)
        plan = chosen_plan(space, point.plan)
        runs = engine(point.family)
        if point.kernel == "general":
            runs = runs.general()
        data, fed = self._fed(point, workload, runs, plan)
        program = runs.compile(PlanInput(plan, workload, fed.schema, span, _ONE))
        program.load()
        tuples = fed.tuples
        first = int(np.searchsorted(tuples.ts, span.warmup))
        warm = Batch(tuples.take(slice(0, first)), span.warmup, last=False).pack()
        rest = Batch(tuples.take(slice(first, None)), span.end, last=True).pack()
        before = program.step(None, warm, 0, most_rows=0)
        seconds = math.inf
        for _ in range(repeats):
            begun = time.thread_time()
            after = program.step(before.state, rest, 0, most_rows)
            seconds = min(seconds, time.thread_time() - begun)
        tally = program.tally([after.totals], plan)
        return MeasuredSample(
            cost=total(tally.costs, (root.id for root in plan.roots)),
            span=span.seconds,
            tuples=len(tuples.ts) - first,
            seconds=seconds,
            results=tally.results,
            answer=as_text(tally.digest),
            data=data,
            operators=tally.costs,
            qualities=tally.qualities,
            schedules=tally.schedules,
            shed=tally.shed,
            plan=plan,
            objectives=space.objectives,
            by_query=tally.by_query,
        )

    def _fed(self, point: Point, workload: Workload, runs: Engine, plan: Plan) -> tuple[str, Feed]:
        """The tuples in arrival order, for a kernel; they do not depend on the execution."""
        data = replace(workload, execution=Execution()).digest
        if data != self._data:
            self._tables = _tuples(point, workload)
            self._data, self._feeds = data, {}
        merge = runs.feed(plan, workload)
        key = merge, repr(runs.feed_needs(plan, workload))
        if key not in self._feeds:
            self._feeds[key] = merge(workload, self._tables)
        return data, self._feeds[key]


def _tuples(point: Point, workload: Workload) -> Mapping[str, Table]:
    if point.tuples is not None:
        return point.tuples(workload)
    seconds = workload.warmup + workload.run.duration
    return generate(workload, seconds, workload.run.seed)


@dataclass(frozen=True, slots=True)
class FigureRequest:
    """Which experiment to measure: what is missing of it, or all of it anew."""

    experiment: str
    anew: bool = False

    @property
    def label(self) -> str:
        """What is measured, for a page."""
        return experiment(self.experiment).title


def measure(
    request: FigureRequest,
    on_progress: OnProgress = lambda _: None,
    cancel: threading.Event | None = None,
) -> MeasuredFigure:
    """Measure what is missing, and keep it. What a cancelled one has measured is kept, too."""
    wanted = experiment(request.experiment)
    before = None if request.anew else kept(wanted)
    figure = begun = before or nothing_yet(wanted, versions(), os.cpu_count() or 1)
    for figure in rounds(wanted, begun, on_progress):
        keep(wanted, figure)
        if cancel is not None and cancel.is_set():
            break
    return figure


def rounds(
    wanted: Experiment,
    figure: MeasuredFigure,
    on_progress: OnProgress,
    sampler: Sampler | None = None,
) -> Iterator[MeasuredFigure]:
    """The figure after each measurement that it lacks. Loading the kernels is not timed.

    A sampler that is given knows what was counted for other experiments.
    """
    sampler, begun = sampler or Sampler(), time.monotonic()
    missing = [
        (turn, point)
        for turn in range(wanted.rounds)
        for point in wanted.points
        if figure.rounds_of(point) <= turn
    ]
    on_progress(Progress("Loading the kernels", 0, len(missing)))
    for made, (turn, point) in enumerate(missing, 1):
        # Counts get other tuples each round, for their spread; times are compared on the same.
        seed = point.workload.run.seed
        if wanted.quantity == "rate":
            sample = sampler.sample(point, seed)
        else:
            sample = sampler.counted(point, seed + turn, point.quantity or wanted.quantity)
        figure = figure.with_sample(point, sample, time.time())
        phase = f"Round {turn + 1} of {wanted.rounds}"
        spent = time.monotonic() - begun
        on_progress(Progress(phase, made, len(missing), seconds=spent, step="measurement"))
        yield figure
