"""Plans of many joins as the kernel of sliced joins runs them, and its counters as costs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property

import numpy as np

from planner.plan.plan import Plan
from runtime.data.batch import Batch
from runtime.engines.kernel_state import Done, era_of, grown, stepped, summed
from runtime.engines.kernels.conditions import Conditions, Predicates, attach
from runtime.engines.kernels.digest import tuple_hashes
from runtime.engines.kernels.loop_types import Rows
from runtime.engines.protocol import BatchStep, Program, Tally
from runtime.engines.sliced_chain.batch import (
    ChainBatch,
    ChainState,
    PreparedEra,
    Share,
    nothing_stored,
)
from runtime.engines.sliced_chain.chain_program import ChainEra
from runtime.engines.sliced_chain.counters import Meter, SliceCounters, raw_costs
from runtime.engines.sliced_chain.kernel.gates import filter_one_by_one, split, survive
from runtime.engines.sliced_chain.kernel.slices import no_newest, run_slice
from runtime.engines.sliced_chain.kernel.types import (
    SLICE_COUNTS,
    Members,
    Passage,
    Slice,
    SliceSpan,
)
from runtime.engines.sliced_chain.migration import migrated

_NEVER = 2**62
_ROWS = len(Rows._fields)


@dataclass(frozen=True)
class SliceProgram(Program):
    """Chains of sliced joins side by side; every partition is given all tuples.

    Every partition stores them and all males purge there; each male probes, and is counted, in one.
    `meters` say which counts are those of each operator.
    """

    form = Rows

    streams: list[str]
    queries: list[str]
    eras: list[ChainEra]
    meters: dict[str, list[Meter]]
    unions: list[int]

    def load(self) -> None:
        load_slice_kernels()

    @cached_property
    def _prepared(self) -> list[PreparedEra]:
        return [PreparedEra(era) for era in self.eras]

    def step(self, state: bytes | None, batch: bytes, partition: int, most_rows: int) -> BatchStep:
        given = Batch.unpack(batch, Rows)

        def begin() -> list[np.ndarray]:
            none = given.tuples.take(slice(0, 0))
            bits = np.zeros((0, self._prepared[0].words), np.uint64)
            clock = np.zeros(4, np.int64)
            return [clock, *none, bits, *_packed(nothing_stored(self.eras[0], 0))]

        def work(counters: SliceCounters, kept: list[np.ndarray]) -> Done:
            return self._work(given, counters, kept, Share(partition, self.partitions), most_rows)

        zero = SliceCounters.zero(self.eras, len(self.streams), len(self.queries))
        return stepped(state, zero, begin, work)

    def _work(
        self,
        given: Batch[Rows],
        counters: SliceCounters,
        kept: list[np.ndarray],
        share: Share,
        most_rows: int,
    ) -> Done:
        clock, rows, (bits, *rest) = kept[0], Rows(*kept[1 : _ROWS + 1]), kept[_ROWS + 1 :]
        begun, before, longest_queue, most_merged = (int(n) for n in clock)
        number = era_of(self.eras, given)
        era, prepared = self.eras[number], self._prepared[number]
        if number != before:
            stored = _unpacked(self.eras[before], rest, len(rows.ts))
            stored, bits = migrated(self.eras[before], era, prepared, rows, stored)
            rest = _packed(stored)
        seen = rows.followed_by(given.tuples)
        old, count = len(rows.ts), len(seen.ts)
        stored = _unpacked(era, rest, count)
        earlier, digest = counters.results.copy(), int(counters.digests.sum())
        run = ChainBatch(
            era,
            prepared,
            counters,
            SliceSpan(self.span.warmup, self.span.end),
            share,
            seen,
            old,
            np.concatenate([bits, np.zeros((count - old, prepared.words), np.uint64)]),
            begun,
            _NEVER if given.last else given.until,
            most_rows,
        )
        run.through(stored)
        merged = (counters.results - earlier)[self.unions]
        marks = max(longest_queue, run.longest_queue), max(most_merged, *merged, 0)
        clock = np.array([given.until, number, *marks], np.int64)
        stays = np.zeros(count, np.bool_)
        for chain in stored:
            for females in chain.lists():
                stays[females] = True
        held = run.held(stored)
        left = [clock, *seen.take(stays), run.bits[stays], *_packed(_kept(stored, stays))]
        results = counters.results - earlier
        digest = int(counters.digests.sum()) - digest
        return Done(int(results.sum()), digest, run.in_order(), held, left, (clock,))

    def tally(self, totals: Sequence[bytes], plan: Plan, reached: int | None = None) -> Tally:
        sums = summed(totals, SliceCounters)
        # Of a run that was changed and has run no batch since.
        zero = SliceCounters.zero(self.eras, len(self.streams), len(self.queries))
        sums = sums._replace(counters=SliceCounters(*map(grown, zero, sums.counters)))
        counters, seconds = sums.counters, self.span.until(reached).seconds
        raw = raw_costs(plan.operators(), self.meters, counters)
        comparisons = round(sum(cost.comparisons for cost in raw.values()))
        answers = zip(self.queries, counters.results, counters.digests, strict=True)
        marks = np.max([part[0][2:] for part in sums.extras], axis=0)
        return replace(
            sums.tally(comparisons, raw, seconds),
            by_query={query: (int(count), int(digest)) for query, count, digest in answers},
            queues={"queued_tuples_max": int(marks[0]), "union_rows_max": int(marks[1])},
        )


def _packed(stored: list[ChainState]) -> list[np.ndarray]:
    """What chains store as three arrays: sizes by slice and side, females, and their survival."""
    lists = [females for chain in stored for females in chain.lists()]
    survival = [chain.survival[females] for chain in stored for females in chain.lists()]
    none = [np.zeros(0, np.int64)]
    return [
        np.array([len(females) for females in lists], np.int64),
        np.concatenate([*none, *lists]),
        np.concatenate([*none, *survival]),
    ]


def _unpacked(era: ChainEra, packed: list[np.ndarray], tuples: int) -> list[ChainState]:
    """What `_packed` wrote, with room for how far so many tuples may get."""
    sizes, females, survival = packed
    ends = np.cumsum(sizes)
    stored = []
    at = 0
    for chain in era.chains:
        gets = np.zeros(tuples, np.int64)
        kept = []
        for _ in chain.ends:
            sides = []
            for _side in (0, 1):
                mine = slice(int(ends[at] - sizes[at]), int(ends[at]))
                gets[females[mine]] = survival[mine]
                sides.append(females[mine])
                at += 1
            kept.append(sides)
        stored.append(ChainState(kept, gets))
    return stored


def _kept(stored: list[ChainState], stays: np.ndarray) -> list[ChainState]:
    """The same, of the tuples that stay alone."""
    places = np.cumsum(stays) - 1
    return [
        ChainState(
            [[places[females] for females in of_slice] for of_slice in chain.females],
            chain.survival[stays],
        )
        for chain in stored
    ]


@cache
def load_slice_kernels() -> None:
    """Compile the kernels for their one set of types, or load them; only the first call works."""
    none, one, values = np.zeros(0, np.int64), np.zeros(1, np.int64), np.zeros((0, 1))
    truth, keys = np.zeros(0, np.bool_), np.zeros(0, np.int32)
    hashes = tuple_hashes(np.zeros(0, np.int16), none)
    members = Members(
        none, none, keys, none, none, none, truth, none, none, hashes, hashes,
        np.zeros((0, 1), np.int32), values, np.zeros((0, 1), np.uint64),
    )  # fmt: skip
    predicates = Predicates(True, False, none, none, none, none, np.zeros(0))
    two = np.zeros((2, 1), np.int64)
    sides = np.ones(2, np.int64)
    piece = Slice(sides, 1, two, sides, sides, two, two, one)
    run_slice(
        members, predicates, piece, SliceSpan(0, 1), Passage(none, none, none, none),
        np.zeros(SLICE_COUNTS, np.int64), np.zeros((1, 2), np.int64), np.zeros(1), no_newest(1),
        0, 1, 1,
    )  # fmt: skip
    conditions = Conditions.of([])
    counts = np.zeros((1, 2), np.int64)
    attach(none, values, conditions, members.bits)
    far = np.zeros((0, 2), np.int64)
    survive(none, values, conditions, none, far, one, truth, counts[0], none, none)
    split(none, values, conditions, none, np.zeros((0, 0), np.bool_), truth, counts[0], none)
    filter_one_by_one(none, values, conditions, 0, truth, counts, truth)
