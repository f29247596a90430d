"""A plan of late or early aggregation, run tuple by tuple.

    a tuple enters or leaves:   its aggregation set is updated, where it has one
                                it probes the other windows, or their sets
                                each combination updates its group of the answer

Every content is a dictionary of cells, every probe goes through it, and the output is kept as the
combinations of each group: slow, and short enough to be read as the definition. Kernels and model
are compared with it in tests, and the Teach page shows what it looks at.
"""

from __future__ import annotations

import operator as op
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from planner.plan.cost import Cost
from planner.plan.plan import Operator, Plan
from planner.workload.query import (
    Column,
    CountWindow,
    LandmarkWindow,
    Source,
    TimeWindow,
    TumblingWindow,
)
from planner.workload.workload import Workload

COMPARE: dict[str, Callable[[float, float], bool]] = {
    "=": op.eq, "<>": op.ne, "<": op.lt, "<=": op.le, ">": op.gt, ">=": op.ge,
}  # fmt: skip


FOREVER = float("inf")
EXTREME: dict[str, Callable[[Iterable[int]], int]] = {"min": min, "max": max}


@dataclass(eq=False)
class Tuple:
    """A tuple of a source, or a row of a relation, which ends at `until`.

    `keys` are by class of equal attributes, as feeds have them; without them values are compared.
    `rank` is the place in the order of arrival.
    """

    ts: float
    values: dict[str, Any]
    name: str = ""
    keys: Sequence[int] = ()
    until: float = FOREVER
    rank: int = 0


# MIN or MAX, and of what.
Extremum = tuple[str, Column]
Entry = tuple[Tuple, list[Tuple]]
# An example of each source, the tuples of entries, and how many rows they stand for together.
Combination = tuple[dict[str, Tuple], dict[str, list[Tuple]], int]


@dataclass
class Holder:
    """What one source holds: its tuples in order, and the cells of its set."""

    tuples: list[Tuple] = field(default_factory=list)
    cells: dict[tuple[int, ...], list[Tuple]] = field(default_factory=dict)


class AggregationWatch:
    """What may be seen of an aggregation; this one does not look."""

    def entered(self, alias: str, one: Tuple, cell: tuple[int, ...] | None) -> None: ...
    def left(self, alias: str, one: Tuple, cell: tuple[int, ...] | None) -> None: ...
    def probed(
        self, step: Operator, by: dict[str, Tuple], examined: list[Entry], fitting: list[Entry]
    ) -> None: ...
    def updated(self, key: tuple[int, ...], rows: int) -> None: ...


