"""Aggregation plans as their kernel runs them, and its counters as costs of their operators."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from planner.plan.cost import Cost
from planner.plan.plan import Operator, Plan
from runtime.data.batch import Batch
from runtime.engines.early_aggregation.groups import check_sums, digest_of_groups, put_together
from runtime.engines.early_aggregation.kernel.aggregation import (
    AggregationOutcome,
    Standing,
    aggregate_batch,
    group_rows,
    load_aggregation_kernels,
    nothing_yet,
)
from runtime.engines.early_aggregation.kernel.types import (
    AggregationArrivals,
    AggregationCounters,
    AggregationSpan,
    Functions,
    GroupSlots,
    Sources,
    Values,
)
from runtime.engines.kernel_state import Done, stepped, summed, taken_over
from runtime.engines.kernels.digest import tuple_hashes
from runtime.engines.nested_loops import Nest, join_cost
from runtime.engines.protocol import BatchStep, Program, TakenOver, Tally
from runtime.engines.result_rows import check_rows

# In the counters of the output.
_UPDATES, _RECOMPUTED, _EXAMINED, _CHANGES = range(4)


def aggregation_costs(
    operators: Sequence[Operator], nest: Nest, counters: AggregationCounters
) -> dict[str, Cost]:
    """What was counted for each operator in all of the span; state in tuple-seconds."""
    return nest.filter_costs(operators, counters) | {
        operator.id: _cost(operator, nest, counters)
        for operator in operators
        if operator.kind != "filter"
    }


def _cost(operator: Operator, nest: Nest, counters: AggregationCounters) -> Cost:
    if operator.kind == "output":
        return Cost(rows_out=counters.late[_CHANGES])
    if operator.kind == "update":
        return Cost(
            comparisons=counters.late[_EXAMINED],
            group_updates=counters.late[_UPDATES],
            state_tuples=counters.late_held[0] / 1_000_000,
        )
    if operator.kind == "aggregate":
        place = nest.sources.index(str(operator.param("source")))
        return Cost(
            comparisons=counters.set_examined[place],
            group_updates=counters.set_updates[place],
            state_tuples=counters.set_held[place] / 1_000_000,
        )
    return join_cost(operator, nest.sources, counters)


def recomputations(
    operators: Sequence[Operator], nest: Nest, counters: AggregationCounters, seconds: float
) -> dict[str, float]:
    """How often per second each aggregation looked for an extremum anew."""
    found = {}
    for operator in operators:
        if operator.kind == "update":
            found[operator.id] = float(counters.late[_RECOMPUTED] / seconds)
        elif operator.kind == "aggregate":
            place = nest.sources.index(str(operator.param("source")))
            found[operator.id] = float(counters.set_recomputed[place] / seconds)
    return found


# In the rows that are kept: the event of a block that ends, before others of that time.
CLOSED = -1
_STAY, _GROUPS = len(AggregationArrivals._fields), len(GroupSlots._fields)


@dataclass(frozen=True)
class AggregationProgram(Program):
    """An aggregation over a join: per source its window, its groups and its cells.

    `functions` are [function, source, most]: what is kept, of which source, and the largest value
    that is summed. `answer` says for each aggregate of the query [function, which of them it is
    read from]. `block` is the common length of tumbling windows. `replicated`: every partition is
    given all tuples, and each probes and counts in one of them.
    """

    form = AggregationArrivals

    nest: Nest
    kind: list[int]
    length: list[int]
    early: list[bool]
    groups: list[int]
    cells: list[int]
    functions: list[list[int]]
    answer: list[list[int]]
    block: int
    walked_from: int
    seed: int
    replicated: bool

    def load(self) -> None:
        load_aggregation_kernels()

    def step(self, state: bytes | None, batch: bytes, partition: int, most_rows: int) -> BatchStep:
        given = Batch.unpack(batch, AggregationArrivals)
        functions = np.array(self.functions, np.int64).reshape(-1, 3)

        def begin() -> list[np.ndarray]:
            return _packed(nothing_yet(given.tuples, len(functions)))

        def work(counters: AggregationCounters, kept: list[np.ndarray]) -> Done:
            outcome = aggregate_batch(
                AggregationSpan(self.span.warmup, self.span.end, *self._share(partition)),
                self._sources(),
                Functions(functions[:, 0].copy(), functions[:, 1].copy()),
                self.nest.kernel_paths(),
                self.nest.kernel_loops(),
                self.nest.kernel_filters(),
                _unpacked(kept),
                given.tuples,
                counters,
                given.until,
                given.last,
                most_rows,
            )
            check_rows(len(outcome.changes) + len(outcome.blocks), most_rows)
            return self._done(outcome, partition, most_rows > 0)

        zero = AggregationCounters.zero(len(self.kind), len(self.nest.filters))
        return stepped(state, zero, begin, work)

    def _done(self, outcome: AggregationOutcome, partition: int, keep_rows: bool) -> Done:
        standing, blocks = outcome.standing, outcome.blocks
        check_sums(blocks[:, 1:], self._kept(), self._most())
        digest = digest_of_groups(blocks[:, 1:], blocks[:, 0], self.answer, self.seed)
        rows = outcome.changes
        if keep_rows and len(blocks):
            closed = np.stack([blocks[:, 0] + self.block, np.full(len(blocks), CLOSED)], axis=1)
            rows = np.concatenate([rows, np.concatenate([closed, blocks], axis=1)])
        held = 0 if self.replicated and partition else len(standing.stay.ts)
        # The block that is open, so that its groups can be distinguished from those of others.
        clock, text = standing.clock, group_rows(standing.groups)
        return Done(len(blocks), digest, rows, held, _packed(standing), (clock, text))

    def _share(self, partition: int) -> tuple[int, int]:
        return (self.partitions, partition) if self.replicated else (1, 0)

    def _kept(self) -> list[int]:
        return [function for function, _, _ in self.functions]

    def _most(self) -> list[int]:
        return [most for _, _, most in self.functions]

    def _sources(self) -> Sources:
        cells = np.where(self.early, self.cells, 0)
        return Sources(
            np.array(self.kind, np.int64),
            np.array(self.length, np.int64),
            np.array(self.early, np.bool_),
            np.concatenate(([0], np.cumsum(cells))).astype(np.int64),
            np.concatenate(([1], np.cumprod(self.groups)[:-1])).astype(np.int64),
            np.array(self.groups, np.int64),
            self.block,
            self.walked_from,
        )

    def take_over(self, before: Program, state: bytes, partition: int, at: int) -> TakenOver:
        """Windows and groups stay; each set that is new is built from its window, at an update for
        every tuple."""
        assert isinstance(before, AggregationProgram), "all plans are run by one kernel"
        zero = AggregationCounters.zero(len(self.kind), len(self.nest.filters))
        new = np.array(self.early, np.bool_) & ~np.array(before.early, np.bool_)
        shares, share = self._share(partition)
        built = 0

        def move(kept: list[np.ndarray]) -> list[np.ndarray]:
            nonlocal built
            stay = _unpacked(kept).stay
            mine = tuple_hashes(stay.source, stay.seq) % np.uint64(shares) == np.uint64(share)
            updates = np.where(new, np.bincount(stay.source[mine], minlength=len(new)), 0)
            built = int(updates.sum())
            if at >= self.span.warmup:
                zero.set_updates[:] = updates
            return kept

        taken = taken_over(state, len(AggregationCounters._fields), zero, move)
        return replace(taken, moved=Cost(group_updates=float(built)))

    def tally(self, totals: Sequence[bytes], plan: Plan, reached: int | None = None) -> Tally:
        """Add up the partitions, and put their parts of groups together."""
        sums = summed(totals, AggregationCounters)
        counters, seconds = sums.counters, self.span.until(reached).seconds
        operators = plan.operators() if seconds > 0 else ()
        costs = aggregation_costs(plan.operators(), self.nest, counters)
        standing = [extras for extras in sums.extras if extras]
        if not standing:
            # Another plan has taken over its groups: only blocks that have ended are its results.
            return replace(
                sums.tally(self._compared(counters), costs, seconds),
                recomputations=recomputations(operators, self.nest, counters, seconds),
            )
        groups = put_together([rows for _, rows in standing], self._kept())
        check_sums(groups, self._kept(), self._most())
        begun = np.full(len(groups), max(clock[1] for clock, _ in standing) * self.block)
        digest = digest_of_groups(groups, begun, self.answer, self.seed)
        return replace(
            sums.tally(self._compared(counters), costs, seconds),
            results=sums.results + len(groups),
            digest=(sums.digest + digest) % 2**64,
            groups=np.concatenate([begun[:, None], groups], axis=1),
            recomputations=recomputations(operators, self.nest, counters, seconds),
        )

    @staticmethod
    def _compared(counters: AggregationCounters) -> int:
        compared = (counters.comparisons, counters.evaluated, counters.set_examined)
        return sum(int(count.sum()) for count in compared) + int(counters.late[_EXAMINED])


def _packed(standing: Standing) -> list[np.ndarray]:
    return [*standing.stay, *standing.groups, *standing.values, standing.clock]


def _unpacked(kept: list[np.ndarray]) -> Standing:
    stay, rest = kept[:_STAY], kept[_STAY:]
    return Standing(
        AggregationArrivals(*stay), GroupSlots(*rest[:_GROUPS]), Values(*rest[_GROUPS:-1]), rest[-1]
    )
