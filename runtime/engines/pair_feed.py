"""The feed of a workload of many joins: every stream once, whichever queries read it.

Micro-batches are cut before a run begins. Those of a run that can be changed carry every attribute
of their streams, so that a filter that nobody thought of can still be evaluated.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from planner.errors import PlanError
from planner.files.tuple_table import ColumnData, Table
from planner.joins.shared.query_groups import Group, groups_of
from planner.workload.changes import stages_of
from planner.workload.query import Column, Filter, Predicate, Query, Source
from planner.workload.streams import Constant
from planner.workload.validation import listed
from planner.workload.workload import Workload
from runtime.data.encoding import key_codes
from runtime.data.feed import Feed
from runtime.data.json_records import read_record, write_record
from runtime.data.scales import Scale, Scales
from runtime.engines.join_feeds import (
    block_of,
    compared_columns,
    in_arrival_order,
    numbered,
    other_predicates,
)

_FILE = "_pairs.json"


@dataclass(frozen=True)
class CarriedColumns:
    """What tuples carry for queries that may yet enter: streams, keys and values by number.

    `columns` are [stream, attribute, slot, whether text, the number of its scale].
    """

    streams: list[str]
    keys: list[str]
    columns: list[tuple[str, str, int, bool, int]]
    scales: list[Scale]

    @property
    def slots(self) -> dict[Column, int]:
        """The place of each value in the tuples of its stream."""
        return {Column(stream, attribute): slot for stream, attribute, slot, *_ in self.columns}

    @cached_property
    def _scale_of(self) -> dict[Column, Scale]:
        return {
            Column(stream, attribute): self.scales[number]
            for stream, attribute, _, _, number in self.columns
        }

    def constant(self, column: Column, value: Constant) -> float:
        """A constant as the values of the column that it is compared with are written."""
        return self._scale_of[column].constant(value)

    def check(self, groups: list[Group]) -> None:
        """Raise what a query needs that the tuples of the run do not carry."""
        for group in groups:
            for reason in self._missing(group):
                raise PlanError(
                    f"{reason}. Ask for it in a run of its own, or plan the change before the run "
                    "(run.changes)",
                    group.members[-1].query,
                )

    def _missing(self, group: Group) -> Iterator[str]:
        for stream in group.streams:
            if stream not in self.streams:
                yield f"no query of this run reads {stream} (it has {listed(self.streams)})"
        for predicate in group.predicates:
            if predicate.is_equality:
                if str(predicate) not in self.keys:
                    yield f"this run joins by {listed(self.keys)}, not by {predicate}"
            else:
                yield from self._unread(predicate.left, None)
                yield from self._unread(predicate.right, None)
                yield from self._apart(predicate)
        for member in group.members:
            for condition in member.conditions:
                for filter_ in condition.filters:
                    yield from self._unread(filter_.column, filter_.constants[0])

    def _apart(self, predicate: Predicate) -> Iterator[str]:
        left, right = (self._scale_of.get(c) for c in (predicate.left, predicate.right))
        if left is None or right is None or (left.is_plain and right.is_plain):
            return
        if left != right or not left.allows(predicate.offset):
            yield f"the tuples of this run hold numbers that are too large for {predicate}"

    def _unread(self, column: Column, constant: Constant | None) -> Iterator[str]:
        texts = {Column(stream, attribute): text for stream, attribute, _, text, _ in self.columns}
        if column not in texts:
            yield f"the tuples of this run were read without {column}"
        elif constant is not None and texts[column] != isinstance(constant, str):
            kind = "text" if texts[column] else "numbers"
            yield f"{column} holds {kind}, which {constant!r} cannot be compared with"


@dataclass(frozen=True, slots=True)
class PairSchema:
    """Keys are below the `codes` of their equality; `constants` are those of all filters, as the
    tuples' values are written. A run that can be changed has what its tuples `carried`."""

    codes: tuple[int, ...]
    constants: tuple[float, ...]
    carried: CarriedColumns | None = None

    def write(self, folder: Path) -> None:
        """Keep it in a folder of micro-batches."""
        write_record(self, folder / _FILE)

    @classmethod
    def read(cls, folder: Path) -> PairSchema:
        """What `write` kept."""
        found: PairSchema = read_record(cls, folder / _FILE)
        return found


def groups_of_run(workload: Workload) -> list[Group]:
    """The queries that share joins, at the beginning and after every change."""
    return [group for stage in stages_of(workload) for group in groups_of(stage.workload)]


def streams_of(workload: Workload) -> list[str]:
    """The streams that some query reads, in the order in which they arrive at equal times."""
    read = {name for group in groups_of_run(workload) for name in group.streams}
    return [stream.name for stream in workload.streams if stream.name in read]


