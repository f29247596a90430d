"""What the Teach page sees of shared joins: slices, and tuples that move from slice to slice."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice, pairwise
from typing import Any

from planner.plan.plan import Operator
from planner.workload.query import Column
from runtime.engines.pair_feed import groups_of_run, key_columns, streams_of
from runtime.engines.sliced_chain.simulation import (
    ChainSimulation,
    ChainTuple,
    ChainWatch,
    Counts,
    built,
    in_order,
)
from runtime.engines.trace import Counts as OperatorCounts
from runtime.engines.trace import Event, Place, Watched, WatcherBase, chip_id, values_of

FILLS_QUICKLY = True
CHECK, STORE, PURGE, PROBE, EMIT = range(5)
_LINES = (
    "Check the conditions of the queries on the new tuple.",
    "A copy of the new tuple waits in the first slice, to be probed by later tuples.",
    "Going through the chain, the new tuple first moves what is too old here to the next slice.",
    "Then it is compared with what is left in the slice.",
    "Each pair goes to the queries whose window is long enough.",
)


def _chip(one: ChainTuple) -> str:
    return chip_id(one.stream, one.seq)


class _ChainRecorder(ChainWatch):
    def __init__(self) -> None:
        self.events: list[Event] = []
        self.next: dict[str, str] = {}

    def stored(self, name: str, female: ChainTuple) -> None:
        # One that comes from the slice before has been shown as it was moved.
        chip, place = _chip(female), f"{name} {female.stream}"
        moved = any(e.kind == "move" and e.chip == chip and e.to == place for e in self.events)
        if not moved:
            self.events.append(Event("insert", STORE, chip, "", place))

    def purged(self, name: str, female: ChainTuple, male: ChainTuple, onward: bool) -> None:
        chip, place = _chip(female), f"{name} {female.stream}"
        note = f"too old for {_chip(male)}"
        if onward:
            to = f"{self.next[name]} {female.stream}"
            self.events.append(Event("move", PURGE, chip, place, to, note=note))
        else:
            self.events.append(Event("expire", PURGE, chip, place, note=note))

    def probed(
        self,
        name: str,
        male: ChainTuple,
        examined: Sequence[ChainTuple],
        joined: Sequence[ChainTuple],
    ) -> None:
        if examined:
            place = f"{name} {examined[0].stream}"
            looked, matched = (tuple(map(_chip, some)) for some in (examined, joined))
            self.events.append(Event("probe", PROBE, _chip(male), place, "", looked, matched))

    def checked(self, gate: Operator, tuple_: ChainTuple, passes: bool) -> None:
        condition = str(dict(gate.params).get("condition", "the conditions of the queries"))
        note = f"{'passes' if passes else 'fails'} {condition}"
        self.events.append(Event("check", CHECK, _chip(tuple_), note=note))

    def emitted(self, query: str, a: ChainTuple, b: ChainTuple) -> None:
        self.events.append(Event("emit", EMIT, "", "", query, matched=(_chip(a), _chip(b))))


class _CodedChains(ChainSimulation):
    """The simulation with keys as the feed has them: texts and large numbers are small ones."""

    codes: dict[tuple[str, str], list[int]]

    def code(self, tuple_: ChainTuple, column: Column) -> Any:
        return self.codes[tuple_.stream, column.attribute][tuple_.seq]


class ChainWatcher(WatcherBase):
    """Chains of sliced joins, watched."""

    lines: tuple[str, ...] = _LINES

    def __init__(self, given: Watched) -> None:
        workload, feed = given.workload, given.feed
        self._seen = _ChainRecorder()
        span = given.program.span
        self._simulation = _CodedChains(
            workload, built(workload, given.plan.label), Counts(span.warmup, span.end),
            watch=self._seen,
        )  # fmt: skip
        self._simulation.codes = _codes(given)
        self.sources = tuple(streams_of(workload))
        self.places = tuple(self._places())
        tables = {name: given.tables[name] for name in self.sources}
        data = {
            name: list(zip(table.ts.tolist(), values_of(table), strict=True))
            for name, table in tables.items()
        }
        self._arrivals = islice(in_order(workload, data), len(feed.tuples.ts))

    def _places(self) -> list[Place]:
        found = []
        chains = self._simulation.chains
        for number, (_, chain) in enumerate(chains, start=1):
            for before, after in pairwise(chain):
                self._seen.next[before.name] = after.name
            for slice_ in chain:
                group = slice_.join.group
                start, end = (group.text_of(n) for n in (slice_.join.start, slice_.join.end))
                unit = " s" if group.unit == "seconds" else " tuples"
                of = f"join {number} · " if len(chains) > 1 else ""
                for stream in group.streams:
                    title = f"{of}{stream} slice (ages {start} to {end}{unit})"
                    found.append(Place(f"{slice_.name} {stream}", title, slice_.name))
        return found

    def advance(self, count: int, until: int, last: bool) -> list[Event]:
        """Take the next tuples."""
        del until, last
        self._seen.events = []
        for one in islice(self._arrivals, count):
            self._simulation.arrive(one)
        return self._seen.events

    def fill(self, count: int, until: int) -> None:
        """Slices are the same whether they are probed or not."""
        self._simulation.probes = False
        self.advance(count, until, False)
        self._simulation.probes = True

    def contents(self) -> dict[str, list[str]]:
        """The slices by stream."""
        return {
            f"{slice_.name} {stream}": [_chip(one) for one, _, _ in slice_.stored[side]]
            for _, chain in self._simulation.chains
            for slice_ in chain
            for side, stream in enumerate(slice_.join.group.streams)
        }

    def buckets(self) -> dict[str, dict[str, str]]:
        """Those of slices that are hashed."""
        return {
            f"{slice_.name} {stream}": {
                _chip(one): str(slice_.bucket(one)) for one, _, _ in slice_.stored[side]
            }
            for _, chain in self._simulation.chains
            for slice_ in chain
            for side, stream in enumerate(slice_.join.group.streams)
            if slice_.join.group.key is not None and slice_.join.group.buckets != 1
        }

    def counts(self) -> OperatorCounts:
        """Of every operator."""
        counts = self._simulation.counts
        return {
            name: {
                "comparisons": counts.comparisons[name],
                "inserts": counts.inserts[name],
                "rows_out": counts.rows_out[name],
            }
            for name in self._simulation.operators
        }

    def results(self) -> int:
        """Of all queries."""
        return sum(map(len, self._simulation.results.values()))


def _codes(given: Watched) -> dict[tuple[str, str], list[int]]:
    """By stream and attribute the key of each tuple, as it is in the feed."""
    tuples: Any = given.feed.tuples
    streams = streams_of(given.workload)
    found: dict[tuple[str, str], list[int]] = {}
    for number, predicate in enumerate(key_columns(groups_of_run(given.workload))):
        for column in (predicate.left, predicate.right):
            own = tuples.source == streams.index(column.alias)
            found[column.alias, column.attribute] = tuples.keys[own, number].tolist()
    return found


watcher = ChainWatcher
