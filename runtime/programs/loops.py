"""Join plans of any form as the loop kernel runs them, and its counters as costs of operators."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field

import numpy as np

from planner.plan import Plan
from runtime.batch import Batch
from runtime.kernels.loop_types import Filters, LoopCounters, Loops, Paths, Rows, Windows
from runtime.kernels.loops import load_loop_kernels, loop_batch
from runtime.kernels.packing import pack, unpack
from runtime.programs.costs import filter_costs, join_cost
from runtime.programs.program import Span, Step, Tally


@dataclass(frozen=True, slots=True)
class LoopProgram:
    """Nested loops: per source its window, per origin its order and the checks of its levels.

    `paths` are [source, key, buckets, index, per value]; `equal` and `theta` hold the checks of
    each level, origin after origin. Every partition is given all tuples.
    """

    sources: list[str]
    kind: list[int]
    length: list[int]
    column: list[int]
    tick: int
    lazy: bool
    expire_ticks: int
    warmup: int
    end: int
    partitions: int
    filters: list[list[float]]
    conditions: list[str]
    paths: list[list[int]] = field(default_factory=list)
    orders: list[list[int]] = field(default_factory=list)
    depth: list[int] = field(default_factory=list)
    path: list[list[int]] = field(default_factory=list)
    equal: list[list[list[int]]] = field(default_factory=list)
    theta: list[list[list[float]]] = field(default_factory=list)

    def load(self) -> None:
        """Compile the kernels or load them, so that steps are timed without it."""
        load_loop_kernels()

    def step(self, state: bytes | None, batch: bytes, partition: int, keep_rows: bool) -> Step:
        """Run one micro-batch of one partition from its state (None: the beginning)."""
        given = Batch.unpack(batch, Rows)
        if state is None:
            sums, digest = np.zeros(3, np.int64), np.zeros(1, np.uint64)
            counters = LoopCounters.zero(len(self.sources), len(self.filters))
            cursor, stay = np.array([1, -1], np.int64), given.tuples.take(slice(0, 0))
            if self.tick and len(given.tuples.ts):
                # The clock starts at the first arrival, wherever in time that is.
                cursor[0] = -(-int(given.tuples.ts[0]) // self.tick)
        else:
            sums, digest, *rest = (array.copy() for array in unpack(state))
            counters = LoopCounters(*rest[: len(LoopCounters._fields)])
            cursor, *columns = rest[len(LoopCounters._fields) :]
            stay = Rows(*columns)
        begun = time.perf_counter_ns()
        outcome = loop_batch(
            self._windows(partition),
            Paths(*(np.array(column, np.int64) for column in zip(*self.paths, strict=True))),
            self._loops(),
            self._filters(),
            stay,
            given.tuples,
            cursor,
            counters,
            given.last,
            keep_rows,
        )
        sums += (outcome.results, time.perf_counter_ns() - begun, 0)
        sums[2] = 0 if partition else len(outcome.stay.ts)
        digest[0] = (int(digest[0]) + outcome.digest) % 2**64
        totals = pack([sums, digest, *counters])
        state = totals + pack([outcome.cursor, *outcome.stay])
        return Step(state, totals, int(sums[0]), outcome.rows)

    def _windows(self, partition: int) -> Windows:
        return Windows(
            np.array(self.kind, np.int64),
            np.array(self.length, np.int64),
            np.array(self.column, np.int64),
            self.tick,
            self.lazy,
            self.expire_ticks,
            self.warmup,
            self.end,
            self.partitions,
            partition,
        )

    def _loops(self) -> Loops:
        equal = np.array([c for level in self.equal for c in level], np.int64).reshape(-1, 2)
        theta = np.array([c for level in self.theta for c in level], np.float64).reshape(-1, 5)
        value, other, other_value, comparison = (
            np.ascontiguousarray(column, np.int64) for column in theta[:, :4].T
        )
        return Loops(
            np.array(self.orders, np.int64),
            np.array(self.depth, np.int64),
            np.array(self.path, np.int64),
            self._starts(self.equal),
            np.ascontiguousarray(equal[:, 0]),
            np.ascontiguousarray(equal[:, 1]),
            self._starts(self.theta),
            value,
            other,
            other_value,
            comparison,
            np.ascontiguousarray(theta[:, 4]),
        )

    def _starts(self, levels: Sequence[Sequence[object]]) -> np.ndarray:
        """Where the checks of each origin's levels begin, and where its last ones end."""
        sources = len(self.sources)
        ends = np.concatenate(([0], np.cumsum([len(level) for level in levels]))).astype(np.int64)
        return np.stack([ends[i * sources : (i + 1) * sources + 1] for i in range(sources)])

    def _filters(self) -> Filters:
        columns = np.array(self.filters, np.float64).reshape(-1, 4)
        source, value, comparison = (
            np.ascontiguousarray(column, np.int64) for column in columns[:, :3].T
        )
        return Filters(source, value, comparison, np.ascontiguousarray(columns[:, 3]))

    def tally(self, totals: Sequence[bytes], plan: Plan) -> Tally:
        """Add up the partitions; counts become costs of operators per second of the span."""
        parts = [unpack(total) for total in totals]
        results, kernel_ns, state_tuples = np.sum([part[0] for part in parts], axis=0)
        by_counter = zip(*(part[2:] for part in parts), strict=True)
        counters = LoopCounters(*(np.sum(counts, axis=0) for counts in by_counter))
        seconds = Span(self.warmup, self.end).seconds
        operators = plan.operators() if seconds > 0 else ()
        conditions = {str(op.param("condition")): op for op in operators if op.kind == "filter"}
        filters = [conditions[text] for text in self.conditions] if conditions else []
        return Tally(
            results=int(results),
            digest=sum(int(part[1][0]) for part in parts) % 2**64,
            comparisons=int(counters.comparisons.sum() + counters.evaluated.sum()),
            state_tuples=int(state_tuples),
            kernel_seconds=float(kernel_ns) / 1e9,
            replicated_inserts=int(counters.replicas.sum()),
            costs=filter_costs(filters, counters, seconds)
            | {
                operator.id: join_cost(operator, self.sources, counters, seconds)
                for operator in operators
                if operator.kind != "filter"
            },
        )

    def to_json(self) -> str:
        """The program as text."""
        return json.dumps({"program": "loops", **asdict(self)})