def key_columns(groups: Sequence[Group]) -> list[Predicate]:
    """The equalities of all groups; a tuple has a key for each."""
    return list(dict.fromkeys(p for group in groups for p in group.predicates if p.is_equality))


def value_columns(groups: Sequence[Group]) -> dict[Column, int]:
    """The column of each value that is compared otherwise, by stream and attribute.

    It depends on what is compared alone, not on which queries share a join: micro-batches serve
    every way to execute a workload.
    """
    compared = {c for group in groups for c in compared_columns(group.predicates)}
    return numbered(sorted(compared | {f.column for f in filters_of(groups)}))


def constants_of(groups: Sequence[Group]) -> list[tuple[Column, Constant]]:
    """The different constants of all filters, each with the column that it is compared with, in the
    order of the feed's numbers for them."""
    different = {(f.column, c) for f in filters_of(groups) for c in f.constants}
    numbers = sorted(pair for pair in different if not isinstance(pair[1], str))
    return [*numbers, *sorted(pair for pair in different if isinstance(pair[1], str))]


def filters_of(groups: Sequence[Group]) -> Iterator[Filter]:
    """The filters of all queries of the groups."""
    for group in groups:
        for member in group.members:
            for condition in member.conditions:
                yield from condition.filters


def every_attribute(workload: Workload, tables: Mapping[str, Table]) -> Feed:
    """The same feed for queries that may yet enter: its tuples carry whatever can be compared."""
    return pair_feed(workload, tables, open_to_change=True)


def pair_feed(
    workload: Workload, tables: Mapping[str, Table], open_to_change: bool = False
) -> Feed:
    """Merge the tables by time, place of the stream, then position."""
    groups, streams = groups_of_run(workload), streams_of(workload)
    equalities = key_columns(groups)
    keys = [_codes(groups, predicate, tables) for predicate in equalities]
    slots = value_columns(groups)
    if open_to_change:
        slots = _with_others(slots, streams, tables)
    data = {column: tables[column.alias].columns[column.attribute] for column in slots}
    scales = Scales.of(data, _other_predicates(groups), groups[0].members[0].query)
    values = scales.values(data)
    blocks = [
        block_of({place: name}, tables[name], [codes for codes, _ in keys], slots, values)
        for place, name in enumerate(streams)
    ]
    arrived = in_arrival_order(blocks)
    before = np.zeros((len(arrived.ts), 0), np.int64)
    if open_to_change or any(group.unit == "rows" for group in groups):
        own = arrived.source[:, None] == np.arange(len(streams))
        before = (np.cumsum(own, axis=0) - own).astype(np.int64)
    names = [str(predicate) for predicate in equalities]
    carried = _carried(streams, names, slots, data, scales) if open_to_change else None
    return Feed(
        arrived._replace(rank=np.arange(len(arrived.ts), dtype=np.int64), before=before),
        {name: len(tables[name]) for name in streams},
        PairSchema(
            tuple(codes for _, codes in keys),
            tuple(scales.constant(*compared) for compared in constants_of(groups)),
            carried,
        ),
        open_to_change,
    )


def _with_others(
    slots: Mapping[Column, int], streams: Sequence[str], tables: Mapping[str, Table]
) -> dict[Column, int]:
    """Every column of the streams, those that are compared from the beginning first."""
    every = [
        Column(name, attribute) for name in streams for attribute in sorted(tables[name].columns)
    ]
    return numbered(dict.fromkeys([*slots, *every]))


def _carried(
    streams: list[str],
    keys: list[str],
    slots: Mapping[Column, int],
    data: Mapping[Column, ColumnData],
    scales: Scales,
) -> CarriedColumns:
    different = list(dict.fromkeys(scales.scales.values()))
    columns = [
        (
            c.alias,
            c.attribute,
            slot,
            data[c].values.dtype == object,
            different.index(scales.scales[c]),
        )
        for c, slot in slots.items()
    ]
    return CarriedColumns(streams, keys, columns, different)


def _other_predicates(groups: Sequence[Group]) -> list[Predicate]:
    return other_predicates(p for group in groups for p in group.predicates)


def _codes(
    groups: Sequence[Group], predicate: Predicate, tables: Mapping[str, Table]
) -> tuple[dict[str, NDArray[np.int32]], int]:
    """The keys of one equality by stream, and how many there are."""
    group = next(group for group in groups if predicate in group.predicates)
    sources = tuple(Source(name, name, None) for name in group.streams)
    by_stream = Query(group.members[0].query, sources, (predicate,))
    return key_codes(by_stream, (predicate.left, predicate.right), tables)
