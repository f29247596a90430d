"""A star join as a program: what is stepped through micro-batches, a partition at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from planner.plan.cost import Cost
from planner.plan.plan import Plan
from runtime.data.batch import Batch
from runtime.engines.kernel_state import Done, stepped, taken_over
from runtime.engines.load_shedding.batch import SheddingState
from runtime.engines.load_shedding.feed import StarSchema
from runtime.engines.load_shedding.kernel.types import ShedCounters, SheddingArrivals
from runtime.engines.load_shedding.load_kernel import load_star_kernel
from runtime.engines.load_shedding.star_join import StarJoin
from runtime.engines.load_shedding.switching import under_policy
from runtime.engines.load_shedding.tally import tally_of, with_answer
from runtime.engines.protocol import BatchStep, Program, TakenOver, Tally
from runtime.engines.result_rows import check_rows


@dataclass(frozen=True)
class StarProgram(Program):
    """A star join under a policy; its run begins at `begin`, in microseconds."""

    form = SheddingArrivals

    query: str
    join: StarJoin
    schema: StarSchema
    begin: int

    def load(self) -> None:
        load_star_kernel()

    def step(
        self,
        state: bytes | None,
        batch: bytes,
        partition: int,
        most_rows: int,
    ) -> BatchStep:
        given = Batch.unpack(batch, SheddingArrivals)
        # Partitions choose independently of each other.
        join = replace(self.join, seed=self.join.seed ^ partition << 32)

        def begin() -> list[np.ndarray]:
            return SheddingState.nothing(self.join, given.tuples).pack()

        def work(counters: ShedCounters, kept: list[np.ndarray]) -> Done:
            outcome, after = SheddingState.unpack(kept).after(
                join, self.span, self.begin, given.tuples, counters, given.last, most_rows
            )

            check_rows(outcome.results, most_rows)

            def held() -> np.ndarray:
                return after.held(self.join, self.span, given.until)

            return Done(
                outcome.results,
                outcome.digest,
                outcome.rows,
                after.count(self.join),
                after.pack(),
                (),
                None if given.last else held,
            )

        return stepped(state, self.join.zero(), begin, work)

    def take_over(self, before: Program, state: bytes, _partition: int, at: int) -> TakenOver:
        """Memory stays; the policy looks at what is stored as far as it must rank it."""
        assert isinstance(before, StarProgram), "all policies are run by one kernel"
        looked_at = 0

        def move(kept: list[np.ndarray]) -> list[np.ndarray]:
            nonlocal looked_at
            stored, looked_at = under_policy(self.join, SheddingState.unpack(kept))
            zero.chosen[0] += looked_at if at >= self.span.warmup else 0
            return stored.pack()

        zero = self.join.zero()
        taken = taken_over(state, len(ShedCounters._fields), zero, move)
        return replace(taken, moved=Cost(comparisons=float(looked_at)))

    def of_all_eras(self, tally: Tally, totals: Sequence[bytes], reached: int | None) -> Tally:
        """With the answer and what was shed of the whole run: the eras count the same things."""
        return with_answer(self, tally, totals, reached, switched=True)

    def tally(self, totals: Sequence[bytes], plan: Plan, reached: int | None = None) -> Tally:
        return tally_of(self, totals, plan, reached)
