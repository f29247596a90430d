"""What the Teach page sees of a scheduled join: who waits, who scans how far, and what is released.

    a tuple arrives:        it is stored, and waits behind those that have scanned nothing
    when the server is free: the policy takes the head of a queue, which scans up to a window
                             and waits behind those that have scanned as far

The server is the simulator that tests compare the kernel with; delays are compared at every step.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from planner.families.shared_schedule.labels import schedule_of
from planner.joins.shared.query_groups import Group, Member, groups_of
from planner.plan.cost import Quality
from planner.workload.query import COMPARE
from runtime.engines.pair_feed import streams_of
from runtime.engines.shared_schedule.schedule_program import OWN
from runtime.engines.shared_schedule.simulation.policies import policy_of
from runtime.engines.shared_schedule.simulation.server import (
    Outer,
    Released,
    Releases,
    ScheduleServer,
    WorkClock,
)
from runtime.engines.trace import (
    Counts,
    Event,
    Place,
    Watched,
    WatcherBase,
    chip_id,
    values_of,
)

STORE, SCAN, WAIT, RELEASE = range(4)
_LINES = (
    "A new tuple is stored, and waits behind those that have scanned nothing yet.",
    "When the server is free, the policy takes the head of one queue, which scans up to a window.",
    "Then it waits behind those that have scanned as far, until it has scanned the largest window.",
    "A query is given a result once all older tuples have scanned its window, too.",
)


@dataclass(frozen=True, slots=True)
class _Tuple:
    """A tuple that is stored, or scans: by partial window the stored ones that it looks at."""

    chip: str
    stream: str
    ts: int
    values: dict[str, Any]
    keys: Any
    looked: list[list[str]] = field(default_factory=list)


@dataclass(slots=True)
class _Delays:
    """The delays of a query's results, in nanoseconds."""

    count: int = 0
    total: int = 0
    largest: int = 0

    def add(self, delay: int) -> None:
        self.count, self.total = self.count + 1, self.total + delay
        self.largest = max(self.largest, delay)

    def quality(self) -> Quality:
        if not self.count:
            return Quality()
        return Quality(delay_ms=self.total / self.count / 1e6, delay_ms_max=self.largest / 1e6)


