"""Join plans as the multi-way kernel runs them, and its counters as costs of their operators."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np

from planner.checks import microseconds
from planner.errors import RunError
from planner.plan import Plan
from planner.query import TimeWindow
from planner.workload import Workload
from runtime.batch import Batch
from runtime.kernels.multiway import Counters, Join, join_batch, load_kernels
from runtime.kernels.packing import pack, unpack
from runtime.kernels.windows import Tuples
from runtime.programs.costs import join_cost
from runtime.programs.program import Span, Step, Tally
from runtime.split import Split


@dataclass(frozen=True, slots=True)
class JoinProgram:
    """A multi-way join: per source its window and buckets, and whom its tuples probe.

    `checks` are those made when a tuple leaves its window. `replicated`: every partition is given
    all tuples, and each probes and counts in one of them.
    """

    sources: list[str]
    window: list[int]
    buckets: list[int]
    checks: list[int]
    orders: list[list[int]]
    warmup: int
    end: int
    partitions: int
    replicated: bool

    def load(self) -> None:
        """Compile the kernels or load them, so that steps are timed without it."""
        load_kernels()

    def step(self, state: bytes | None, batch: bytes, partition: int, keep_rows: bool) -> Step:
        """Run one micro-batch of one partition from its state (None: the beginning)."""
        given = Batch.unpack(batch, Tuples)
        if state is None:
            sums, digest = np.zeros(3, np.int64), np.zeros(1, np.uint64)
            counters, stay = Counters.zero(len(self.sources)), Tuples.empty()
        else:
            sums, digest, *rest = (array.copy() for array in unpack(state))
            counters = Counters(*rest[: len(Counters._fields)])
            stay = Tuples(*rest[len(Counters._fields) :])
        join = Join(
            np.array(self.window, np.int64),
            np.array(self.buckets, np.int64),
            np.array(self.checks, np.int64),
            np.array(self.orders, np.int64),
            self.warmup,
            self.end,
            self.partitions if self.replicated else 1,
            partition if self.replicated else 0,
        )
        begun = time.perf_counter_ns()
        outcome = join_batch(join, stay, given.tuples, counters, given.until, given.last, keep_rows)
        sums += (outcome.results, time.perf_counter_ns() - begun, 0)
        sums[2] = 0 if self.replicated and partition else len(outcome.stay.ts)
        digest[0] = (int(digest[0]) + outcome.digest) % 2**64
        totals = pack([sums, digest, *counters])
        return Step(totals + pack(list(outcome.stay)), totals, int(sums[0]), outcome.rows)

    def tally(self, totals: Sequence[bytes], plan: Plan) -> Tally:
        """Add up the partitions; counts become costs of operators per second of the span."""
        parts = [unpack(total) for total in totals]
        results, kernel_ns, state_tuples = np.sum([part[0] for part in parts], axis=0)
        by_counter = zip(*(part[2:] for part in parts), strict=True)
        counters = Counters(*(np.sum(counts, axis=0) for counts in by_counter))
        seconds = Span(self.warmup, self.end).seconds
        return Tally(
            results=int(results),
            digest=sum(int(part[1][0]) for part in parts) % 2**64,
            comparisons=int(counters.comparisons.sum()),
            state_tuples=int(state_tuples),
            kernel_seconds=float(kernel_ns) / 1e9,
            replicated_inserts=int(counters.replicas.sum()),
            costs={
                operator.id: join_cost(operator, self.sources, counters, seconds)
                for operator in plan.operators()
                if seconds > 0
            },
        )

    def to_json(self) -> str:
        """The program as text."""
        return json.dumps({"program": "join", **asdict(self)})


def compile_join(
    plan: Plan, workload: Workload, codes: Sequence[int], span: Span, split: Split
) -> JoinProgram:
    """Read the probe orders and buckets off the plan; an index per value has one for each code."""
    (query,) = workload.queries
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
        warmup=span.warmup,
        end=span.end,
        partitions=split.partitions,
        replicated=split.modulus is None,
    )
