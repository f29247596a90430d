"""A star join as a program: what is stepped through micro-batches, a partition at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from planner.plan.plan import Plan
from runtime.data.batch import Batch
from runtime.engines.kernel_state import Done, stepped
from runtime.engines.load_shedding.batch import SheddingState
from runtime.engines.load_shedding.feed import StarSchema
from runtime.engines.load_shedding.kernel.types import ShedCounters, SheddingArrivals
from runtime.engines.load_shedding.load_kernel import load_star_kernel
from runtime.engines.load_shedding.star_join import StarJoin
from runtime.engines.load_shedding.tally import tally_of
from runtime.engines.protocol import BatchStep, Program, Tally
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

    def tally(self, totals: Sequence[bytes], plan: Plan, reached: int | None = None) -> Tally:
        return tally_of(self, totals, plan, reached)
