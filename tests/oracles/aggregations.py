"""The answer of an aggregation by its definition: recomputed from scratch at every moment."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from planner.workload.query import Aggregate, CountWindow, Source, TimeWindow, TumblingWindow
from planner.workload.validation import microseconds
from planner.workload.workload import Workload
from tests.oracles.joins import Data, combinations_of, is_active, members_of

# A group's values, behind the begin of its block if it has one, and its aggregates.
Answer = dict[tuple[Any, ...], tuple[Any, ...]]
# When, whether tuples have arrived then, and the place among those.
Moment = tuple[int, int, float]


class Definition:
    """The answer at any moment, over what the windows then hold."""

    def __init__(self, workload: Workload, data: Data) -> None:
        (self.query,) = workload.queries
        self.data = data
        self.by_alias = members_of(workload, data)
        streams = [place for place, s in enumerate(self.query.sources) if s.window is not None]
        self.arrivals = sorted(u for place in streams for u in self.by_alias[place])
        windows = {s.window for s in self.query.sources if s.window is not None}
        only = next(iter(windows))
        together = len(windows) == 1 and isinstance(only, TumblingWindow)
        self.block = microseconds(only.seconds) if together else 0  # type: ignore[union-attr]

    def moments(self) -> Iterator[tuple[Moment, Answer]]:
        """After each arrival, and wherever tuples may leave by the clock: the answer."""
        last = self.arrivals[-1][0]
        leaving = set()
        for place, source in enumerate(self.query.sources):
            for u in self.by_alias[place]:
                if source.window is not None and (t := self._leaves(source, u[0])) is not None:
                    leaving.add(t)
        for t in sorted(leaving):
            if t <= last:
                before = [u for u in self.arrivals if u[0] < t]
                yield (t, 0, float("inf")), self._answer(t, before)
        for number, k in enumerate(self.arrivals):
            rank = number + self._rows_before(k[0])
            yield (k[0], 1, 2 * rank + 1), self._answer(k[0], self.arrivals[: number + 1])

    def final(self) -> Answer:
        """The answer at the end; of tumbling windows of one length, that of every block."""
        if not self.block:
            return self._answer(self.arrivals[-1][0], self.arrivals)
        answer: Answer = {}
        for number, k in enumerate(self.arrivals):
            after = self.arrivals[number + 1] if number + 1 < len(self.arrivals) else None
            if after is None or after[0] // self.block != k[0] // self.block:
                answer |= self._answer(k[0], self.arrivals[: number + 1])
        return answer

    def _rows_before(self, ts: int) -> int:
        """Rows of relations that stand before a tuple in the feed."""
        first, last = self.arrivals[0][0], self.arrivals[-1][0]
        found = 0
        for place, source in enumerate(self.query.sources):
            for u in self.by_alias[place]:
                if source.window is None:
                    begin, end = self.data[source.name][u[2]][0]
                    begin = max(begin, first)
                    found += begin < end and begin <= last and begin <= ts
        return found

    @staticmethod
    def _leaves(source: Source, ts: int) -> int | None:
        if isinstance(source.window, TimeWindow):
            return ts + microseconds(source.window.seconds)
        if isinstance(source.window, TumblingWindow):
            length = microseconds(source.window.seconds)
            return (ts // length + 1) * length
        return None

    def _answer(self, now: int, arrived: Sequence[Any]) -> Answer:
        held: list[list[Any]] = []
        for place, source in enumerate(self.query.sources):
            own = [u for u in arrived if u[3] == place]
            if source.window is None:
                own = self.by_alias[place]
            elif isinstance(source.window, CountWindow):
                own = own[-source.window.rows :]
            held.append([u for u in own if (self._leaves(source, u[0]) or now + 1) > now])
        groups: dict[tuple[Any, ...], list[Any]] = {}
        for members in combinations_of(self.query, self.data, held):
            if is_active(self.query, self.data, members):
                key = tuple(self._value(c, members) for c in self.query.group_by)
                groups.setdefault(key, []).append(members)
        begun = (now // self.block * self.block / 1e6,) if self.block else ()
        return {
            (*begun, *key): tuple(self._aggregate(a, members) for a in self.query.aggregates)
            for key, members in groups.items()
        }

    def _value(self, column: Any, members: Any) -> Any:
        place = [s.alias for s in self.query.sources].index(column.alias)
        return self.data[self.query.sources[place].name][members[place][2]][1][column.attribute]

    def _aggregate(self, aggregate: Aggregate, members: Sequence[Any]) -> Any:
        if aggregate.column is None:
            return len(members)
        values = [self._value(aggregate.column, combination) for combination in members]
        values = [value for value in values if value is not None]
        if aggregate.function == "count":
            return len(set(values)) if aggregate.distinct else len(values)
        if not values:
            return None
        mean = {"avg": lambda: sum(values) / len(values)}
        plain = {"sum": sum, "min": min, "max": max}
        return mean["avg"]() if aggregate.function == "avg" else plain[aggregate.function](values)
