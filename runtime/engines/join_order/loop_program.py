"""Join plans of any form as the loop kernel runs them, and its counters as costs of operators."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from planner.errors import RunError
from planner.plan.cost import Cost, Quality
from planner.plan.loop_orders import pipelines
from planner.plan.plan import Plan
from planner.workload.execution import Every
from planner.workload.query import CountWindow, LandmarkWindow, Query, Source, TimeWindow
from planner.workload.validation import microseconds
from planner.workload.workload import Workload
from runtime.data.batch import Batch
from runtime.engines.join_feeds import count_windows
from runtime.engines.join_order.kernel.loops import load_loop_kernels, loop_batch
from runtime.engines.kernel_state import Done, stepped, still_held, summed, taken_over
from runtime.engines.kernels import loop_types as kernel
from runtime.engines.kernels.digest import tuple_hashes
from runtime.engines.kernels.loop_types import RELATION, TIME, LoopCounters, Rows, Windows
from runtime.engines.nested_loops import Nest, join_cost, nest_of
from runtime.engines.protocol import BatchStep, PlanInput, Program, TakenOver, Tally
from runtime.engines.result_rows import check_rows


@dataclass(frozen=True)
class LoopProgram(Program):
    """Nested loops, over windows of a kind and length each. Every partition is given all tuples."""

    form = Rows

    nest: Nest
    kind: list[int]
    length: list[int]
    column: list[int]
    tick: int
    lazy: bool
    expire_ticks: int

    def load(self) -> None:
        load_loop_kernels(RELATION in self.kind)

    def step(self, state: bytes | None, batch: bytes, partition: int, most_rows: int) -> BatchStep:
        given = Batch.unpack(batch, Rows)

        def begin() -> list[np.ndarray]:
            cursor = np.array([1, -1], np.int64)
            if self.tick and len(given.tuples.ts):
                # The clock starts at the first arrival, wherever in time that is.
                cursor[0] = -(-int(given.tuples.ts[0]) // self.tick)
            return [cursor, *given.tuples.take(slice(0, 0))]

        def work(counters: LoopCounters, kept: list[np.ndarray]) -> Done:
            cursor, *stay = kept
            outcome = loop_batch(
                self._windows(partition),
                self.nest.kernel_paths(),
                self.nest.kernel_loops(),
                self.nest.kernel_filters(),
                Rows(*stay),
                given.tuples,
                cursor,
                counters,
                given.last,
                most_rows,
            )
            check_rows(outcome.results, most_rows)
            held = 0 if partition else len(outcome.stay.ts)
            kept = [outcome.cursor, *outcome.stay]
            more = None if given.last else partial(self._still_held, outcome.stay, partition, given)
            return Done(outcome.results, outcome.digest, outcome.rows, held, kept, (), more)

        zero = LoopCounters.zero(len(self.kind), len(self.nest.filters), self.partitions)
        return stepped(state, zero, begin, work)

    def take_over(self, before: Program, state: bytes, partition: int, at: int) -> TakenOver:
        """Windows stay; each index that the new loops alone look into is built from them."""
        assert isinstance(before, LoopProgram), "both kernels are the loops"
        built = np.zeros(len(self.kind), np.int64)
        counted = np.zeros_like(built)

        def move(kept: list[np.ndarray]) -> list[np.ndarray]:
            stay = Rows(*kept[1:])
            mine = tuple_hashes(stay.source, stay.seq) % np.uint64(self.partitions) == partition
            stored = np.bincount(stay.source[mine], minlength=len(built))
            for path in self.nest.paths:
                if path[3] and path not in before.nest.paths:
                    built[path[0]] += stored[path[0]]
            counted[:] = built if at >= self.span.warmup else 0
            return kept

        zero = LoopCounters.zero(len(self.kind), len(self.nest.filters), self.partitions)
        zero = zero._replace(inserts=counted)
        taken = taken_over(state, len(LoopCounters._fields), zero, move)
        return replace(taken, moved=Cost(inserts=float(built.sum())))

    def _still_held(self, stay: Rows, partition: int, given: Batch[Rows]) -> np.ndarray:
        """What is held has been held for when the batch ends, or until it left unnoticed."""
        mine = tuple_hashes(stay.source, stay.seq) % np.uint64(self.partitions) == partition
        stay = stay.take(mine)
        left = np.full(len(stay.ts), given.until)
        kind = np.array(self.kind, np.int64)[stay.source]
        if not self.tick:
            length = np.array(self.length, np.int64)[stay.source]
            left = np.where(kind == TIME, np.minimum(left, stay.ts + length), left)
        if not self.lazy and stay.until.shape[1]:
            left = np.where(kind == RELATION, np.minimum(left, stay.until[:, 0]), left)
        return still_held(stay.source, stay.ts, left, self.span, len(self.kind))

    def _windows(self, partition: int) -> Windows:
        return Windows(
            np.array(self.kind, np.int64),
            np.array(self.length, np.int64),
            np.array(self.column, np.int64),
            self.tick,
            self.lazy,
            self.expire_ticks,
            self.span.warmup,
            self.span.end,
            self.partitions,
            partition,
        )

    def tally(self, totals: Sequence[bytes], plan: Plan, reached: int | None = None) -> Tally:
        sums = summed(totals, LoopCounters)
        counters, operators = sums.counters, plan.operators()
        costs = self.nest.filter_costs(operators, counters) | {
            operator.id: join_cost(operator, self.nest.sources, counters)
            for operator in operators
            if operator.kind != "filter"
        }
        compared = int(counters.comparisons.sum() + counters.evaluated.sum())
        tally = sums.tally(compared, costs, self.span.until(reached).seconds)
        if not self.lazy or not counters.waited[0]:
            return tally
        mean = counters.waited[1] / counters.waited[0]
        delays = Quality(delay_ms=float(mean) / 1e3, delay_ms_max=counters.longest.max() / 1e3)
        return replace(tally, qualities={str(plan.roots[0].param("query")): delays})


_NO_LENGTH = 2**62
_KINDS = {
    TimeWindow: kernel.TIME,
    CountWindow: kernel.COUNT,
    LandmarkWindow: kernel.LANDMARK,
}


def compile_loops(given: PlanInput) -> LoopProgram:
    """Read loop orders and accesses off the plan, windows and predicates off the workload."""
    plan, workload = given.plan, given.workload
    (query,) = workload.queries
    places = {source.alias: place for place, source in enumerate(query.sources)}
    counted = count_windows(query)
    tick, expire_ticks = _ticks(workload, plan)
    return LoopProgram(
        nest=nest_of(query, pipelines(plan), given.schema.codes, given.schema.constants),
        kind=[_kind(source) for source in query.sources],
        length=_lengths(query, plan),
        column=[counted.index(p) if p in counted else 0 for p in places.values()],
        tick=tick,
        lazy=isinstance(workload.execution.evaluate, Every),
        expire_ticks=expire_ticks,
        span=given.span,
        partitions=given.split.partitions,
    )


def _kind(source: Source) -> int:
    if source.window is None:
        return kernel.RELATION
    return _KINDS[type(source.window)]


def _lengths(query: Query, plan: Plan) -> list[int]:
    lengths = []
    for source in query.sources:
        if isinstance(source.window, TimeWindow):
            lengths.append(microseconds(source.window.seconds))
        elif isinstance(source.window, CountWindow):
            lengths.append(source.window.rows)
        elif source.window is None or isinstance(source.window, LandmarkWindow):
            # A relation's rows leave when they end, and what a landmark window holds never does.
            lengths.append(_NO_LENGTH)
        else:
            raise RunError(f"{source.alias} has a window that joins cannot be run over", plan.label)
    return lengths


def _ticks(workload: Workload, plan: Plan) -> tuple[int, int]:
    """The clock: how often it ticks (0: never), and at how many ticks it expires."""
    evaluate, expire = workload.execution.evaluate, workload.execution.expire
    if isinstance(evaluate, Every):
        tick = microseconds(evaluate.seconds)
        length = microseconds(expire.seconds) if isinstance(expire, Every) else tick
        if length % tick:
            raise RunError("expire.every must be a multiple of evaluate.every", plan.label)
        return tick, length // tick
    return (microseconds(expire.seconds) if isinstance(expire, Every) else 0), 1
