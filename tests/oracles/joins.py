"""The answer of any join by its definition: every combination, every predicate, every window.

A result is a combination of one tuple per source that satisfies all filters and predicates such
that, when the last of them arrives, every other one is in its own window: at most so many rows ago,
0 <= last.ts - other.ts < window, or in one block of a tumbling window. Rows of relations are active
at each of its arrivals.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from planner.workload.query import COMPARE, CountWindow, Query, TimeWindow, TumblingWindow
from planner.workload.validation import microseconds
from planner.workload.workload import Workload

# A tuple's time, or when a relation's row begins and ends; and its values.
Item = tuple[Any, Mapping[str, Any]]
Data = Mapping[str, Sequence[Item]]


class Arrival(NamedTuple):
    """One arrival, in the total order of the project: a tuple arrives once per alias."""

    ts: int
    stream: int
    seq: int
    alias: int


def results_of(workload: Workload, data: Data) -> list[tuple[int, ...]]:
    """Every result once, as the seq of each member in FROM order and the time of the last."""
    (query,) = workload.queries
    by_alias = members_of(workload, data)
    return sorted(
        (*(member[2] for member in members), last_of(query, members)[0])
        for members in combinations_of(query, data, by_alias)
        if is_active(query, data, members) and in_windows(query, members, by_alias)
    )


def combinations_of(query: Query, data: Data, by_alias: Sequence[Sequence[Arrival]]) -> Any:
    """Every combination that satisfies all filters and predicates, source by source."""
    found: list[tuple[Arrival, ...]] = [()]
    for count in range(1, len(query.sources) + 1):
        part = _of_the_first(query, count)
        found = [
            (*members, one)
            for members in found
            for one in by_alias[count - 1]
            if holds(part, data, (*members, one))
        ]
    return found


def _of_the_first(query: Query, count: int) -> Query:
    """What a query asks of its first sources, and did not ask of fewer."""
    sources = query.sources[:count]
    known, last = {source.alias for source in sources}, sources[-1].alias
    predicates = tuple(
        p
        for p in query.predicates
        if {p.left.alias, p.right.alias} <= known and last in (p.left.alias, p.right.alias)
    )
    filters = tuple(f for f in query.filters if f.column.alias == last)
    return Query("-", sources, predicates, filters)


def arrivals_of(workload: Workload, data: Data) -> list[Arrival]:
    """Every arrival, in order."""
    return sorted(arrival for members in members_of(workload, data) for arrival in members)


def members_of(workload: Workload, data: Data) -> list[list[Arrival]]:
    """What may stand for each source, by its place in the arrival order.

    That is time, stream, position, alias; a relation's rows come when they begin, before tuples.
    """
    (query,) = workload.queries
    places = {stream.name: place for place, stream in enumerate(workload.streams)}
    return [
        [
            Arrival(item[0] if s.window else item[0][0], places.get(s.name, -1), seq, alias)
            for seq, item in enumerate(data[s.name])
        ]
        for alias, s in enumerate(query.sources)
    ]


def last_of(query: Query, members: Any) -> Any:
    """The last tuple of a stream among the members; None where there is none."""
    pairs = zip(query.sources, members, strict=True)
    return max((member for source, member in pairs if source.window), default=None)


def is_active(query: Query, data: Data, members: Any) -> bool:
    """Whether every row of a relation is active at the arrival of every stream's tuple."""
    pairs = list(zip(query.sources, members, strict=True))
    rows = [data[source.name][member[2]][0] for source, member in pairs if not source.window]
    times = [member[0] for source, member in pairs if source.window]
    return all(begin <= ts < end for begin, end in rows for ts in times)


def holds(query: Query, data: Data, members: Sequence[Arrival]) -> bool:
    """Whether these members satisfy all filters and predicates."""
    aliases = {source.alias: place for place, source in enumerate(query.sources)}

    def value(column: Any) -> Any:
        place = aliases[column.alias]
        return data[query.sources[place].name][members[place][2]][1][column.attribute]

    for f in query.filters:
        if value(f.column) is None or not f.holds(value(f.column)):
            return False
    for p in query.predicates:
        left, right = value(p.left), value(p.right)
        if left is None or right is None:
            return False
        # Whole numbers are added as such: a sum with a float would be rounded.
        offset = int(p.offset) if p.offset == int(p.offset) else p.offset
        if not COMPARE[p.comparison](left, right + offset if offset else right):
            return False
    return True


def in_windows(query: Query, members: Any, by_alias: Any) -> bool:
    """Whether all but the last are in their windows when that one arrives."""
    last = last_of(query, members)
    for place, source in enumerate(query.sources):
        member = members[place]
        if member is last:
            continue
        if isinstance(source.window, TimeWindow):
            if last[0] - member[0] >= microseconds(source.window.seconds):
                return False
        elif isinstance(source.window, TumblingWindow):
            length = microseconds(source.window.seconds)
            if last[0] // length != member[0] // length:
                return False
        elif isinstance(source.window, CountWindow):
            before = [u for u in by_alias[place] if u < last]
            if member not in before[-source.window.rows :]:
                return False
    return True
