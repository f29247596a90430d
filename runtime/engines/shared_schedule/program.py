"""A scheduled join as a program: what is stepped through micro-batches, one task for all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from planner.plan.plan import Plan
from runtime.data.batch import Batch
from runtime.engines.kernel_state import Done, era_of, stepped
from runtime.engines.kernels.conditions import ALWAYS
from runtime.engines.kernels.loop_types import Rows
from runtime.engines.protocol import BatchStep, Program, Tally
from runtime.engines.shared_schedule.batch import NS_PER_US, ScheduleBatch, work_off
from runtime.engines.shared_schedule.counters import ScheduleCounters
from runtime.engines.shared_schedule.kernel.types import FOREVER, MeasuredSpan
from runtime.engines.shared_schedule.load_kernels import load_schedule_kernels
from runtime.engines.shared_schedule.schedule_program import OWN, Join, ScheduleEra
from runtime.engines.shared_schedule.state import ScheduleState, Waiting
from runtime.engines.shared_schedule.tally import Meter, tally_of


@dataclass(frozen=True)
class ScheduleProgram(Program):
    """One join that many queries share, and what decides in which order it works.

    All policies are served on the same arrivals; `names` are those of servers, and `alias` is the
    one that does what the plan does (-1: the plan's own is apart). `meters` say which counts are
    those of each operator.
    """

    form = Rows

    streams: list[str]
    queries: list[str]
    join: Join
    eras: list[ScheduleEra]
    label: str
    names: dict[str, int]
    alias: int
    meters: dict[str, list[Meter]]

    def load(self) -> None:
        load_schedule_kernels()

    def zero(self) -> ScheduleCounters:
        """Nothing counted yet."""
        return ScheduleCounters.zero(self.eras, len(self.streams))

    def step(
        self,
        state: bytes | None,
        batch: bytes,
        partition: int,  # noqa: ARG002
        most_rows: int,
    ) -> BatchStep:
        given = Batch.unpack(batch, Rows)

        def begin() -> list[np.ndarray]:
            first = self.eras[0]
            return ScheduleState(
                np.array([0, 0, self.alias, 0, 0]),
                given.tuples.take(slice(0, 0)),
                np.full(len(self.queries), ALWAYS, np.int64),
                Waiting(len(first.windows), len(first.classes)),
            ).pack()

        def work(counters: ScheduleCounters, kept: list[np.ndarray]) -> Done:
            return self._work(given, counters, kept, most_rows)

        return stepped(state, self.zero(), begin, work)

    def _work(
        self,
        given: Batch[Rows],
        counters: ScheduleCounters,
        kept: list[np.ndarray],
        most_rows: int,
    ) -> Done:
        before = self.eras[int(kept[0][1])]
        state = ScheduleState.unpack(kept, len(before.windows), len(before.classes))
        begun, _, alias, *dropped = (int(n) for n in state.clock)
        left = np.array(dropped)
        measured = MeasuredSpan(self.span.warmup, self.span.end)
        if alias >= 0 > self.alias:
            # The plan did what a policy does, until it was changed by hand.
            counters.copy_server(alias, OWN)
            state.waiting.copy_server(alias, OWN)
        era = self.eras[era_of(self.eras, given)]
        if era.number != before.number:
            # What arrived before a change is served as it was then; later tuples wait for it.
            work_off(before, self.alias, state.waiting, counters, measured, FOREVER)
            state.waiting = state.waiting.followed_by(len(era.windows), len(era.classes), left)
            for query, since in era.entered.items():
                # It has a new server, also where one of its name was there before.
                if since > before.at:
                    state.free[query] = ALWAYS
        seen = state.rows.followed_by(given.tuples)
        run = ScheduleBatch(
            self.join, era, self.alias, counters, measured, seen, len(state.rows.ts), left,
            state.free, state.waiting, most_rows,
        )  # fmt: skip
        until, reach = given.until, given.until * NS_PER_US
        if given.last:
            until, reach = FOREVER, FOREVER
        stays = run.through(begun, until, reach)
        clock = np.array([given.until, era.number, self.alias, *left])
        after = ScheduleState(clock, seen.take(stays), state.free, run.waiting)
        # Results and digests are added up by query when all is counted.
        return Done(0, 0, run.in_order(), len(stays), after.pack(), (clock,))

    def tally(self, totals: Sequence[bytes], plan: Plan, reached: int | None = None) -> Tally:
        return tally_of(self, totals, plan, reached)
