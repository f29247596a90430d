"""What a run's tuples are watched for: which streams, keys, conditions and values."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import NamedTuple

import numpy as np

from planner.statistics.selectivity import by_streams
from planner.workload.query import Comparison, Predicate
from planner.workload.workload import Workload
from runtime.data.json_records import from_json
from runtime.engines.join_feeds import other_predicates, value_slots
from runtime.engines.kernels.sketches import COUNTERS
from runtime.engines.nested_loops import filter_rows

# Beyond so many tuples of a stream at a time estimates hardly grow surer: sketches forget as much.
_ENOUGH = 2_000


@dataclass(frozen=True, slots=True)
class SketchedColumn:
    """An attribute of a stream whose values are keys: which source has it, in which column of keys.

    Keys are below `codes`; those of one `group` are equal where the values are.
    """

    place: int
    key: int
    codes: int
    group: int
    stream: str
    attribute: str


@dataclass(frozen=True, slots=True)
class SketchedFilter:
    """A condition on the tuples of a source: `test` is [value, comparison, constants]."""

    place: int
    test: list[float]
    condition: str


@dataclass(frozen=True, slots=True)
class SketchedPair:
    """A condition on two sources but equality: the numbers of the samples of what is compared."""

    left: int
    comparison: Comparison
    right: int
    offset: float
    condition: str


@dataclass(frozen=True)
class SketchPlan:
    """The streams by the number of the source they arrive as (empty: not watched), and their keys.

    `replicated`: all partitions are given all tuples, and the first of them sketches them.
    `sampled` are [source, value], of which a sample is kept for the `pairs` that compare them. Of a
    source with a `mask` of n bits about one of 2^n tuples is looked at; without masks, every one.
    """

    streams: list[str]
    columns: list[SketchedColumn]
    replicated: bool = False
    filters: list[SketchedFilter] = field(default_factory=list)
    sampled: list[list[int]] = field(default_factory=list)
    pairs: list[SketchedPair] = field(default_factory=list)
    masks: list[int] = field(default_factory=list)

    def thinned(self, rows: Mapping[str, int], parts: int) -> SketchPlan:
        """Looking at no more tuples than are enough, where so many rows come in so many parts."""
        bits = {
            stream: max(1, rows.get(stream, 0) // (parts * _ENOUGH)).bit_length() - 1
            for stream in self.streams
            if stream
        }
        most = max(bits.values(), default=0)
        return replace(self, masks=[2 ** bits.get(stream, most) - 1 for stream in self.streams])

    def kernel_masks(self) -> np.ndarray:
        """The masks of all sources."""
        return np.array(self.masks or [0] * len(self.streams), np.uint64)

    def column_of(self) -> np.ndarray:
        """By source: whether it is watched (0, else -1), then the column of each of its keys."""
        keys = 1 + max((column.key for column in self.columns), default=-1)
        found = np.full((len(self.streams), 1 + keys), -1, np.int64)
        found[[bool(stream) for stream in self.streams], 0] = 0
        for number, column in enumerate(self.columns):
            found[column.place, 1 + column.key] = number
        return found

    @property
    def hashed(self) -> list[int]:
        """The columns that have more keys than there are counters."""
        return [n for n, column in enumerate(self.columns) if column.codes > COUNTERS]

    @property
    def counters(self) -> int:
        """How many counters a column has: no more than these columns need."""
        return min(max((column.codes for column in self.columns), default=0), COUNTERS)

    def row_of(self) -> np.ndarray:
        """By column: its row among those that are hashed; -1: it has a counter for every key."""
        found = np.full(len(self.columns), -1, np.int64)
        found[self.hashed] = range(len(self.hashed))
        return found

    def to_json(self) -> str:
        """As text, for the workers."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> SketchPlan:
        """The plan that `to_json` wrote."""
        found: SketchPlan = from_json(cls, json.loads(text))
        return found


class KeyColumn(NamedTuple):
    """A column of keys: how many there are, the number of their class of equal attributes, and the
    only source that has them (-1: all of the class)."""

    codes: int
    group: int
    only: int = -1


def by_class(codes: Sequence[int]) -> list[KeyColumn]:
    """A column for each class of equal attributes."""
    return [KeyColumn(count, group) for group, count in enumerate(codes)]


def of_one_query(
    workload: Workload,
    keys: Iterable[KeyColumn],
    constants: Sequence[Sequence[float]],
    replicated: bool,
) -> SketchPlan:
    """What the sources of a workload's one query are watched for, given its filters' constants.

    A stream that arrives under several aliases is watched as the first.
    """
    (query,) = workload.queries
    streams, names = [stream.name for stream in workload.streams], list[str]()
    for source in query.sources:
        names.append(source.name if source.name in streams and source.name not in names else "")
    place_of = {source.alias: place for place, source in enumerate(query.sources)}
    classes = query.equality_classes()
    columns = [
        SketchedColumn(place, number, key.codes, key.group, names[place], column.attribute)
        for number, key in enumerate(keys)
        for column in sorted(classes[key.group])
        for place in [place_of[column.alias]]
        if names[place] and key.only in (-1, place)
    ]
    watched = {source.alias for source in query.sources if source.name in streams}
    filters = [
        SketchedFilter(int(place), test, by_streams(query, condition))
        for condition, (place, *test) in zip(
            query.filters, filter_rows(query, constants), strict=True
        )
        if condition.column.alias in watched
    ]
    slots = value_slots(query)
    compared = [
        ComparedColumns(
            (place_of[predicate.left.alias], slots[predicate.left]),
            (place_of[predicate.right.alias], slots[predicate.right]),
            predicate,
            by_streams(query, predicate),
        )
        for predicate in other_predicates(query.predicates)
        if {predicate.left.alias, predicate.right.alias} <= watched
    ]
    return SketchPlan(names, columns, replicated, filters, *sampled_pairs(compared))


class ComparedColumns(NamedTuple):
    """A predicate but equality, where both sides are [source, value], and its name by streams."""

    left: tuple[int, int]
    right: tuple[int, int]
    predicate: Predicate
    condition: str


def sampled_pairs(
    compared: Iterable[ComparedColumns],
) -> tuple[list[list[int]], list[SketchedPair]]:
    """What samples are to be kept of, each once, and which of them are compared how."""
    found = list(compared)
    sides = list(dict.fromkeys(side for one in found for side in (one.left, one.right)))
    pairs = [
        SketchedPair(
            sides.index(one.left),
            one.predicate.comparison,
            sides.index(one.right),
            one.predicate.offset,
            one.condition,
        )
        for one in found
    ]
    return [list(side) for side in sides], pairs
