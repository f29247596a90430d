"""The shape of a star join: streams that meet through a relation, and what each may keep.

Streams that are joined without a relation have the same shape: they meet where keys are equal.
"""

from __future__ import annotations

from dataclasses import dataclass

from planner.joins.coverage import relation_of
from planner.workload.execution import Access, Buckets
from planner.workload.query import Column, Filter, Query, Source, TimeWindow
from planner.workload.validation import microseconds
from planner.workload.workload import Workload


@dataclass(frozen=True, slots=True)
class Arm:
    """A stream of a star join. `joined` is the attribute of the relation that it is joined with, or
    None without a relation; a tuple lives for `lifetime` microseconds and `share` may be kept.
    `access` is how its tuples find rows of the relation."""

    source: Source
    place: int
    key: Column
    joined: Column | None
    lifetime: int
    share: int
    importance: str | None
    access: Access = "index"


@dataclass(frozen=True, slots=True)
class Star:
    """Streams in FROM order, and the relation between them if there is one; places are in FROM.

    Where the relation is reached by hash it has so many `buckets`. Tuples and rows that fail one of
    the `filters` take no part.
    """

    arms: tuple[Arm, ...]
    relation: Source | None
    relation_place: int | None
    buckets: Buckets = "per-value"
    filters: tuple[Filter, ...] = ()

    @property
    def is_keyed(self) -> bool:
        """Whether all streams are joined on one attribute: tuples can be shared out by it."""
        return len({arm.joined for arm in self.arms}) == 1


def star_of(workload: Workload) -> Star:
    """The star join of a workload that is covered."""
    (query,) = workload.queries
    facts = [
        (place, source)
        for place, source in enumerate(query.sources)
        if relation_of(workload, source) is not None
    ]
    fact_place, fact = facts[0] if facts else (None, None)
    streams = [(p, s) for p, s in enumerate(query.sources) if s is not fact]
    arms = []
    for place, source in streams:
        key, joined = link(query, source, fact)
        assert isinstance(source.window, TimeWindow), "others are refused"
        arms.append(
            Arm(
                source,
                place,
                key,
                joined,
                microseconds(source.window.seconds),
                share_of(workload, source, len(streams)),
                workload.stream(source.name).importance,
                workload.execution.shedding.access_of(source),
            )
        )
    buckets: Buckets = "per-value" if fact is None else workload.execution.declared_buckets(fact)
    return Star(tuple(arms), fact, fact_place, buckets, query.filters)


def link(query: Query, source: Source, fact: Source | None) -> tuple[Column, Column | None]:
    """The attribute by which a stream is joined, and the relation's that it is equal to."""
    for columns in query.equality_classes():
        by_alias = {column.alias: column for column in columns}
        if source.alias in by_alias:
            return by_alias[source.alias], None if fact is None else by_alias.get(fact.alias)
    raise AssertionError(f"{source.alias} is joined with nothing, which is refused")


def share_of(workload: Workload, source: Source, streams: int) -> int:
    """How many tuples a stream may keep: an equal part of the memory unless it is split."""
    memory, split = workload.execution.memory, workload.execution.shedding.split
    assert memory is not None, "a workload without a bound is refused"
    if isinstance(split, str):
        return memory // streams
    return split.get(source.alias, split.get(source.name, 0))


def is_loaded(workload: Workload) -> bool:
    """Whether the processor takes time, so that tuples may be dropped before they are joined."""
    return workload.execution.utilisation is not None
