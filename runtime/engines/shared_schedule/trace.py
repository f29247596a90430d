"""What the Teach page sees of a scheduled join: who waits, who scans how far, and what is released.

    a tuple arrives:        it is stored, and waits behind those that have scanned nothing
    when the server is free: the policy takes the head of a queue, which scans up to a window
                             and waits behind those that have scanned as far

A plain server over lists; which queue it takes is read off the table of the policy.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from planner.joins.shared.query_groups import Group, Member, groups_of
from planner.workload.query import COMPARE
from runtime.engines.pair_feed import streams_of
from runtime.engines.shared_schedule.kernel.types import DEADLINE, STRETCH
from runtime.engines.shared_schedule.schedule_program import OWN
from runtime.engines.trace import Counts, Event, Place, Watched, chip_id, values_of

STORE, SCAN, WAIT, RELEASE = range(4)
_LINES = (
    "A new tuple is stored, and waits behind those that have scanned nothing yet.",
    "When the server is free, the policy takes the head of one queue, which scans up to a window.",
    "Then it waits behind those that have scanned as far, until it has scanned the largest window.",
    "A query is given a result once all older tuples have scanned its window, too.",
)


@dataclass(slots=True)
class _Outer:
    """A tuple that scans: by partial window the stored tuples that it looks at, with the fit."""

    chip: str
    ts: int
    values: dict[str, Any]
    stream: str
    partials: list[list[tuple[_Outer, bool]]]
    scanned: int = 0
    given: set[tuple[str, str]] = field(default_factory=set)


class ScheduleWatcher:
    """One shared join under a policy, watched; times are on the clock of work, in nanoseconds."""

    lines: tuple[str, ...] = _LINES

    def __init__(self, given: Watched) -> None:
        workload, program = given.workload, given.program
        (self._group,) = groups_of(workload)
        self._plan, self._program = given.plan, program
        own = program.alias if program.alias >= 0 else OWN
        self._table = program.eras[0].policies[own]
        boundaries = self._group.boundaries
        self._points: list[int] = self._table.points
        self._queues: list[list[_Outer]] = [[] for _ in boundaries]
        self._stored: dict[str, list[_Outer]] = {name: [] for name in self._group.streams}
        self._outers: list[_Outer] = []
        self._now = -(2**62)
        self._counted = {"comparisons": 0, "rows_out": 0, "inserts": 0}
        self._join = next(op.id for op in given.plan.operators() if op.kind == "join")
        self.sources = tuple(streams_of(workload))
        stores = [Place(name, f"{name}, the largest window", self._join) for name in self._stored]
        texts = [self._group.text_of(b) for b in boundaries]
        names = ["Waiting, nothing scanned", *(f"Waiting, scanned {t}" for t in texts[1:])]
        waits = [Place(f"queue {i}", names[i]) for i in self._points[:-1]]
        self.places = (*stores, *waits)
        self._arrivals = self._in_order(given)
        self._events: list[Event] = []
        self._warmup = program.span.warmup

    def _in_order(self, given: Watched) -> Iterator[tuple[str, int, int, dict[str, Any], Any]]:
        tuples: Any = given.feed.tuples
        values = {name: values_of(given.tables[name]) for name in self.sources}
        for n in range(len(tuples.ts)):
            name, place = self.sources[int(tuples.source[n])], int(tuples.place[n])
            yield name, int(tuples.seq[n]), int(tuples.ts[n]), values[name][place], tuples.keys[n]

    # --- what happens ----------------------------------------------------------------------------

    def advance(self, count: int, last: bool) -> list[Event]:
        """Serve what waited until the next tuples, and take them."""
        self._events = []
        for _ in range(count):
            self._arrive(*next(self._arrivals))
        if last:
            self._serve(None)
        return self._events

    def _arrive(self, name: str, seq: int, ts: int, values: dict[str, Any], keys: Any) -> None:
        self._serve(ts * 1000)
        group = self._group
        first, second = group.streams
        other = second if name == first else first
        partials: list[list[tuple[_Outer, bool]]] = [[] for _ in group.boundaries[1:]]
        outer = _Outer(chip_id(name, seq), ts, values | {"": keys}, name, partials)
        held, gone = self._stored[other], 0
        for rank, one in enumerate(reversed(held)):
            age = rank if group.unit == "rows" else ts - one.ts
            partial = sum(age >= window for window in group.boundaries[1:])
            if partial == len(outer.partials):
                gone += 1
            elif self._same_bucket(outer, one):
                outer.partials[partial].append((one, _joins(group, outer, one)))
        for one in held[:gone]:
            self._events.append(Event("expire", STORE, one.chip, other))
        del held[:gone]
        if ts >= self._warmup:
            looked = [fits for partial in outer.partials for _, fits in partial]
            self._counted["comparisons"] += len(looked)
            self._counted["rows_out"] += sum(looked)
            self._counted["inserts"] += 1
        self._stored[name].append(outer)
        self._outers.append(outer)
        self._events.append(Event("insert", STORE, outer.chip, "", name))
        if not any(self._queues[i] for i in self._points[:-1]):
            self._now = max(self._now, ts * 1000)
        self._queues[0].append(outer)

    def _same_bucket(self, one: _Outer, other: _Outer) -> bool:
        key, buckets = self._program.join.key, self._program.join.buckets
        if self._group.key is None or key < 0:
            return True
        mine, theirs = int(one.values[""][key]), int(other.values[""][key])
        if isinstance(self._group.buckets, str):
            return mine == theirs
        return mine % buckets == theirs % buckets

    def _serve(self, until: int | None) -> None:
        """Scans that begin before then, one after the other."""
        while any(self._queues[i] for i in self._points[:-1]):
            if until is not None and self._now >= until:
                return
            first, last = self._choose()
            outer = self._queues[self._points[first]].pop(0)
            self._scan(outer, self._points[first], self._points[last])
            if last < len(self._points) - 1:
                self._queues[self._points[last]].append(outer)

    def _choose(self) -> tuple[int, int]:
        """Which queue is served, and up to which point its head scans."""
        table, end = self._table, len(self._points) - 1
        best: tuple[Any, int, int] | None = None
        following = end
        for i in reversed(range(end)):
            queue = self._queues[self._points[i]]
            if not queue:
                continue
            value: Any
            if table.mode == DEADLINE:
                value, target = -(queue[0].ts * 1000 + table.due[i]), i + 1
            elif table.mode == STRETCH:
                value, target = Fraction(self._now - queue[0].ts * 1000, table.length[i]), i + 1
            else:
                value, target = table.rank[i][following], table.target[i][following]
            if best is None or value > best[0] or (value == best[0] and table.smaller):
                best = value, i, target
            following = i
        assert best is not None
        return best[1:]

    def _scan(self, outer: _Outer, first: int, last: int) -> None:
        compare, output = self._program.join.unit_costs
        looked = [pair for partial in outer.partials[first:last] for pair in partial]
        for partial in outer.partials[first:last]:
            fits = sum(fit for _, fit in partial)
            self._now += (len(partial) * compare + fits * output) // 1000
        outer.scanned = last
        examined = tuple(one.chip for one, _ in looked)
        matched = tuple(one.chip for one, fit in looked if fit)
        first_stream, second = self._group.streams
        other = second if outer.stream == first_stream else first_stream
        self._events.append(Event("probe", SCAN, outer.chip, other, "", examined, matched))
        if last < len(self._group.boundaries) - 1:
            self._events.append(Event("wait", WAIT, outer.chip, "", f"queue {last}"))
        for member in self._group.members:
            self._release(member)

    def _release(self, member: Member) -> None:
        """What a query may have now: while all older tuples have scanned its window."""
        window = self._group.boundaries.index(member.longest)
        for outer in self._outers:
            for partial in outer.partials[: min(window, outer.scanned)]:
                for one, fit in partial:
                    if fit and (member.query, one.chip) not in outer.given:
                        outer.given.add((member.query, one.chip))
                        if _wanted(self._group, member, outer, one):
                            self._events.append(
                                Event("emit", RELEASE, "", "", member.query, (),
                                      (outer.chip, one.chip))
                            )  # fmt: skip
            if outer.scanned < window:
                return

    # --- what is there ---------------------------------------------------------------------------

    def contents(self) -> dict[str, list[str]]:
        """Windows and queues."""
        found = {name: [one.chip for one in held] for name, held in self._stored.items()}
        for i in self._points[:-1]:
            # A tuple that waits is stored, too: here it is known by another name.
            found[f"queue {i}"] = [f"{one.chip} " for one in self._queues[i]]
        return found

    def counts(self) -> Counts:
        """Of the join that all queries share."""
        return {self._join: dict(self._counted)}

    def results(self) -> None:
        """The kernel counts what it finds before the server has come so far."""
        return


def _joins(group: Group, one: _Outer, other: _Outer) -> bool:
    of = {one.stream: one.values, other.stream: other.values}
    for p in group.predicates:
        left, right = of[p.left.alias][p.left.attribute], of[p.right.alias][p.right.attribute]
        if left is None or right is None:
            return False
        if not COMPARE[p.comparison](left, right + p.offset if p.offset else right):
            return False
    return True


def _wanted(group: Group, member: Member, one: _Outer, other: _Outer) -> bool:
    of = {one.stream: one.values, other.stream: other.values}
    for stream, condition in zip(group.streams, member.conditions, strict=True):
        for f in condition.filters:
            value = of[stream][f.column.attribute]
            if value is None or not f.holds(value):
                return False
    return True


watcher = ScheduleWatcher
