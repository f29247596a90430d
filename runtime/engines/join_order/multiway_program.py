"""Join plans as the multi-way kernel runs them, and its counters as costs of their operators."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from planner.errors import RunError
from planner.plan.plan import Plan
from planner.workload.query import TimeWindow
from planner.workload.validation import microseconds
from runtime.data.batch import Batch
from runtime.engines.join_order.kernel.multiway import Counters, JoinSpec, join_batch, load_kernels
from runtime.engines.kernel_state import Done, stepped, still_held, summed, taken_over
from runtime.engines.kernels.digest import tuple_hashes
from runtime.engines.kernels.windows import Tuples
from runtime.engines.nested_loops import join_cost
from runtime.engines.protocol import BatchStep, PlanInput, Program, TakenOver, Tally
from runtime.engines.result_rows import check_rows


@dataclass(frozen=True)
class JoinProgram(Program):
    """A multi-way join: per source its window and buckets, and whom its tuples probe.

    `checks` are those made when a tuple leaves its window. `replicated`: every partition is given
    all tuples, and each probes and counts in one of them.
    """

    form = Tuples

    sources: list[str]
    window: list[int]
    buckets: list[int]
    checks: list[int]
    orders: list[list[int]]
    replicated: bool

    def load(self) -> None:
        load_kernels()

    def step(self, state: bytes | None, batch: bytes, partition: int, most_rows: int) -> BatchStep:
        given = Batch.unpack(batch, Tuples)
        join = JoinSpec(
            np.array(self.window, np.int64),
            np.array(self.buckets, np.int64),
            np.array(self.checks, np.int64),
            np.array(self.orders, np.int64),
            self.span.warmup,
            self.span.end,
            self.partitions if self.replicated else 1,
            partition if self.replicated else 0,
        )

        def work(counters: Counters, kept: list[np.ndarray]) -> Done:
            outcome = join_batch(
                join, Tuples(*kept), given.tuples, counters, given.until, given.last, most_rows
            )
            check_rows(outcome.results, most_rows)
            held = 0 if self.replicated and partition else len(outcome.stay.ts)
            more = None if given.last else partial(self._still_held, outcome.stay, partition, given)
            kept = list(outcome.stay)
            return Done(outcome.results, outcome.digest, outcome.rows, held, kept, (), more)

        return stepped(state, Counters.zero(len(self.sources)), lambda: list(Tuples.empty()), work)

    def _still_held(self, stay: Tuples, partition: int, given: Batch[Tuples]) -> np.ndarray:
        """What the tuples in the windows have been held for when the batch ends."""
        mine = slice(None)
        if self.replicated:
            mine = tuple_hashes(stay.source, stay.seq) % np.uint64(self.partitions) == partition
        since = stay.ts[mine]
        until = np.full(len(since), given.until)
        return still_held(stay.source[mine], since, until, self.span, len(self.sources))

    def take_over(self, _before: Program, state: bytes, _partition: int, _at: int) -> TakenOver:
        """Windows stay as they are: they are laid out anew for every batch."""
        zero = Counters.zero(len(self.sources))
        return taken_over(state, len(Counters._fields), zero, list)

    def tally(self, totals: Sequence[bytes], plan: Plan, reached: int | None = None) -> Tally:
        sums = summed(totals, Counters)
        costs = {
            operator.id: join_cost(operator, self.sources, sums.counters)
            for operator in plan.operators()
        }
        compared = int(sums.counters.comparisons.sum())
        return sums.tally(compared, costs, self.span.until(reached).seconds)


def compile_join(given: PlanInput) -> JoinProgram:
    """Read the probe orders and buckets off the plan; an index per value has one for each code."""
    plan, codes = given.plan, given.schema.codes
    (query,) = given.workload.queries
    places = {source.alias: place for place, source in enumerate(query.sources)}
    orders: list[list[int]] = [[] for _ in places]
    buckets = [1] * len(places)
    checks = [1] * len(places)
    for operator in plan.operators():
        if operator.kind == "probe":
            # Operators come after what feeds them, so a pipeline's probes come in their order.
            origin = places[str(operator.param("origin"))]
            orders[origin].append(places[str(operator.param("source"))])
        elif operator.kind == "insert":
            count = operator.param("buckets")
            source = places[str(operator.param("source"))]
            # More buckets than keys hold one key each and many none: those need no room.
            buckets[source] = codes[0] if isinstance(count, str) else min(int(count), codes[0])
            # The timestamp of a tuple that leaves, and its bucket where the window is hashed.
            checks[source] = 2 if operator.param("access") == "hash" else 1
    windows = [source.window for source in query.sources if isinstance(source.window, TimeWindow)]
    if len(windows) < len(query.sources):
        raise RunError("only time windows can be run by this plan", plan.label)
    return JoinProgram(
        sources=list(places),
        window=[microseconds(window.seconds) for window in windows],
        buckets=buckets,
        checks=checks,
        orders=orders,
        span=given.span,
        partitions=given.split.partitions,
        replicated=given.split.modulus is None,
    )
