"""A micro-batch of a scheduled join: tuples arrive in chunks, and every server works them off."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from planner.errors import RunError
from runtime.engines.kernels.conditions import ALWAYS, attach
from runtime.engines.kernels.digest import tuple_hashes
from runtime.engines.kernels.loop_types import Rows
from runtime.engines.kernels.scan import PADDING
from runtime.engines.result_rows import check_rows
from runtime.engines.shared_schedule.counters import ALONE, ScheduleCounters
from runtime.engines.shared_schedule.kernel.isolated import serve_alone
from runtime.engines.shared_schedule.kernel.scan import link_stored, scan
from runtime.engines.shared_schedule.kernel.serve import serve
from runtime.engines.shared_schedule.kernel.types import (
    NOW,
    BatchCursor,
    Line,
    MeasuredSpan,
    VisibleTuples,
)
from runtime.engines.shared_schedule.schedule_program import NO_SLOT, OWN, Join, ScheduleEra
from runtime.engines.shared_schedule.state import CHUNK_OFFSETS, Waiting

NS_PER_US, PS_PER_NS = 1000, 1000
# Times of the clock are nanoseconds in 64 bits. Between two checks there are less than 2000 scans.
MOST_CLOCK, MOST_SCAN = 2.0**62, 2.0**50


def _beyond_the_clock() -> RunError:
    return RunError(
        "the work of all scans, or the time of the tuples, is beyond the 146 years that the clock "
        "of work counts; lower execution.unit_costs or execution.utilisation, or give the tuples "
        "times that begin at 0",
        "execution.unit_costs",
    )


def work_off(
    era: ScheduleEra,
    alias: int,
    waiting: Waiting,
    counters: ScheduleCounters,
    span: MeasuredSpan,
    reach: int,
) -> None:
    """Let all servers of an era take decisions until then, in nanoseconds.

    Where another stands for the plan's own (`alias`), that need not work.
    """
    waiting.done = count = int(waiting.used[0])
    in_ns = MeasuredSpan(span.warmup * NS_PER_US, span.end * NS_PER_US)
    for number, policy in enumerate(era.kernel_policies):
        if policy is None or (number == OWN and alias >= 0):
            continue
        server, delays = waiting.server(number, len(policy.points)), counters.delays(era, number)
        serve(
            policy, waiting.outers, count, waiting.before, era.first_slots, in_ns, server, delays,
            reach,
        )  # fmt: skip
        waiting.done = min(waiting.done, int(server.reached[-1]))


@dataclass(slots=True)
class ScheduleBatch:
    """One batch in the making: all tuples it can see, the stored ones (up to `old`) first.

    `dropped` counts by side the tuples that left the largest window, `free` says since when the
    server of each query alone is.
    """

    join: Join
    era: ScheduleEra
    alias: int
    counters: ScheduleCounters
    span: MeasuredSpan
    seen: Rows
    old: int
    dropped: np.ndarray
    free: np.ndarray
    waiting: Waiting
    most_rows: int
    rows: list[np.ndarray] = field(default_factory=list)
    _side: np.ndarray = field(init=False)
    _bits: np.ndarray = field(init=False)

    def __post_init__(self) -> None:
        self._side = (self.seen.source == self.join.sides[1]).astype(np.int64)
        most = max(len(of_side) for of_side in self.era.conditions)
        self._bits = np.zeros((len(self.seen.ts), max(1, -(-most // 64))), np.uint64)
        for side, conditions in enumerate(self.era.kernel_conditions):
            attach(np.flatnonzero(self._side == side), self.seen.values, conditions, self._bits)

    def through(self, begun: int, until: int, reach: int) -> np.ndarray:
        """Let the tuples arrive and be served; returns those that stay stored.

        The last batch ended at `begun`, this one does at `until`, in microseconds; decisions are
        taken before `reach`, in nanoseconds.
        """
        era, counters = self.era, self.counters
        self._check_scans()
        arriving, arrive_at = self.seen.source[self.old :], self.seen.ts[self.old :]
        counted = arriving[arrive_at >= self.span.warmup]
        counters.arrivals[era.number] += np.bincount(counted, minlength=counters.arrivals.shape[1])
        counters.held[era.number] -= self.old * self._within(begun)
        arrived, line, cursor = self._laid_out()
        predicates = self.join.predicates
        windows, unit_costs = np.array(era.windows), np.array(self.join.unit_costs)
        classes, found = era.kernel_classes, counters.found(era)
        joins, held = counters.joins[era.number], counters.held[era.number : era.number + 1]
        room = CHUNK_OFFSETS
        while cursor.position[0] < len(self.seen.ts):
            self.waiting.make_room(room)
            before = int(self.waiting.used[0])
            kept = scan(
                arrived, line, cursor, predicates, windows, unit_costs, classes, self.span,
                self.waiting.outers, self.waiting.used, joins, found, held, self.most_rows,
            )  # fmt: skip
            self._keep(kept)
            if int(self.waiting.used[0]) == before:
                # One tuple has more matches than there is room for.
                room = 2 * len(self.waiting.outers.offsets)
                continue
            room = CHUNK_OFFSETS
            self._serve_alone(before)
            position = int(cursor.position[0])
            if position < len(self.seen.ts):
                self._work_off(int(self.seen.ts[position - 1]) * NS_PER_US)
                self._check_clock()
        self._work_off(reach)
        self._check_clock()
        stored = [line.tuple_at[cursor.heads[i, -1] : cursor.position[1 + i]] for i in range(2)]
        stays = np.sort(np.concatenate(stored))
        counters.held[era.number] += len(stays) * self._within(until)
        return stays

    def in_order(self) -> np.ndarray:
        """The results that were kept, by query, in the order in which they are released."""
        if not self.rows:
            return np.zeros((0, 5), np.int64)
        rows = np.concatenate(self.rows)
        return rows[np.argsort(rows[:, 0], kind="stable")]

    def _work_off(self, reach: int) -> None:
        work_off(self.era, self.alias, self.waiting, self.counters, self.span, reach)

    def _check_scans(self) -> None:
        """A RunError where a time of arrival, or one scan, is too long for the clock."""
        if not len(self.seen.ts):
            return
        latest = float(np.abs(self.seen.ts[[0, -1]]).max()) * NS_PER_US
        longest = len(self.seen.ts) * float(sum(self.join.unit_costs)) / PS_PER_NS
        if latest >= MOST_CLOCK or longest >= MOST_SCAN:
            raise _beyond_the_clock()

    def _check_clock(self) -> None:
        """A RunError where work has piled up beyond what the clock can count."""
        times = np.concatenate([self.free, self.waiting.rows[:, NOW]])
        if (times >= MOST_CLOCK).any():
            raise _beyond_the_clock()

    def _within(self, ts: int) -> int:
        """A time, moved into the measured span."""
        return min(max(ts, self.span.warmup), max(self.span.warmup, self.span.end))

    def _laid_out(self) -> tuple[VisibleTuples, Line, BatchCursor]:
        """The tuples as the kernel scans them, and where it begins."""
        seen, join, side = self.seen, self.join, self._side
        key = np.zeros(len(seen.ts), np.int32)
        if join.key >= 0:
            key = np.ascontiguousarray(seen.keys[:, join.key])
        now = own = seen.ts
        if join.rows:
            own, (first, second) = seen.place, join.sides
            now = np.where(side == 0, seen.before[:, second], seen.before[:, first]) - 1
        place = side.astype(np.int16)
        arrived = VisibleTuples(
            side, key.astype(np.int64) % join.buckets, key, now, seen.ts,
            tuple_hashes(place, seen.seq), tuple_hashes(1 - place, seen.seq),
            seen.keys, seen.values, self._bits,
        )  # fmt: skip
        tuple_at = np.argsort(side, kind="stable")
        spare = np.zeros(PADDING, np.int32)
        hashed = join.buckets > 1
        older = np.empty(len(tuple_at) if hashed else 0, np.int64)
        keys = np.concatenate([key[tuple_at], spare])
        hashes = arrived.hashes[tuple_at], arrived.turned[tuple_at]
        line = Line(tuple_at, keys, own[tuple_at], *hashes, older)
        begins = np.array([0, np.count_nonzero(side == 0)])
        stored = np.bincount(side[: self.old], minlength=2)
        cursor = BatchCursor(
            np.array([self.old, *(begins + stored)]),
            np.repeat(begins[:, None], self.era.width, axis=1),
            self.dropped,
            np.full((2, join.buckets if hashed else 1), -1, np.int64),
        )
        if hashed:
            link_stored(arrived, line, cursor)
        return arrived, line, cursor

    def _serve_alone(self, before: int) -> None:
        """Each query by itself: servers are by slot, and known by query from era to era."""
        era, counters = self.era, self.counters
        free = np.full(len(era.slots), ALWAYS, np.int64)
        for query, slot, _ in era.queries:
            free[slot] = self.free[query]
        counts = counters.alone[era.slot : era.slot + len(era.slots)]
        span = MeasuredSpan(self.span.warmup * NS_PER_US, self.span.end * NS_PER_US)
        serve_alone(
            np.array(era.slots), self.waiting.outers, before, int(self.waiting.used[0]), span, free,
            counters.delays(era, ALONE), counts,
        )  # fmt: skip
        for query, slot, _ in era.queries:
            self.free[query] = free[slot]

    def _keep(self, kept: np.ndarray) -> None:
        check_rows(len(kept), self.most_rows)
        for rows in self._rows_of(kept):
            self.rows.append(rows)
            check_rows(sum(map(len, self.rows)), self.most_rows)

    def _rows_of(self, kept: np.ndarray) -> Iterator[np.ndarray]:
        """The rows of each query: its number, seqs in FROM order, time, and rank of the last."""
        if not len(kept):
            return
        a, b, window = kept.T
        last = np.maximum(a, b)
        for query, slot, turned in self.era.queries:
            widest, number = self.era.slots[slot]
            wanted = (window <= widest) & self._passes(number, a, b)
            members = (b, a) if turned else (a, b)
            seqs = [self.seen.seq[member] for member in members]
            columns = (np.full(len(a), query), *seqs, self.seen.ts[last], self.seen.rank[last])
            yield np.stack(columns, axis=1)[wanted]

    def _passes(self, number: int, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        """Which results are of a class."""
        first, second, since, _ = self.era.classes[number]
        passes = self.seen.ts[np.minimum(a, b)] >= since
        for member, condition in ((a, first), (b, second)):
            if condition != NO_SLOT:
                bit = self._bits[member, condition >> 6] >> np.uint64(condition & 63)
                passes &= (bit & np.uint64(1)) != 0
        return passes