class AggregationSimulation:
    """One plan over one workload; work is recorded from `warmup` on.

    Times are in seconds, or in microseconds where `second` says so.
    """

    def __init__(
        self, workload: Workload, plan: Plan, second: int = 1, watch: AggregationWatch | None = None
    ) -> None:
        self.workload, self.query = workload, workload.queries[0]
        self.second, self.watch = second, watch or AggregationWatch()
        self.warmup, self.now = 0.0, 0.0
        self.streams = [s for s in self.query.sources if s.window is not None]
        self.classes = self.query.equality_classes()
        self.operators = {o.id: o for o in plan.operators()}
        self.holders = {s.alias: Holder() for s in self.query.sources}
        self.early = {
            str(o.param("source")): [c.split(".")[1] for c in str(o.param("group")).split(", ")]
            if o.param("group")
            else []
            for o in self.operators.values()
            if o.kind == "aggregate"
        }
        self.pipelines: dict[str, list[Operator]] = {s.alias: [] for s in self.query.sources}
        for o in self.operators.values():
            if o.kind == "probe":
                self.pipelines[str(o.param("origin"))].append(o)
        for steps in self.pipelines.values():
            steps.sort(key=lambda o: int(o.param("step")))
        self.by_kind: dict[tuple[str, str | None], list[str]] = {}
        for o in self.operators.values():
            for alias in {None, str(dict(o.params).get("source", "")) or None}:
                self.by_kind.setdefault((o.kind, alias), []).append(o.id)
        self.groups: dict[tuple[int, ...], int] = {}
        self.counted: dict[tuple[str, str], float] = defaultdict(float)
        self.recording = False
        self.closed = 0
        # By group and MIN or MAX: the value, and how many rows have one at all.
        self.best: dict[tuple[tuple[int, ...], Extremum], int] = {}
        self.present: dict[tuple[tuple[int, ...], Extremum], int] = defaultdict(int)
        self.examined = 0
        self.arrived: dict[str, list[Tuple]] = {s.alias: [] for s in self.query.sources}
        streams = [s.alias for s in self.query.sources if s.window is not None]
        # Two aggregates may share one.
        self.indexes = {alias: self._indexes_of(alias) for alias in self.holders}
        self.extrema: list[Extremum] = list(
            dict.fromkeys(
                (a.function, a.column)
                for a in self.query.aggregates
                if a.function in EXTREME and a.column
            )
        )
        extreme = [column.alias for _, column in self.extrema]
        self.start = next((alias for alias in extreme if alias in streams), streams[0])

    def _indexes_of(self, alias: str) -> int:
        """How many indexes of a source its probes need: one by each class of equal attributes."""
        found = set()
        for origin, steps in self.pipelines.items():
            bound = [origin]
            for step in steps:
                if step.param("source") == alias and step.param("access") == "hash":
                    link = self._link(alias, bound)
                    found.add((link and link[0], step.param("buckets")))
                bound.append(str(step.param("source")))
        return len(found)

    def _passes(self, alias: str, one: Tuple) -> bool:
        own = [f for f in self.query.filters if f.column.alias == alias]
        values = [(f, one.values[f.column.attribute]) for f in own]
        return all(value is not None and f.holds(value) for f, value in values)

    # --- contents ------------------------------------------------------------------------------

    def _cell(self, alias: str, one: Tuple) -> tuple[int, ...]:
        return tuple(one.values[name] for name in self.early[alias])

    def _enter(self, alias: str, one: Tuple) -> None:
        self.holders[alias].tuples.append(one)
        cell = self._cell(alias, one) if alias in self.early else None
        if cell is not None:
            self.holders[alias].cells.setdefault(cell, []).append(one)
        self.watch.entered(alias, one, cell)

    def _leave(self, alias: str, one: Tuple) -> None:
        self.holders[alias].tuples.remove(one)
        cell = self._cell(alias, one) if alias in self.early else None
        self.watch.left(alias, one, cell)
        if cell is not None:
            members = self.holders[alias].cells[cell]
            members.remove(one)
            for function, column in self.extrema:
                own = one.values[column.attribute] if column.alias == alias else None
                held = [t.values[column.attribute] for t in members if own is not None]
                known = [value for value in held if value is not None]
                if own is not None and known and EXTREME[function]([*known, own]) == own:
                    self._count("aggregate", alias, "comparisons", len(members))
            if not members:
                del self.holders[alias].cells[cell]

    def _entries(self, alias: str, content: str) -> list[Entry]:
        holder = self.holders[alias]
        if content == "set":
            return [(members[0], members) for members in holder.cells.values()]
        return [(one, [one]) for one in holder.tuples]

    # --- probing -------------------------------------------------------------------------------

    @staticmethod
    def _key(number: int, column: Column, one: Tuple) -> Any:
        return one.keys[number] if one.keys else one.values[column.attribute]

    def _both_there(self, alias: str, one: Tuple, other: str, another: Tuple) -> bool:
        """Whether a row of a relation is there when a tuple arrives."""
        rows = [self.query.source(name).window is None for name in (alias, other)]
        if rows[0] == rows[1]:
            return True
        row, tuple_ = (one, another) if rows[0] else (another, one)
        return row.ts <= tuple_.ts < row.until

    def _fits(self, bound: dict[str, Tuple], alias: str, one: Tuple) -> bool:
        return (
            self._equals(bound, alias, one)
            and all(self._both_there(alias, one, *other) for other in bound.items())
            and self._compares(bound, alias, one)
        )

    def _equals(self, bound: dict[str, Tuple], alias: str, one: Tuple) -> bool:
        for number, columns in enumerate(self.classes):
            own = [self._key(number, c, one) for c in columns if c.alias == alias]
            others = [self._key(number, c, bound[c.alias]) for c in columns if c.alias in bound]
            if any(key is None or key != other for key in own for other in others):
                return False
        return True

    def _compares(self, bound: dict[str, Tuple], alias: str, one: Tuple) -> bool:
        known = {**bound, alias: one}
        for p in self.query.predicates:
            if alias not in (p.left.alias, p.right.alias):
                continue
            if p.left.alias in known and p.right.alias in known:
                left = known[p.left.alias].values[p.left.attribute]
                right = known[p.right.alias].values[p.right.attribute]
                if left is None or right is None:
                    return False
                if not COMPARE[p.comparison](left, right + p.offset if p.offset else right):
                    return False
        return True

    def _examined(self, step: Operator, bound: dict[str, Tuple]) -> list[Entry]:
        """The entries where the probe looks: all, or those in the bucket of its key."""
        alias = str(step.param("source"))
        entries = self._entries(alias, str(step.param("content")))
        if step.param("access") == "scan":
            return entries
        link = self._link(alias, bound)
        if link is None:
            return entries
        number, mine, other = link
        key, buckets = self._key(number, other, bound[other.alias]), step.param("buckets")
        of = [(entry, self._key(number, mine, entry[0])) for entry in entries]
        if buckets == "per-value":
            return [entry for entry, own in of if own == key]
        return [entry for entry, own in of if (own - key) % int(buckets) == 0]

    def _link(self, alias: str, bound: Iterable[str]) -> tuple[int, Column, Column] | None:
        """The first class of equal attributes that leads from what is bound to a source."""
        for number, columns in enumerate(self.classes):
            own = [c for c in columns if c.alias == alias]
            others = [c for name in bound for c in columns if c.alias == name]
            if own and others:
                return number, own[0], others[0]
        return None

    def _probe(
        self,
        steps: list[Operator],
        bound: dict[str, Tuple],
        members: dict[str, list[Tuple]],
        rows: int,
    ) -> Iterator[list[Combination]]:
        """Combinations, those of the last probe together."""
        if not steps:
            yield [(bound, members, rows)]
            return
        step, alias = steps[0], str(steps[0].param("source"))
        examined = self._examined(step, bound)
        self.examined += len(examined)
        self._count_operator(step.id, "comparisons", len(examined))
        fitting = [entry for entry in examined if self._fits(bound, alias, entry[0])]
        self.watch.probed(step, bound, examined, fitting)
        self._count_operator(step.id, "rows_out", len(fitting))
        found = [
            ({**bound, alias: one}, {**members, alias: tuples}, rows * len(tuples))
            for one, tuples in fitting
        ]
        if len(steps) == 1:
            yield found
            return
        for combination in found:
            yield from self._probe(steps[1:], *combination)

    def _event(self, alias: str, one: Tuple, sign: int) -> None:
        if alias in self.early:
            self._count("aggregate", alias, "group_updates", 1)
        touched: set[tuple[int, ...]] = set()
        doubtful: set[tuple[int, ...]] = set()
        for together in self._probe(self.pipelines[alias], {alias: one}, {}, 1):
            for bound, _, rows in together:
                self._count("update", None, "group_updates", 1)
                key = self._group(bound)
                self.groups[key] = self.groups.get(key, 0) + sign * rows
                touched.add(key)
                self.watch.updated(key, sign * rows)
            doubtful |= self._compete(together, sign)
        for key in touched:
            if not self.groups[key]:
                del self.groups[key]
            elif key in doubtful:
                self._recompute(key)
        self._count("output", None, "rows_out", len(touched))

    # --- extrema -------------------------------------------------------------------------------

    def _group(self, bound: dict[str, Tuple]) -> tuple[int, ...]:
        return tuple(bound[c.alias].values[c.attribute] for c in self.query.group_by)

    @staticmethod
    def _values(extremum: Extremum, combination: Combination) -> tuple[int, Any]:
        """In how many rows of a combination there is a value, and the least or greatest one."""
        (function, column), (bound, members, rows) = extremum, combination
        tuples = members.get(column.alias, [bound[column.alias]])
        values = [one.values[column.attribute] for one in tuples]
        known = [value for value in values if value is not None]
        times = rows // len(tuples)
        return times * len(known), EXTREME[function](known) if known else None

    def _compete(self, together: list[Combination], sign: int) -> set[tuple[int, ...]]:
        """Update the extrema of groups; returns those whose own extremum may have left."""
        doubtful = set()
        brought = [
            ((self._group(one[0]), extremum), *self._values(extremum, one))
            for extremum in self.extrema
            for one in together
        ]
        for place, present, _ in brought:
            self.present[place] += sign * present
        for place, present, value in brought:
            if not present:
                continue
            known = self.best.get(place)
            if not self.present[place]:
                self.best.pop(place, None)
            elif sign > 0:
                both = [value] if known is None else [value, known]
                self.best[place] = EXTREME[place[1][0]](both)
            elif value == known:
                doubtful.add(place[0])
        return doubtful

    def _recompute(self, key: tuple[int, ...]) -> None:
        """Go through the entries of one stream, and from those of the group through the others."""
        was, self.recording = self.recording, False
        places = [place for place, c in enumerate(self.query.group_by) if c.alias == self.start]
        columns = [self.query.group_by[place].attribute for place in places]
        own = [key[place] for place in places]
        content = "set" if self.start in self.early else "window"
        entries = self._entries(self.start, content)
        self.examined = len(entries)
        fresh: dict[tuple[tuple[int, ...], Extremum], int] = {}
        for one, tuples in entries:
            if [one.values[name] for name in columns] != own:
                continue
            first, steps = {self.start: tuples}, self.pipelines[self.start]
            for together in self._probe(steps, {self.start: one}, first, len(tuples)):
                for combination in together:
                    for extremum in self.extrema if self._group(combination[0]) == key else ():
                        present, value = self._values(extremum, combination)
                        place, better = (key, extremum), EXTREME[extremum[0]]
                        if present:
                            fresh[place] = better([value, fresh.get(place, value)])
        for extremum in self.extrema:
            self.best.pop((key, extremum), None)
        self.best.update(fresh)
        self.recording = was
        self._count("update", None, "comparisons", self.examined)

    # --- the run -------------------------------------------------------------------------------

    def arrive(self, alias: str, one: Tuple) -> None:
        """A tuple arrives: what is too old leaves first."""
        self._expire(self.streams, one.ts, self.warmup, self.now)
        self.now = one.ts
        self.recording = one.ts >= self.warmup
        window = self.query.source(alias).window
        if self._passes(alias, one):
            self._count("table" if window is None else "insert", alias, "inserts", 1)
            self._enter(alias, one)
            if window is not None:
                for s in self.streams:
                    checked = isinstance(s.window, TimeWindow | TumblingWindow)
                    self._count("expire", s.alias, "expirations", checked)
                self._event(alias, one, 1)
        if isinstance(window, CountWindow):
            self._displace(alias, one, window.rows)
        if self.recording:
            self._hold()

    def _displace(self, alias: str, one: Tuple, rows: int) -> None:
        # Rows are counted before filters.
        order = self.arrived[alias]
        order.append(one)
        if len(order) > rows:
            gone = order.pop(0)
            if gone in self.holders[alias].tuples:
                self._go(alias, gone)
                self._event(alias, gone, -1)

    def _go(self, alias: str, one: Tuple) -> None:
        """A tuple leaves its window and its indexes."""
        kind = "table" if self.query.source(alias).window is None else "expire"
        self._count(kind, alias, "expirations", 1 + self.indexes[alias])
        self._leave(alias, one)

    def _expire(self, streams: list[Source], now: float, warmup: float, before: float) -> None:
        lengths = {s.window for s in streams}
        window = next(iter(lengths))
        if len(lengths) == 1 and isinstance(window, TumblingWindow):
            length = window.seconds * self.second
            if now // length != before // length:
                for s in streams:
                    for one in self.holders[s.alias].tuples:
                        self.watch.left(s.alias, one, None)
                    self.holders[s.alias] = Holder()
                self.closed += len(self.groups)
                self.groups.clear()
                self.best.clear()
                self.present.clear()
            streams = []
        leaving = [
            (self._leaves(s, one), one.rank, one.ts, place, s.alias, one)
            for place, s in enumerate(streams)
            for one in self.holders[s.alias].tuples
            if self._leaves(s, one) <= now
        ]
        clock = before
        for leaves, _, _, _, alias, one in sorted(leaving, key=lambda found: found[:4]):
            self._end_rows(clock, leaves, warmup)
            clock = max(clock, leaves)
            self.recording = leaves >= warmup
            self._go(alias, one)
            self._event(alias, one, -1)
        self._end_rows(clock, now, warmup)

    def _end_rows(self, clock: float, until: float, warmup: float) -> None:
        """A relation's row that has ended is taken out when no tuple is left that it joined."""
        ending = [
            (one.until, one.rank, s.alias, one)
            for s in self.query.sources
            if s.window is None
            for one in self.holders[s.alias].tuples
            if one.until < FOREVER
        ]
        for end, _, alias, one in sorted(ending, key=lambda found: found[:2]):
            when = self._released(end, clock)
            if when > until:
                return
            clock = max(clock, when)
            self.recording = when >= warmup
            self._go(alias, one)

    def _released(self, end: float, clock: float) -> float:
        when = end
        for s in self.streams:
            if isinstance(s.window, LandmarkWindow):
                return FOREVER
            if isinstance(s.window, TimeWindow | TumblingWindow):
                when = max(when, end + s.window.seconds * self.second)
            elif held := self.holders[s.alias].tuples:
                if held[0].ts < end:
                    return FOREVER
                when = max(when, clock)
        return when

    def _leaves(self, source: Source, one: Tuple) -> float:
        if isinstance(source.window, TimeWindow):
            return one.ts + source.window.seconds * self.second
        if isinstance(source.window, TumblingWindow):
            length = source.window.seconds * self.second
            return (one.ts // length + 1) * length
        return float("inf")

    # --- counting ------------------------------------------------------------------------------

    def _count_operator(self, operator_id: str, what: str, count: float) -> None:
        if self.recording:
            self.counted[operator_id, what] += count

    def _count(self, kind: str, alias: str | None, what: str, count: float) -> None:
        if not self.recording:
            return
        for identity in self.by_kind.get((kind, alias), ()):
            self.counted[identity, what] += count

    def _hold(self) -> None:
        for alias, holder in self.holders.items():
            self._count("insert", alias, "state_tuples", len(holder.tuples))
            self._count("aggregate", alias, "state_tuples", len(holder.cells))
        self._count("update", None, "state_tuples", len(self.groups))

    def _costs(self, duration: float, samples: int) -> dict[str, Cost]:
        found = {}
        for identity in self.operators:
            values = {}
            for what in ("comparisons", "inserts", "expirations", "group_updates", "rows_out"):
                values[what] = self.counted[identity, what] / duration
            values["state_tuples"] = self.counted[identity, "state_tuples"] / max(1, samples)
            found[identity] = Cost(**values)
        return found
