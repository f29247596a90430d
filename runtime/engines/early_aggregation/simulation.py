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
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from planner.plan.cost import Cost
from planner.plan.plan import Operator, Plan
from planner.workload.query import Aggregate, CountWindow, Source, TimeWindow, TumblingWindow
from planner.workload.workload import Workload

COMPARE: dict[str, Callable[[float, float], bool]] = {
    "=": op.eq, "<>": op.ne, "<": op.lt, "<=": op.le, ">": op.gt, ">=": op.ge,
}  # fmt: skip


EXTREME: dict[str, Callable[[Iterable[int]], int]] = {"min": min, "max": max}


@dataclass
class Tuple:
    """A tuple of a source, or a row of a relation."""

    ts: float
    values: dict[str, Any]
    name: str = ""


Entry = tuple[Tuple, list[Tuple]]


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
        self.best: dict[tuple[tuple[int, ...], str], int] = {}
        self.examined = 0
        streams = [s.alias for s in self.query.sources if s.window is not None]
        extreme = [
            a.column.alias for a in self.query.aggregates if a.function in EXTREME and a.column
        ]
        self.start = next((alias for alias in extreme if alias in streams), streams[0])

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
            for aggregate in self.query.aggregates:
                column = aggregate.column
                if column is None or column.alias != alias or not members:
                    continue
                extreme = EXTREME.get(aggregate.function)
                if extreme is None:
                    continue
                best = extreme(t.values[column.attribute] for t in [*members, one])
                if one.values[column.attribute] == best:
                    self._count("aggregate", alias, "comparisons", len(members))
            if not members:
                del self.holders[alias].cells[cell]

    def _entries(self, alias: str, content: str) -> list[Entry]:
        holder = self.holders[alias]
        if content == "set":
            return [(members[0], members) for members in holder.cells.values()]
        return [(one, [one]) for one in holder.tuples]

    # --- probing -------------------------------------------------------------------------------

    def _fits(self, bound: dict[str, Tuple], alias: str, one: Tuple) -> bool:
        for columns in self.classes:
            own = [c for c in columns if c.alias == alias]
            others = [c for c in columns if c.alias in bound]
            for mine in own:
                for other in others:
                    key = one.values[mine.attribute]
                    if key is None or key != bound[other.alias].values[other.attribute]:
                        return False
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
        for columns in self.classes:
            own = [c.attribute for c in columns if c.alias == alias]
            others = [c for c in columns if c.alias in bound]
            if own and others:
                key = bound[others[0].alias].values[others[0].attribute]
                buckets = step.param("buckets")
                if buckets == "per-value":
                    return [e for e in entries if e[0].values[own[0]] == key]
                return [e for e in entries if (e[0].values[own[0]] - key) % int(buckets) == 0]
        return entries

    def _probe(
        self,
        steps: list[Operator],
        bound: dict[str, Tuple],
        members: dict[str, list[Tuple]],
        rows: int,
    ) -> Iterator[tuple[dict[str, Tuple], dict[str, list[Tuple]], int]]:
        """Combinations: an example of each source, the tuples of entries, and how many they are."""
        if not steps:
            yield bound, members, rows
            return
        step, alias = steps[0], str(steps[0].param("source"))
        examined = self._examined(step, bound)
        self.examined += len(examined)
        self._count_operator(step.id, "comparisons", len(examined))
        fitting = [entry for entry in examined if self._fits(bound, alias, entry[0])]
        self.watch.probed(step, bound, examined, fitting)
        for one, tuples in fitting:
            self._count_operator(step.id, "rows_out", 1)
            yield from self._probe(
                steps[1:], {**bound, alias: one}, {**members, alias: tuples}, rows * len(tuples)
            )

    def _event(self, alias: str, one: Tuple, sign: int) -> None:
        if alias in self.early:
            self._count("aggregate", alias, "group_updates", 1)
        touched, doubtful = set(), set()
        for bound, members, rows in self._probe(self.pipelines[alias], {alias: one}, {}, 1):
            self._count("update", None, "group_updates", 1)
            key = self._group(bound)
            self.groups[key] = self.groups.get(key, 0) + sign * rows
            if not self.groups[key]:
                del self.groups[key]
                doubtful.discard(key)
            touched.add(key)
            self.watch.updated(key, sign * rows)
            doubtful |= {key for name in self._apply(key, bound, members, sign) if name}
        for key in doubtful:
            self._recompute(key)
        self._count("output", None, "rows_out", len(touched))

    # --- extrema -------------------------------------------------------------------------------

    def _group(self, bound: dict[str, Tuple]) -> tuple[int, ...]:
        return tuple(bound[c.alias].values[c.attribute] for c in self.query.group_by)

    def _values(
        self, bound: dict[str, Tuple], members: dict[str, list[Tuple]]
    ) -> Iterator[tuple[Aggregate, int]]:
        """The MINs and MAXs of a combination."""
        for aggregate in self.query.aggregates:
            extreme = EXTREME.get(aggregate.function)
            if extreme is not None and aggregate.column is not None:
                alias, attribute = aggregate.column.alias, aggregate.column.attribute
                tuples = members.get(alias, [bound[alias]])
                yield aggregate, extreme(one.values[attribute] for one in tuples)

    def _apply(
        self,
        key: tuple[int, ...],
        bound: dict[str, Tuple],
        members: dict[str, list[Tuple]],
        sign: int,
    ) -> Iterator[str]:
        """Update the extrema of a group; those that leave it are named."""
        for aggregate, value in self._values(bound, members):
            known = self.best.get((key, aggregate.name))
            if key not in self.groups:
                self.best.pop((key, aggregate.name), None)
            elif sign > 0:
                both = [value] if known is None else [value, known]
                self.best[key, aggregate.name] = EXTREME[aggregate.function](both)
            elif value == known:
                yield aggregate.name

    def _recompute(self, key: tuple[int, ...]) -> None:
        """Go through the entries of one stream, and from those of the group through the others."""
        was, self.recording = self.recording, False
        places = [place for place, c in enumerate(self.query.group_by) if c.alias == self.start]
        columns = [self.query.group_by[place].attribute for place in places]
        own = [key[place] for place in places]
        content = "set" if self.start in self.early else "window"
        entries = self._entries(self.start, content)
        self.examined = len(entries)
        fresh: dict[tuple[tuple[int, ...], str], int] = {}
        for one, tuples in entries:
            if [one.values[name] for name in columns] != own:
                continue
            first = {self.start: tuples}
            steps = self.pipelines[self.start]
            for bound, members, _ in self._probe(steps, {self.start: one}, first, 1):
                if self._group(bound) == key:
                    for aggregate, value in self._values(bound, members):
                        place = (key, aggregate.name)
                        better = EXTREME[aggregate.function]
                        fresh[place] = better([value, fresh.get(place, value)])
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
            self._enter(alias, one)
            if window is not None:
                self._event(alias, one, 1)
        if isinstance(window, CountWindow):
            self._displace(alias, one, window.rows)
        if self.recording:
            self._hold()

    def _displace(self, alias: str, one: Tuple, rows: int) -> None:
        # Rows are counted before filters.
        order = self.__dict__.setdefault("arrived", {}).setdefault(alias, [])
        order.append(one)
        if len(order) > rows:
            gone = order.pop(0)
            if any(held is gone for held in self.holders[alias].tuples):
                self._leave(alias, gone)
                self._event(alias, gone, -1)

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
                self.groups.clear()
                self.best.clear()
            return
        leaving = [
            (self._leaves(s, one), one.ts, place, s.alias, one)
            for place, s in enumerate(streams)
            for one in self.holders[s.alias].tuples
            if self._leaves(s, one) <= now
        ]
        for leaves, _, _, alias, one in sorted(leaving, key=lambda found: found[:3]):
            self.recording = leaves >= warmup
            self._leave(alias, one)
            self._event(alias, one, -1)

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
            for what in ("comparisons", "group_updates", "rows_out"):
                values[what] = self.counted[identity, what] / duration
            values["state_tuples"] = self.counted[identity, "state_tuples"] / max(1, samples)
            found[identity] = Cost(**values)
        return found
