"""What nested loops count, eager or lazy, as the paper writes them: one tuple after the other.

It counts what it examines at every loop level but the outermost, after the warm-up.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from planner.workload.execution import Every
from planner.workload.query import CountWindow, Query, TimeWindow
from planner.workload.validation import microseconds
from planner.workload.workload import Workload
from tests.oracles.joins import (
    Data,
    holds,
    in_windows,
    is_active,
    last_of,
    members_of,
)

Access = dict[str, tuple[str, int | str]]


class Simulation:
    """One run; `examined[origin, level]` are its comparisons."""

    def __init__(self, workload: Workload, data: Data, orders: Any, access: Access) -> None:
        (self.query,) = workload.queries
        self.workload, self.data, self.orders, self.access = workload, data, orders, access
        self.aliases = [source.alias for source in self.query.sources]
        self.examined: Counter[tuple[str, int]] = Counter()
        self.window: dict[str, list[Any]] = {alias: [] for alias in self.aliases}
        self.by_alias = members_of(workload, data)
        self.changes: Counter[tuple[str, str]] = Counter()

    def run(self, warmup: int, end: int) -> None:  # noqa: C901
        """Every arrival that passes its filters, with the clock's ticks between them."""
        evaluate, expire = self.workload.execution.evaluate, self.workload.execution.expire
        lazy = isinstance(evaluate, Every)
        every = expire if isinstance(expire, Every) else evaluate
        tick = microseconds(evaluate.seconds) if lazy else 0
        if not lazy and isinstance(expire, Every):
            tick = microseconds(expire.seconds)
        arrivals = self._arrivals()
        fresh: list[Any] = []
        now = -(-arrivals[0][0] // tick) * tick if tick and arrivals else 0
        for arrival in [*arrivals, None]:
            while tick and (now < arrival[0] if arrival else now <= end or fresh):
                if lazy and fresh:
                    self._evaluate(fresh, warmup < now <= end)
                    fresh = []
                if lazy:
                    self._end_rows(now, now, warmup, end)
                if isinstance(every, Every) and now % microseconds(every.seconds) == 0:
                    self._expire(now, arrival)
                now += tick
            if arrival is None:
                break
            if not lazy:
                self._end_rows(arrival[0], None, warmup, end)
            if self._is_row(arrival):
                self.changes["inserts", self.aliases[arrival[3]]] += arrival[0] >= warmup
                self.window[self.aliases[arrival[3]]].append(arrival)
                continue
            if not tick:
                self._expire(arrival[0], arrival)
            if lazy:
                fresh.append(arrival)
            else:
                self._evaluate([arrival], arrival[0] >= warmup)
            self.window[self.aliases[arrival[3]]].append(arrival)

    def _arrivals(self) -> list[Any]:
        """What passes its filters. Rows that no tuple meets are not looked at, and what began
        before the first tuple is there when it arrives."""
        every = [u for held in self.by_alias for u in held]
        times = [u[0] for u in every if not self._is_row(u)]
        passing = [u for u in every if self._passes(u)]
        begun = [(max(u[0], min(times)), *u[1:]) for u in passing if self._is_row(u) and times]
        rows = [u for u in begun if u[0] < self._end(u) and u[0] <= max(times)]
        return sorted([*rows, *(u for u in passing if not self._is_row(u))])

    def _is_row(self, u: Any) -> bool:
        return self.query.sources[u[3]].window is None

    def _end(self, u: Any) -> int:
        return int(self.data[self.query.sources[u[3]].name][u[2]][0][1])

    def _end_rows(self, now: int, left: int | None, warmup: int, end: int) -> None:
        for source in self.query.sources:
            held = self.window[source.alias]
            if source.window is None:
                for u in [u for u in held if self._end(u) <= now]:
                    when = self._end(u) if left is None else left
                    self.changes["ends", source.alias] += warmup <= when <= end
                    held.remove(u)

    def _passes(self, u: Any) -> bool:
        alias = self.aliases[u[3]]
        own = [f for f in self.query.filters if f.column.alias == alias]
        only = Query("-", tuple(s for s in self.query.sources if s.alias == alias), (), tuple(own))
        return holds(only, self.data, [u])

    def _expire(self, now: int, arrival: Any) -> None:
        for place, source in enumerate(self.query.sources):
            held = self.window[source.alias]
            if isinstance(source.window, TimeWindow):
                length = microseconds(source.window.seconds)
                held[:] = [u for u in held if u[0] + length > now]
            elif arrival is not None and isinstance(source.window, CountWindow):
                before = [u for u in self.by_alias[place] if u < arrival]
                newest = before[-source.window.rows :]
                held[:] = [u for u in held if u in newest]

    def _evaluate(self, fresh: list[Any], counted: bool) -> None:
        for origin in self.aliases:
            own = [u for u in fresh if self.aliases[u[3]] == origin]
            if own:
                self._loop(origin, 0, {}, own, counted)

    def _loop(
        self, origin: str, level: int, bound: dict[str, Any], own: Any, counted: bool
    ) -> None:
        if level == len(self.aliases):
            return
        alias = self.orders[origin][level]
        examined = own if alias == origin else self._reached(alias, bound)
        if level and counted:
            self.examined[origin, level] += len(examined)
        for u in examined:
            joined = {**bound, alias: u}
            if self._fits(joined, origin):
                self._loop(origin, level + 1, joined, own, counted)

    def _reached(self, alias: str, bound: dict[str, Any]) -> list[Any]:
        """All of a window, or the bucket that the first linking class of attributes leads to."""
        how, buckets = self.access[alias]
        for joined in self.query.equality_classes():
            mine = next((c for c in joined if c.alias == alias), None)
            other = next((c for a in bound for c in joined if c.alias == a), None)
            if how == "hash" and mine and other:
                key = self._key(other, bound[other.alias])
                same = [(u, self._key(mine, u)) for u in self.window[alias]]
                if buckets == "per-value":
                    return [u for u, k in same if k == key]
                codes = self._codes(joined)
                b = min(int(buckets), codes)
                return [u for u, k in same if k % b == key % b]
        return self.window[alias]

    def _values(self, column: Any) -> list[Any]:
        name = self.query.source(column.alias).name
        return [item[1][column.attribute] for item in self.data[name]]

    def _codes(self, joined: Any) -> int:
        return self._missing(joined)[1]

    def _missing(self, joined: Any) -> tuple[dict[str, int], int]:
        """The code of a missing key of each source, after all others; how many codes there are."""
        known = [v for column in joined for v in self._values(column) if v is not None]
        above = 1 + max(known, default=0)
        codes = {}
        for source in self.query.sources:
            column = next((c for c in joined if c.alias == source.alias), None)
            if column is not None and None in self._values(column):
                codes[source.alias] = above
                above += 1
        return codes, above

    def _key(self, column: Any, u: Any) -> int:
        value = self._values(column)[u[2]]
        if value is not None:
            return int(value)
        joined = next(c for c in self.query.equality_classes() if column in c)
        return self._missing(joined)[0][column.alias]

    def _fits(self, bound: dict[str, Any], origin: str) -> bool:
        sources = tuple(s for s in self.query.sources if s.alias in bound)
        members = [bound[s.alias] for s in sources]
        predicates = tuple(
            p for p in self.query.predicates if p.left.alias in bound and p.right.alias in bound
        )
        if not holds(Query("-", sources, predicates), self.data, members):
            return False
        if not is_active(Query("-", sources), self.data, members):
            return False
        for joined in self.query.equality_classes():
            keys = {self._key(c, bound[c.alias]) for c in joined if c.alias in bound}
            if len(keys) > 1:
                return False
        if origin not in bound:
            return True
        k = bound[origin]
        by_alias = [self.by_alias[self.aliases.index(s.alias)] for s in sources]
        last = last_of(Query("-", sources), members)
        return last is k and in_windows(Query("-", sources), members, by_alias)
