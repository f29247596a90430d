"""A join by nested loops, eager or lazy, as the paper writes it: one tuple after the other.

    a tuple k arrives:   every window drops the tuples that are too old for k
                         for each u1 in the first window of k's order that fits k:
                             for each u2 in the second that fits k and u1: ...
                         k enters its own window

Lazily, tuples only enter; the clock's ticks run the loops for all that came since the last tick.
Nothing here is clever, so that what it counts can be believed: a comparison is counted where a
stored tuple is looked at, an expiration where a timestamp or an index is. Kernels are compared with
it in tests, and the Teach page shows what it looks at.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from planner.workload.execution import Every
from planner.workload.query import COMPARE, CountWindow, LandmarkWindow, Query, TimeWindow
from planner.workload.validation import microseconds
from planner.workload.workload import Workload
from runtime.engines.trace import TracedTuple

# An alias: how its window is reached, and in how many buckets.
Access = Mapping[str, tuple[str, int | str]]
# A predicate that is no equality, read from the one side and from the other.
Test = Callable[[Mapping[str, Any], Mapping[str, Any]], bool]


class JoinWatch:
    """What may be seen of a simulation; this one does not look."""

    def expired(self, alias: str, gone: Sequence[TracedTuple]) -> None: ...
    def probed(
        self,
        bound: Sequence[TracedTuple],
        alias: str,
        examined: Sequence[TracedTuple],
        fitting: Sequence[TracedTuple],
    ) -> None: ...
    def found(self, members: Mapping[str, TracedTuple]) -> None: ...
    def inserted(self, member: TracedTuple) -> None: ...
    def ticked(self, now: int, fresh: int) -> None: ...


class LoopSimulation:
    """One run. Counts are by (origin, level), level 1 being the first window that is looked at,
    or by alias; `codes` is how many keys each class of equal attributes has."""

    def __init__(
        self,
        workload: Workload,
        orders: Mapping[str, Sequence[str]],
        access: Access,
        codes: Sequence[int],
        warmup: int = 0,
        end: int = 2**62,
        watch: JoinWatch | None = None,
    ) -> None:
        (self.query,) = workload.queries
        self.orders, self.access, self.codes = orders, access, codes
        self.warmup, self.end = warmup, end
        self.watch = watch or JoinWatch()
        self.sources = {source.alias: source for source in self.query.sources}
        self.window: dict[str, list[TracedTuple]] = {alias: [] for alias in self.sources}
        self.arrived: dict[str, list[int]] = {alias: [] for alias in self.sources}
        self.examined: Counter[tuple[str, int]] = Counter()
        self.matched: Counter[tuple[str, int]] = Counter()
        self.inserts: Counter[str] = Counter()
        self.expirations: Counter[str] = Counter()
        self.results: list[tuple[int, ...]] = []
        self._fresh: list[TracedTuple] = []
        self._classes = self.query.equality_classes()
        self._class_of = {
            (column.alias, number): column.attribute
            for number, joined in enumerate(self._classes)
            for column in joined
        }
        self._tests = _tests(self.query)
        self._reached: dict[tuple[str, frozenset[str]], tuple[int, str] | None] = {}
        self._indexes = {alias: len(self._indexes_of(alias)) for alias in self.sources}
        evaluate, expire = workload.execution.evaluate, workload.execution.expire
        self.lazy = isinstance(evaluate, Every)
        self.tick = microseconds(evaluate.seconds) if isinstance(evaluate, Every) else 0
        if isinstance(expire, Every) and not self.lazy:
            self.tick = microseconds(expire.seconds)
        self._expire_every = microseconds(expire.seconds) if isinstance(expire, Every) else 0
        self._now: int | None = None
        # Without probes tuples enter and leave, and nothing is found.
        self.probes = True

    # --- what happens ----------------------------------------------------------------------------

    def arrive(self, member: TracedTuple) -> None:
        """The ticks before a tuple, and the tuple itself."""
        if self.tick and self._now is None:
            self._now = -(-member.ts // self.tick) * self.tick
        if not self._passes(member):
            self.arrived[member.alias].append(member.rank)
            return
        while self.tick and self._now is not None and self._now < member.ts:
            self._tick(member)
        if not self.lazy:
            self._end_rows(member.ts, None)
        counted = member.ts >= self.warmup
        if self.sources[member.alias].window is None:
            self._insert(member, counted)
            return
        if not self.tick:
            self._expire(member.ts, member, None)
        if self.lazy:
            self._fresh.append(member)
        else:
            self._evaluate([member], counted)
        self._insert(member, counted)
        self.arrived[member.alias].append(member.rank)

    def finish(self) -> None:
        """Nothing comes any more: the clock goes on until all is evaluated."""
        while self.tick and self._now is not None:
            if self._now > self.end and not (self.lazy and self._fresh):
                return
            self._tick(None)

    def _tick(self, arriving: TracedTuple | None) -> None:
        now = self._now
        assert now is not None
        self.watch.ticked(now, len(self._fresh))
        if self.lazy and self._fresh:
            self._evaluate(self._fresh, self.warmup < now <= self.end)
            self._fresh = []
        if self.lazy:
            self._end_rows(now, now)
        if not self._expire_every or now % self._expire_every == 0:
            self._expire(now, arriving, now)
        self._now = now + self.tick

    def _insert(self, member: TracedTuple, counted: bool) -> None:
        self.inserts[member.alias] += counted
        self.window[member.alias].append(member)
        self.watch.inserted(member)

    def _end_rows(self, now: int, left: int | None) -> None:
        for alias, source in self.sources.items():
            if source.window is not None:
                continue
            gone = [u for u in self.window[alias] if u.until <= now]
            for u in gone:
                when = u.until if left is None else left
                counted = self.warmup <= when <= self.end
                self.expirations[alias] += counted * (1 + self._indexes[alias])
                self.window[alias].remove(u)
            if gone:
                self.watch.expired(alias, gone)

    def _expire(self, now: int, arriving: TracedTuple | None, tick: int | None) -> None:
        """At a tick, or (None) as a tuple arrives."""
        for alias, source in self.sources.items():
            if source.window is None or isinstance(source.window, LandmarkWindow):
                continue
            held = self.window[alias]
            if tick is None:
                if isinstance(source.window, TimeWindow):
                    self.expirations[alias] += now >= self.warmup
            else:
                self.expirations[alias] += (self.warmup < tick <= self.end) * self._visits(alias)
            count = 0
            while count < len(held) and self._has_left(held[count], now, arriving):
                count += 1
            gone, held[:] = held[:count], held[count:]
            for u in gone:
                self._count_left(u, now, tick)
            if gone:
                self.watch.expired(alias, gone)

    def _count_left(self, u: TracedTuple, now: int, tick: int | None) -> None:
        if tick is not None:
            self.expirations[u.alias] += self.warmup < tick <= self.end
            return
        window = self.sources[u.alias].window
        left = u.ts + microseconds(window.seconds) if isinstance(window, TimeWindow) else now
        self.expirations[u.alias] += (left >= self.warmup) * (1 + self._indexes[u.alias])

    def _visits(self, alias: str) -> int:
        """What a tick looks at: the window, or every bucket of its indexes."""
        indexes = self._indexes_of(alias)
        if not indexes:
            return 1
        visits = 0
        for number, buckets in indexes:
            if buckets == "per-value":
                visits += len({u.keys[number] for u in self.window[alias]})
            else:
                visits += min(int(buckets), self.codes[number])
        return visits

    def _has_left(self, u: TracedTuple, now: int, arriving: TracedTuple | None) -> bool:
        window = self.sources[u.alias].window
        if isinstance(window, TimeWindow):
            return u.ts + microseconds(window.seconds) <= now
        assert isinstance(window, CountWindow)
        return arriving is not None and self._age(u, arriving) > window.rows

    def _age(self, u: TracedTuple, k: TracedTuple) -> int:
        """How many tuples of u's source came from u on, before k."""
        ranks = self.arrived[u.alias]
        return bisect_left(ranks, k.rank) - bisect_left(ranks, u.rank)

    def _passes(self, member: TracedTuple) -> bool:
        for f in self.query.filters:
            if f.column.alias == member.alias:
                value = member.values[f.column.attribute]
                if value is None or not f.holds(value):
                    return False
        return True

    # --- the loops -------------------------------------------------------------------------------

    def _evaluate(self, fresh: Sequence[TracedTuple], counted: bool) -> None:
        for origin in self.sources if self.probes else ():
            own = [u for u in fresh if u.alias == origin]
            if own:
                self._loop(origin, 0, {}, own, counted)

    def _loop(
        self,
        origin: str,
        level: int,
        bound: dict[str, TracedTuple],
        own: list[TracedTuple],
        counted: bool,
    ) -> None:
        order = self.orders[origin]
        if level == len(order):
            self.watch.found(bound)
            row = *(bound[alias].seq for alias in self.sources), bound[origin].ts
            self.results.append(row)
            return
        alias = order[level]
        examined = own if alias == origin else self._look(alias, bound)
        fitting = [u for u in examined if self._fits(alias, u, bound, origin)]
        if level:
            self.examined[origin, level] += counted * len(examined)
            self.matched[origin, level] += counted * len(fitting)
            self.watch.probed(list(bound.values()), alias, examined, fitting)
        for u in fitting:
            self._loop(origin, level + 1, {**bound, alias: u}, own, counted)

    def _look(self, alias: str, bound: Mapping[str, TracedTuple]) -> list[TracedTuple]:
        """All of a window, or the bucket that the first linking class of attributes leads to."""
        how, buckets = self.access[alias]
        link = self._link(alias, frozenset(bound)) if how == "hash" else None
        if link is None:
            return self.window[alias]
        number, other = link
        key = bound[other].keys[number]
        if buckets == "per-value":
            return [u for u in self.window[alias] if u.keys[number] == key]
        b = min(int(buckets), self.codes[number])
        return [u for u in self.window[alias] if u.keys[number] % b == key % b]

    def bucket(self, alias: str, u: TracedTuple) -> int | None:
        """The bucket of a tuple in the first index of its window; None where it has none."""
        for number, buckets in sorted(self._indexes_of(alias), key=str):
            key = u.keys[number]
            return key if buckets == "per-value" else key % min(int(buckets), self.codes[number])
        return None

    def _link(self, alias: str, bound: frozenset[str]) -> tuple[int, str] | None:
        if (alias, bound) not in self._reached:
            links = (
                (number, column.alias)
                for number, joined in enumerate(self._classes)
                if (alias, number) in self._class_of
                for column in joined
                if column.alias in bound
            )
            self._reached[alias, bound] = next(links, None)
        return self._reached[alias, bound]

    def _indexes_of(self, alias: str) -> set[tuple[int, int | str]]:
        """The indexes of a source: the classes by which loops look it up."""
        how, buckets = self.access[alias]
        if how != "hash":
            return set()
        found = set()
        for origin, order in self.orders.items():
            # Of its own tuples a loop goes through the new ones.
            above = frozenset(order[: list(order).index(alias)]) if origin != alias else None
            link = self._link(alias, above) if above else None
            if link is not None:
                found.add((link[0], buckets))
        return found

    def _fits(
        self, alias: str, u: TracedTuple, bound: Mapping[str, TracedTuple], origin: str
    ) -> bool:
        for number in range(len(self._classes)):
            if (alias, number) in self._class_of:
                for other, one in bound.items():
                    if (other, number) in self._class_of and one.keys[number] != u.keys[number]:
                        return False
        for other, test in self._tests.get(alias, ()):
            if other in bound and not test(u.values, bound[other].values):
                return False
        k = u if alias == origin else bound.get(origin)
        if k is None:
            return all(self._both_there(one, u) for one in bound.values())
        others = bound.values() if alias == origin else (u,)
        if not all(one is k or self._in_window(one, k) for one in others):
            return False
        return all(self._both_there(one, u) for one in bound.values())

    def _both_there(self, one: TracedTuple, other: TracedTuple) -> bool:
        """Whether a row of a relation is active when a tuple arrives."""
        for row, tuple_ in ((one, other), (other, one)):
            if self.sources[row.alias].window is None:
                if self.sources[tuple_.alias].window is None:
                    continue
                if not row.ts <= tuple_.ts < row.until:
                    return False
        return True

    def _in_window(self, u: TracedTuple, k: TracedTuple) -> bool:
        window = self.sources[u.alias].window
        if window is None:
            return True
        if u.rank > k.rank:
            return False
        if isinstance(window, TimeWindow):
            return k.ts - u.ts < microseconds(window.seconds)
        return not isinstance(window, CountWindow) or self._age(u, k) <= window.rows


def _tests(query: Query) -> dict[str, list[tuple[str, Test]]]:
    """By alias the predicates that are no equalities, with the other alias."""
    found: dict[str, list[tuple[str, Test]]] = {}
    for p in query.predicates:
        if not p.is_equality:
            found.setdefault(p.left.alias, []).append((p.right.alias, _test(p, False)))
            found.setdefault(p.right.alias, []).append((p.left.alias, _test(p, True)))
    return found


def _test(p: Any, turned: bool) -> Test:
    # Whole numbers are added as such: a sum with a float would be rounded.
    offset = int(p.offset) if p.offset == int(p.offset) else p.offset

    def holds(mine: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
        one, two = (other, mine) if turned else (mine, other)
        left, right = one[p.left.attribute], two[p.right.attribute]
        if left is None or right is None:
            return False
        return bool(COMPARE[p.comparison](left, right + offset if offset else right))

    return holds
