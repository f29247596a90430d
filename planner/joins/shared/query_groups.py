"""The queries that can share a join: the same two streams, predicates and kind of window.

Inside a group everything is named by stream, whatever aliases its queries use, and lengths are
whole numbers: microseconds, or rows of count windows.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal

from planner.files.query.conditions import normalised
from planner.statistics.selectivity import declared_share
from planner.workload.execution import Buckets
from planner.workload.query import Column, CountWindow, Filter, Predicate, Query, Source, TimeWindow
from planner.workload.validation import microseconds
from planner.workload.workload import Workload

Unit = Literal["seconds", "rows"]

# One value for each of the two streams of a group.
Sides = tuple[int, int]
BOTH: Sides = (0, 1)


@dataclass(frozen=True, slots=True)
class Condition:
    """What a query asks of the tuples of one stream: all of these filters; none asks nothing."""

    filters: tuple[Filter, ...] = ()
    # Conditions are looked up for every query and slice: their hash is worked out once.
    _hash: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_hash", hash(self.filters))

    def __hash__(self) -> int:
        return self._hash

    @property
    def is_open(self) -> bool:
        return not self.filters

    def __str__(self) -> str:
        return " and ".join(map(str, self.filters)) or "true"


OPEN = Condition()


@dataclass(frozen=True, slots=True, eq=False)
class Member:
    """A query of a group: the lengths of its windows on both streams, and its conditions there."""

    query: str
    windows: Sides
    conditions: tuple[Condition, Condition]
    # The longer of its two windows: it takes results of slices that begin before.
    longest: int = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "longest", max(self.windows))


@dataclass(frozen=True, eq=False)
class Group:
    """Queries with one join signature. `key` is the equality by which windows are hashed.

    A group is equal to itself alone: comparing hundreds of queries would cost more than planning.
    """

    number: int
    streams: tuple[str, str]
    unit: Unit
    predicates: tuple[Predicate, ...]
    key: Predicate | None
    buckets: Buckets
    members: tuple[Member, ...]
    # Shares that the workload declares for filters.
    declared: tuple[tuple[Filter, float], ...] = ()

    @property
    def access(self) -> Literal["scan", "hash"]:
        """How stored tuples are found."""
        return "scan" if self.key is None else "hash"

    @cached_property
    def on(self) -> str:
        return " and ".join(map(str, self.predicates)) or "cross join"

    @cached_property
    def largest(self) -> Sides:
        return largest_windows(self.members)

    @cached_property
    def furthest(self) -> dict[tuple[Condition, Condition], Sides]:
        """By what queries ask of both streams, as it first occurs: their largest windows.

        Conditions are few where queries are many: what depends on them is found from these.
        """
        found: dict[tuple[Condition, Condition], Sides] = {}
        for member in self.members:
            (left, right), known = member.windows, found.get(member.conditions, (0, 0))
            found[member.conditions] = (max(left, known[0]), max(right, known[1]))
        return found

    @cached_property
    def boundaries(self) -> tuple[int, ...]:
        """0 and every different window of either stream: where slices may begin and end."""
        return (0, *sorted({length for m in self.members for length in m.windows}))

    @cached_property
    def has_conditions(self) -> bool:
        """Whether some query asks something of some tuples."""
        return any(not c.is_open for pair in self.furthest for c in pair)

    def conditions(self, side: int) -> tuple[Condition, ...]:
        """The different conditions on one stream that ask something, as they first occur."""
        found = dict.fromkeys(pair[side] for pair in self.furthest)
        return tuple(condition for condition in found if not condition.is_open)

    def number_of(self, length: int) -> int | float:
        """A length as operators say it: seconds, or rows."""
        if self.unit == "rows":
            return length
        return length // 1_000_000 if length % 1_000_000 == 0 else length / 1e6

    def text_of(self, length: int) -> str:
        """A length in the shortest decimal that says it exactly.

        >>> Group(0, ("A", "B"), "seconds", (), None, 1, ()).text_of(2_500_000)
        '2.5'
        """
        if self.unit == "rows":
            return str(length)
        return f"{length // 1_000_000}.{length % 1_000_000:06d}".rstrip("0").rstrip(".")


def largest_windows(members: Sequence[Member]) -> Sides:
    return max(m.windows[0] for m in members), max(m.windows[1] for m in members)


def groups_of(workload: Workload) -> tuple[Group, ...]:
    """The groups of a covered workload, in the order of their first queries."""
    by_signature: dict[Hashable, list[Query]] = {}
    for query in workload.queries:
        by_signature.setdefault(_signature(workload, query), []).append(query)
    return tuple(
        _group(workload, number, queries) for number, queries in enumerate(by_signature.values())
    )


def _signature(workload: Workload, query: Query) -> Hashable:
    """What queries must have in common to share a join."""
    return (
        frozenset(source.name for source in query.sources),
        frozenset(_predicates(query)),
        _unit(query),
        key_of(workload, query) is not None,
        workload.execution.bucket_count(query.sources[0]),
    )


def _unit(query: Query) -> Unit:
    return "rows" if isinstance(query.sources[0].window, CountWindow) else "seconds"


def key_of(workload: Workload, query: Query) -> Predicate | None:
    """The equality by which both windows are hashed; None where they are scanned."""
    if workload.execution.method(query.sources[0]) == "nested":
        return None
    return next((p for p in _predicates(query) if p.is_equality), None)


def _predicates(query: Query) -> Iterator[Predicate]:
    """The predicates of a query in the names of its streams, each in its one spelling."""
    for predicate in query.predicates:
        left, right = _by_stream(query, predicate.left), _by_stream(query, predicate.right)
        yield normalised(replace(predicate, left=left, right=right))


def _by_stream(query: Query, column: Column) -> Column:
    return replace(column, alias=query.source(column.alias).name)


def _group(workload: Workload, number: int, queries: Sequence[Query]) -> Group:
    first, key = queries[0], key_of(workload, queries[0])
    streams = (first.sources[0].name, first.sources[1].name)
    known: dict[tuple[str, frozenset[Filter]], Condition] = {}
    shares: dict[Filter, float] = {}
    members = []
    for query in queries:
        for condition in query.filters:
            if (given := declared_share(workload, query, condition)) is not None:
                shares.setdefault(_filter(query, condition), given)
        members.append(_member(query, streams, known))
    return Group(
        number,
        streams,
        _unit(first),
        tuple(dict.fromkeys(_predicates(first))),
        key,
        1 if key is None else workload.execution.bucket_count(first.sources[0]),
        tuple(members),
        tuple(shares.items()),
    )


def _member(
    query: Query,
    streams: tuple[str, str],
    known: dict[tuple[str, frozenset[Filter]], Condition],
) -> Member:
    by_name = {source.name: source for source in query.sources}
    conditions = []
    for name in streams:
        alias = by_name[name].alias
        own = [_filter(query, f) for f in query.filters if f.column.alias == alias]
        found = Condition(tuple(dict.fromkeys(own)))
        # The same filters in another order are the same condition: the first order is kept.
        conditions.append(known.setdefault((name, frozenset(found.filters)), found))
    lengths = [_length(by_name[name]) for name in streams]
    return Member(query.name, (lengths[0], lengths[1]), (conditions[0], conditions[1]))


def _filter(query: Query, condition: Filter) -> Filter:
    return replace(condition, column=_by_stream(query, condition.column))


def _length(source: Source) -> int:
    if isinstance(source.window, CountWindow):
        return source.window.rows
    assert isinstance(source.window, TimeWindow), "`refusal` has seen that it slides"
    return microseconds(source.window.seconds)
