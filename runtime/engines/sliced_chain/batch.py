"""A micro-batch through the chains of an era: gates, queues from slice to slice, results."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from runtime.engines.kernels.conditions import ALWAYS, Conditions, Predicates, attach
from runtime.engines.kernels.digest import tuple_hashes
from runtime.engines.kernels.loop_types import Rows
from runtime.engines.result_rows import check_rows
from runtime.engines.sliced_chain.chain_program import (
    FILTER,
    OPEN,
    SPLIT,
    SURVIVE,
    Chain,
    ChainEra,
    Gate,
    Piece,
    QueryTap,
    pieces_of,
    predicates_of,
)
from runtime.engines.sliced_chain.counters import SliceCounters
from runtime.engines.sliced_chain.kernel.gates import filter_one_by_one, split, survive
from runtime.engines.sliced_chain.kernel.slices import no_newest, run_slice
from runtime.engines.sliced_chain.kernel.types import Members, Passage, SliceResults, SliceSpan

# Of a slice from which a query takes nothing.
_NOT_ASKED = (-1, -1, ALWAYS)


def rows_of(
    chain: Chain, pieces: list[Piece], seen: Rows, bits: np.ndarray, kept: np.ndarray
) -> Iterator[np.ndarray]:
    """The rows of each query: its number, seqs in FROM order, time, and rank of the last to arrive.

    `kept` has for every result its slice, both members, the side of the stored one, and segment.
    """
    place, a, b, side, segment = kept.T
    takes = np.stack([piece.takes for piece in pieces])
    last = np.maximum(a, b)
    for nth, tap in enumerate(chain.taps):
        wanted = segment < takes[place, nth, side]
        wanted &= _selected(chain, tap, seen, bits, kept)
        first, second = (b, a) if tap.turned else (a, b)
        columns = (
            np.full(len(a), tap.query),
            seen.seq[first],
            seen.seq[second],
            seen.ts[last],
            seen.rank[last],
        )
        yield np.stack(columns, axis=1)[wanted]


def _selected(
    chain: Chain, tap: QueryTap, seen: Rows, bits: np.ndarray, kept: np.ndarray
) -> np.ndarray:
    """Which results pass what their slices look at for this query."""
    place, a, b = kept[:, :3].T
    by_slice = [
        own[pair] if pair >= 0 else _NOT_ASKED
        for own, pair in zip(chain.pairs, tap.pairs, strict=True)
    ]
    on_first, on_second, since = np.array(by_slice, np.int64)[place].T
    passes = seen.ts[np.minimum(a, b)] >= since
    for member, condition in ((a, on_first), (b, on_second)):
        asked = np.maximum(condition, 0)
        bit = bits[member, asked >> 6] >> (asked & 63).astype(np.uint64)
        passes &= (condition < 0) | ((bit & np.uint64(1)) != 0)
    return passes


class PreparedEra:
    """An era as arrays: they are made once, however many batches it runs."""

    def __init__(self, era: ChainEra) -> None:
        self.conditions = [Conditions.of(of_stream) for of_stream in era.conditions]
        self.pieces: list[list[Piece]] = [pieces_of(chain) for chain in era.chains]
        self.predicates: list[Predicates] = [predicates_of(chain) for chain in era.chains]
        looks = any(
            (piece.kernel.conditions >= 0).any() for pieces in self.pieces for piece in pieces
        )
        most = max(len(of_stream) for of_stream in era.conditions) if looks else 0
        self.words = max(1, -(-most // 64))
        self.looks = looks


@dataclass(slots=True)
class ChainState:
    """What a chain stores: by slice and side the females, and by tuple how far each may get."""

    females: list[list[np.ndarray]]
    survival: np.ndarray

    def lists(self) -> Iterator[np.ndarray]:
        """The females of each slice and side in turn."""
        for of_slice in self.females:
            yield from of_slice


class Share(NamedTuple):
    """Which partition this is, of how many."""

    partition: int
    partitions: int


@dataclass(slots=True)
class ChainBatch:
    """One batch in the making: all tuples it can see, the kept ones (up to `old`) first."""

    era: ChainEra
    prepared: PreparedEra
    counters: SliceCounters
    span: SliceSpan
    share: Share
    seen: Rows
    old: int
    bits: np.ndarray
    begun: int
    until: int
    most_rows: int
    longest_queue: int = 0
    rows: list[np.ndarray] = field(default_factory=list)
    _sides: dict[tuple[int, ...], Members] = field(default_factory=dict)
    results_before: int = field(init=False)
    _newest: np.ndarray = field(init=False)

    def __post_init__(self) -> None:
        self.results_before = int(self.counters.results.sum())
        # One table for the slices of all chains: each leaves it as it was. Of filters that no tuple
        # passes push-down makes no chain at all.
        self._newest = no_newest(max((chain.buckets for chain in self.era.chains), default=1))

    def through(self, stored: list[ChainState]) -> None:
        """Let the arriving tuples pass the gates and every chain; `stored` is changed."""
        hashes = tuple_hashes(self.seen.source, self.seen.seq)
        partitions = np.uint64(self.share.partitions)
        own = hashes % partitions == np.uint64(self.share.partition)
        counted = own[self.old :] & (self.seen.ts[self.old :] >= self.span.warmup)
        arriving = self.seen.source[self.old :]
        streams = len(self.prepared.conditions)
        self.counters.arrivals[self.era.number] += np.bincount(arriving[counted], minlength=streams)
        if self.prepared.looks:
            for stream, conditions in enumerate(self.prepared.conditions):
                tuples = self.old + np.flatnonzero(arriving == stream)
                attach(tuples, self.seen.values, conditions, self.bits)
        entries = [self._pass(gate, counted) for gate in self.era.gates]
        for number, chain in enumerate(self.era.chains):
            members = self._members(chain, own, stored[number], entries)
            entering = counted & (members.side[self.old :] >= 0) & (members.reach[self.old :] > 0)
            self.counters.males[chain.number] += entering.sum()
            self._run_chain(number, chain, members, stored[number])

    def held(self, stored: list[ChainState]) -> int:
        """How many females are stored, each in the partition that counts it."""
        own = tuple_hashes(self.seen.source, self.seen.seq) % np.uint64(self.share.partitions)
        mine = own == np.uint64(self.share.partition)
        return sum(int(mine[females].sum()) for kept in stored for females in kept.lists())

    def in_order(self) -> np.ndarray:
        """The results that were kept, by query, in the order in which they were completed."""
        if not self.rows:
            return np.zeros((0, 5), np.int64)
        rows = np.concatenate(self.rows)
        return rows[np.lexsort((rows[:, -1], rows[:, 0]))]

    def _pass(self, gate: Gate, counted: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """What a gate says of every tuple: two numbers each, of the tuples of its stream."""
        first = np.zeros(len(self.seen.ts), np.int64)
        second = np.zeros(len(self.seen.ts), np.int64)
        mine = np.flatnonzero(self.seen.source[self.old :] == gate.stream)
        conditions = self.prepared.conditions[gate.stream]
        counts = self.counters.gates[gate.row : gate.row + gate.counts]
        given = self.old + mine, self.seen.values, conditions
        chosen = np.array(gate.chosen, np.int64)
        if gate.kind == SURVIVE:
            far, least = np.array(gate.far, np.int64), np.array(gate.least, np.int64)
            survive(*given, chosen, far, least, counted[mine], counts[0], first, second)
        elif gate.kind == SPLIT:
            parts = np.array(gate.parts, np.bool_)
            split(*given, chosen, parts, counted[mine], counts[0], first)
        elif gate.kind == FILTER:
            passing = np.zeros(len(self.seen.ts), np.bool_)
            filter_one_by_one(*given, gate.chosen[0], counted[mine], counts, passing)
            first = passing.astype(np.int64)
        return first, second

    def _members(
        self,
        chain: Chain,
        own: np.ndarray,
        stored: ChainState,
        entries: list[tuple[np.ndarray, np.ndarray]],
    ) -> Members:
        """The tuples as this chain sees them."""
        members = self._sided(chain, own)
        survival, reach = stored.survival, np.zeros(len(self.seen.ts), np.int64)
        for side, stream in enumerate(chain.sides):
            number, part = chain.gates[side]
            gate, (first, second) = self.era.gates[number], entries[number]
            tuples = self.old + np.flatnonzero(self.seen.source[self.old :] == stream)
            if gate.kind == SURVIVE:
                survival[tuples], reach[tuples] = first[tuples], second[tuples]
                continue
            entering = np.ones(len(tuples), np.bool_)
            if gate.kind != OPEN:
                entering = first[tuples] == part
            survival[tuples] = np.where(entering, chain.widest[side], 0)
            reach[tuples] = np.where(entering, chain.widest[1 - side], 0)
        return members._replace(survival=survival, reach=reach)

    def _sided(self, chain: Chain, own: np.ndarray) -> Members:
        """What does not depend on gates: the same for all chains of one join."""
        known = (*chain.sides, chain.rows, chain.key, chain.buckets)
        if known not in self._sides:
            seen = self.seen
            first, second = chain.sides
            side = np.full(len(seen.ts), -1, np.int64)
            side[seen.source == first], side[seen.source == second] = 0, 1
            key = np.zeros(len(seen.ts), np.int32)
            if chain.key >= 0:
                key = np.ascontiguousarray(seen.keys[:, chain.key])
            bucket = key.astype(np.int64) % chain.buckets
            now, age = seen.ts, seen.ts
            if chain.rows:
                age = seen.place
                now = np.where(side == 0, seen.before[:, second], seen.before[:, first]) - 1
            place = np.maximum(side, 0).astype(np.int16)
            nothing = np.zeros(0, np.int64)
            self._sides[known] = Members(
                side, bucket, key, age, now, seen.ts, own, nothing, nothing,
                tuple_hashes(place, seen.seq), tuple_hashes(1 - place, seen.seq),
                seen.keys, seen.values, self.bits,
            )  # fmt: skip
        return self._sides[known]

    def _run_chain(self, number: int, chain: Chain, members: Members, stored: ChainState) -> None:
        """From slice to slice; what stays is left in `stored`."""
        events = self._first_queue(members)
        causes = events // 2
        kept: list[np.ndarray] = []
        for place, piece in enumerate(self.prepared.pieces[number]):
            self.longest_queue = max(self.longest_queue, len(events))
            first, second = stored.females[place]
            row, select = chain.row + place, chain.select_rows[place]
            pairs = len(chain.pairs[place])
            found, passage = run_slice(
                members,
                self.prepared.predicates[number],
                piece.kernel,
                self.span,
                Passage(first, second, events, causes),
                self.counters.slices[row],
                self.counters.selects[select : select + pairs],
                self.counters.held[row : row + 1],
                self._newest,
                self.begun,
                self.until,
                max(1, self._room) if self.most_rows else 0,
            )
            stored.females[place] = [passage.first, passage.second]
            events, causes = passage.events, passage.causes
            self._add_results(chain, piece, found)
            if self.most_rows and len(found.pairs):
                kept.append(np.insert(found.pairs, 0, place, axis=1))
        if kept:
            pieces = self.prepared.pieces[number]
            self.rows += rows_of(chain, pieces, self.seen, self.bits, np.concatenate(kept))

    @property
    def _room(self) -> int:
        """How many more results may be kept: a result of several queries is one of each."""
        return self.most_rows - int(self.counters.results.sum() - self.results_before)

    def _first_queue(self, members: Members) -> np.ndarray:
        """The arriving tuples that enter the chain, the female of each before its male."""
        here = members.side[self.old :] >= 0
        females = self.old + np.flatnonzero(here & (members.survival[self.old :] > 0))
        males = self.old + np.flatnonzero(here & (members.reach[self.old :] > 0))
        return np.sort(np.concatenate([2 * females, 2 * males + 1]))

    def _add_results(self, chain: Chain, piece: Piece, found: SliceResults) -> None:
        """Put the results of a slice together for the queries that tap it."""
        queries = np.array([tap.query for tap in chain.taps])
        turned = np.array([tap.turned for tap in chain.taps], np.int64)
        outputs = self.counters.outputs[self.era.number]
        above = 0
        for side in (0, 1):
            below, above = above, above + int(piece.kernel.inside[side]) + 1
            taking = np.flatnonzero(piece.takes[:, side] > 0)
            upto = piece.takes[taking, side] - 1
            at = upto, piece.pairs[taking]
            results = np.cumsum(found.results[below:above], axis=0)[at]
            counted = np.cumsum(found.counted[below:above], axis=0)[at]
            digests = np.cumsum(found.digests[below:above], axis=0)[(*at, turned[taking])]
            np.add.at(self.counters.results, queries[taking], results)
            np.add.at(outputs, queries[taking], counted)
            np.add.at(self.counters.digests, queries[taking], digests)
        check_rows(self.most_rows - self._room, self.most_rows)


def nothing_stored(era: ChainEra, tuples: int) -> list[ChainState]:
    """Chains at the beginning."""
    none = np.zeros(0, np.int64)
    return [
        ChainState([[none, none] for _ in chain.ends], np.zeros(tuples, np.int64))
        for chain in era.chains
    ]