class ScheduleWatcher(WatcherBase):
    """One shared join under a policy, watched; times are on the clock of work, in nanoseconds."""

    lines: tuple[str, ...] = _LINES

    def __init__(self, given: Watched) -> None:
        workload, program = given.workload, given.program
        (self._group,) = groups_of(workload)
        self._program, self._warmup = program, program.span.warmup
        own = program.alias if program.alias >= 0 else OWN
        table = program.eras[0].policies[own]
        policy = policy_of(workload, schedule_of(self._group, given.plan.label).policy, table)
        self._server = ScheduleServer(policy, WorkClock(*program.join.unit_costs))
        self._boundaries = boundaries = self._group.boundaries
        self._asking: dict[int, list[Member]] = {}
        for member in self._group.members:
            self._asking.setdefault(boundaries.index(member.longest), []).append(member)
        self._releases = Releases(self._server, sorted(self._asking))
        self._delays = {member.query: _Delays() for member in self._group.members}
        self._stored: dict[str, list[_Tuple]] = {name: [] for name in self._group.streams}
        self._known: dict[str, _Tuple] = {}
        self._order: list[_Tuple] = []
        self._counted = dict.fromkeys(("comparisons", "rows_out", "inserts", "expirations"), 0)
        self._join = next(op.id for op in given.plan.operators() if op.kind == "join")
        self.sources = tuple(streams_of(workload))
        unit = " s" if self._group.unit == "seconds" else " tuples"
        texts = [f"{self._group.text_of(b)}{unit}" for b in boundaries]
        stores = [Place(n, f"{n} window (last {texts[-1]})", self._join) for n in self._stored]
        names = ["Queue: nothing scanned", *(f"Queue: {text} scanned" for text in texts[1:])]
        self._points = policy.points[:-1]
        waits = [Place(f"queue {i}", names[i]) for i in self._points]
        self.places = (*stores, *waits)
        self._arrivals = self._in_order(given)
        self._events: list[Event] = []

    def _in_order(self, given: Watched) -> Iterator[_Tuple]:
        tuples: Any = given.feed.tuples
        values = {name: values_of(given.tables[name]) for name in self.sources}
        for n in range(len(tuples.ts)):
            name, place = self.sources[int(tuples.source[n])], int(tuples.place[n])
            chip = chip_id(name, int(tuples.seq[n]))
            yield _Tuple(chip, name, int(tuples.ts[n]), values[name][place], tuples.keys[n])

    # --- what happens ----------------------------------------------------------------------------

    def advance(self, count: int, until: int, last: bool) -> list[Event]:
        """Serve what waited until the next tuples, take them, and let the server go on."""
        self._events = []
        for one in islice(self._arrivals, count):
            self._serve(one.ts * 1000)
            self._arrive(one)
        self._serve(None if last else until * 1000)
        return self._events

    def _arrive(self, one: _Tuple) -> None:
        group, name = self._group, one.stream
        other = next(stream for stream in group.streams if stream != name)
        held, gone = self._stored[other], 0
        partials: list[list[str | None]] = [[] for _ in self._boundaries[1:]]
        one.looked.extend([] for _ in partials)
        for rank, stored in enumerate(reversed(held)):
            age = rank if group.unit == "rows" else one.ts - stored.ts
            partial = bisect_right(self._boundaries, age) - 1
            if partial == len(partials):
                gone += 1
            elif self._same_bucket(one, stored):
                one.looked[partial].append(stored.chip)
                fits = _joins(group, one, stored)
                partials[partial].append(stored.chip if fits else None)
        self._count(one, partials, gone + (len(held) > gone))
        self._events += [Event("expire", STORE, u.chip, other) for u in held[:gone]]
        del held[:gone]
        self._stored[name].append(one)
        self._known[one.chip] = one
        self._order.append(one)
        self._events.append(Event("insert", STORE, one.chip, "", name))
        self._server.arrive(Outer(one.ts * 1000, partials))

    def _count(self, one: _Tuple, partials: list[list[str | None]], checks: int) -> None:
        if one.ts < self._warmup:
            return
        self._counted["comparisons"] += sum(map(len, partials))
        self._counted["rows_out"] += sum(u is not None for own in partials for u in own)
        self._counted["inserts"] += 1
        self._counted["expirations"] += checks

    def _same_bucket(self, one: _Tuple, other: _Tuple) -> bool:
        if not self._is_hashed:
            return True
        return self._bucket(one) == self._bucket(other)

    @property
    def _is_hashed(self) -> bool:
        return self._group.key is not None and self._program.join.key >= 0

    def _bucket(self, one: _Tuple) -> int:
        key = int(one.keys[self._program.join.key])
        per_value = isinstance(self._group.buckets, str)
        return key if per_value else key % self._program.join.buckets

    def _serve(self, until: int | None) -> None:
        """Scans that begin before then, one after the other."""
        for scan in self._server.scans(until):
            one = self._order[scan.outer]
            looked = [chip for own in one.looked[scan.first : scan.last] for chip in own]
            partials = self._server.trace.outers[scan.outer].partials[scan.first : scan.last]
            matched = tuple(chip for own in partials for chip in own if chip is not None)
            other = next(stream for stream in self._group.streams if stream != one.stream)
            self._events.append(Event("probe", SCAN, one.chip, other, "", tuple(looked), matched))
            if scan.last < len(self._boundaries) - 1:
                self._events.append(Event("wait", WAIT, one.chip, "", f"queue {scan.last}"))
            for window, result in self._releases.next():
                self._release(window, result)

    def _release(self, window: int, result: Released) -> None:
        """A match is given to the queries of a window that ask for it."""
        one, other = self._order[result.outer], self._known[result.inner]
        for member in self._asking[window]:
            if _wanted(self._group, member, one, other):
                pair = one.chip, other.chip
                self._events.append(Event("emit", RELEASE, "", "", member.query, (), pair))
                if one.ts >= self._warmup:
                    self._delays[member.query].add(result.at - one.ts * 1000)

    # --- what is there ---------------------------------------------------------------------------

    def contents(self) -> dict[str, list[str]]:
        """Windows and queues."""
        found = {name: [one.chip for one in held] for name, held in self._stored.items()}
        for i in self._points:
            # A tuple that waits is stored, too: here it is known by another name.
            found[f"queue {i}"] = [f"{self._order[n].chip} " for n in self._server.queues[i]]
        return found

    def buckets(self) -> dict[str, dict[str, str]]:
        """Those of windows that are hashed; queues are not."""
        if not self._is_hashed or self._program.join.buckets == 1:
            return {}
        return {
            name: {one.chip: str(self._bucket(one)) for one in held}
            for name, held in self._stored.items()
        }

    def counts(self) -> Counts:
        """Of the join that all queries share."""
        return {self._join: dict(self._counted)}

    def results(self) -> None:
        """The kernel counts what it finds before the server has come so far."""
        return

    def qualities(self) -> dict[str, Quality]:
        """The delays of what was given to each query."""
        return {query: delays.quality() for query, delays in self._delays.items()}

    def pauses(self) -> list[int]:
        """When scans ended, in microseconds."""
        return sorted({-(-scan.end // 1000) for scan in self._server.trace.scans})


def _joins(group: Group, one: _Tuple, other: _Tuple) -> bool:
    of = {one.stream: one.values, other.stream: other.values}
    for p in group.predicates:
        left, right = of[p.left.alias][p.left.attribute], of[p.right.alias][p.right.attribute]
        if left is None or right is None:
            return False
        if not COMPARE[p.comparison](left, right + p.offset if p.offset else right):
            return False
    return True


def _wanted(group: Group, member: Member, one: _Tuple, other: _Tuple) -> bool:
    of = {one.stream: one.values, other.stream: other.values}
    for stream, condition in zip(group.streams, member.conditions, strict=True):
        for f in condition.filters:
            value = of[stream][f.column.attribute]
            if value is None or not f.holds(value):
                return False
    return True


watcher = ScheduleWatcher
