"""The answer of any join by its definition: every combination, every predicate, every window."""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

from planner.checks import microseconds
from planner.query import CountWindow, Query, TimeWindow
from planner.workload import Workload

Item = tuple[int, Mapping[str, Any]]
Data = Mapping[str, Sequence[Item]]

_COMPARE = {
    "=": operator.eq,
    "<>": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def results_of(workload: Workload, data: Data) -> list[tuple[int, ...]]:
    """Every result once, as the seq of each member in FROM order and the time of the last."""
    (query,) = workload.queries
    places = {stream.name: place for place, stream in enumerate(workload.streams)}
    # A tuple's place in the arrival order: time, stream, position, alias.
    by_alias = [
        [(item[0], places[s.name], seq, alias) for seq, item in enumerate(data[s.name])]
        for alias, s in enumerate(query.sources)
    ]
    return sorted(
        (*(member[2] for member in members), max(members)[0])
        for members in product(*by_alias)
        if _holds(query, data, members) and _in_windows(query, members, by_alias)
    )


def _holds(query: Query, data: Data, members: Sequence[tuple[int, int, int, int]]) -> bool:
    aliases = {source.alias: place for place, source in enumerate(query.sources)}

    def value(column: Any) -> Any:
        place = aliases[column.alias]
        return data[query.sources[place].name][members[place][2]][1][column.attribute]

    for f in query.filters:
        if value(f.column) is None or not _COMPARE[f.comparison](value(f.column), f.constant):
            return False
    for p in query.predicates:
        left, right = value(p.left), value(p.right)
        if left is None or right is None:
            return False
        if not _COMPARE[p.comparison](left, right + p.offset if p.offset else right):
            return False
    return True


def _in_windows(query: Query, members: Any, by_alias: Any) -> bool:
    last = max(members)
    for place, source in enumerate(query.sources):
        member = members[place]
        if member is last:
            continue
        if isinstance(source.window, TimeWindow):
            if last[0] - member[0] >= microseconds(source.window.seconds):
                return False
        elif isinstance(source.window, CountWindow):
            before = [u for u in by_alias[place] if u < last]
            if member not in before[-source.window.rows :]:
                return False
    return True
