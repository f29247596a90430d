"""The feeds of joins: keys as small integers, and in the general form values compared otherwise."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from planner.files.tuple_table import LAST, Table
from planner.workload.query import Column, CountWindow, Predicate, Query
from planner.workload.streams import Relation, Stream
from planner.workload.workload import Workload
from runtime.data.encoding import key_codes
from runtime.data.feed import Feed
from runtime.data.json_records import read_record, write_record
from runtime.data.scales import Scales
from runtime.engines.kernels.loop_types import Rows
from runtime.engines.kernels.windows import Tuples

# Spark passes over files whose name begins with an underscore.
_FILE = "_join.json"

Form = TypeVar("Form", Tuples, Rows)


@dataclass(frozen=True, slots=True)
class JoinSchema:
    """The keys of each class of equal attributes are from 0 and below its number of `codes`;
    `constants` are those of the query's filters, as the tuples' values are written."""

    codes: tuple[int, ...]
    constants: tuple[tuple[float, ...], ...] = ()

    def write(self, folder: Path) -> None:
        """Keep it in a folder of micro-batches."""
        write_record(self, folder / _FILE)

    @classmethod
    def read(cls, folder: Path) -> JoinSchema:
        """What `write` kept."""
        found: JoinSchema = read_record(cls, folder / _FILE)
        return found


def multiway_feed(workload: Workload, tables: Mapping[str, Table]) -> Feed:
    """Merge the tables of a join on one attribute by time, place of the stream, then position."""
    (query,) = workload.queries
    (joined,) = query.equality_classes()
    keys, codes = key_codes(query, joined, tables)
    # Streams in the workload's order, so that a stable sort by time settles equal times rightly.
    blocks = [
        _keyed(query, stream.name, tables[stream.name], keys)
        for stream in workload.streams
        if any(source.name == stream.name for source in query.sources)
    ]
    rows = {name: len(table) for name, table in tables.items()}
    return Feed(in_arrival_order(blocks), rows, JoinSchema((codes,)))


def in_arrival_order(blocks: Sequence[Form]) -> Form:
    """The tuples of streams merged by time; at equal times in the order of the blocks."""
    merged = type(blocks[0])(*(np.concatenate(columns) for columns in zip(*blocks, strict=True)))
    return merged.take(np.argsort(merged.ts, kind="stable"))


def _keyed(
    query: Query, stream: str, table: Table, keys: Mapping[str, NDArray[np.int32]]
) -> Tuples:
    """The arrivals of one stream: each tuple once per alias, one tuple after the other."""
    places = [place for place, s in enumerate(query.sources) if s.name == stream]
    by_alias = np.stack([keys[query.sources[place].alias] for place in places], axis=1)
    return Tuples(
        source=np.tile(np.array(places, np.int16), len(table)),
        ts=np.repeat(table.ts, len(places)),
        seq=np.repeat(table.seq, len(places)),
        key=by_alias.reshape(-1),
    )


def value_slots(query: Query) -> dict[Column, int]:
    """The column of `Rows.values` of each attribute that is compared not by equality alone."""
    compared = compared_columns(query.predicates)
    return numbered(dict.fromkeys([*compared, *(f.column for f in query.filters)]))


def compared_columns(predicates: Iterable[Predicate]) -> list[Column]:
    """The columns of all predicates but equalities."""
    others = other_predicates(predicates)
    return [column for predicate in others for column in (predicate.left, predicate.right)]


def other_predicates(predicates: Iterable[Predicate]) -> list[Predicate]:
    """All predicates but equalities: they compare values, not keys."""
    return [predicate for predicate in predicates if not predicate.is_equality]


def numbered(columns: Iterable[Column]) -> dict[Column, int]:
    """The columns, which are different, by their number among those of the same alias."""
    used: Counter[str] = Counter()
    slots = {}
    for column in columns:
        slots[column] = used[column.alias]
        used[column.alias] += 1
    return slots


def count_windows(query: Query) -> list[int]:
    """The sources whose window is counted in rows, by their place in FROM."""
    return [
        place
        for place, source in enumerate(query.sources)
        if isinstance(source.window, CountWindow)
    ]


def loop_feed(workload: Workload, tables: Mapping[str, Table]) -> Feed:
    """Merge the tables of the workload's one query by time, place of the stream, then position."""
    (query,) = workload.queries
    classes = [key_codes(query, joined, tables) for joined in query.equality_classes()]
    slots = value_slots(query)
    data = {
        column: tables[query.source(column.alias).name].columns[column.attribute]
        for column in slots
    }
    scales = Scales.of(data, other_predicates(query.predicates), query.name)
    values = scales.values(data)
    keys = [codes for codes, _ in classes]
    has_relation = any(source.window is None for source in query.sources)
    blocks = []
    # Relations first: a row is active for the tuples that arrive when it begins.
    inputs: list[Stream | Relation] = [*workload.relations, *workload.streams]
    for known in inputs:
        aliases = {p: s.alias for p, s in enumerate(query.sources) if s.name == known.name}
        if aliases:
            table = tables[known.name]
            if isinstance(known, Relation):
                ts, until, met = validity(table, workload, tables)
            else:
                ts, until, met = table.ts, np.zeros(len(table), np.int64), None
            block = block_of(aliases, replace(table, ts=ts), keys, slots, values)
            if has_relation:
                block = block._replace(until=np.repeat(until, len(aliases)).reshape(-1, 1))
            blocks.append(block if met is None else block.take(np.repeat(met, len(aliases))))
    arrived = in_arrival_order(blocks)
    before = [np.cumsum(arrived.source == p) - (arrived.source == p) for p in count_windows(query)]
    return Feed(
        arrived._replace(
            rank=np.arange(len(arrived.ts), dtype=np.int64),
            before=np.stack(before, axis=1).astype(np.int64) if before else arrived.before,
        ),
        {name: len(table) for name, table in tables.items()},
        JoinSchema(
            tuple(codes for _, codes in classes),
            scales.constants(query.filters),
        ),
    )


def block_of(
    aliases: Mapping[int, str],
    table: Table,
    keys: Sequence[Mapping[str, NDArray[np.int32]]],
    slots: Mapping[Column, int],
    values: Mapping[Column, NDArray[np.float64]],
) -> Rows:
    """The arrivals of one stream: each tuple once for each of its aliases, which have a place each,
    one tuple after the other."""
    # At least one column of each, so that kernels need not ask.
    width = max(slots.values(), default=0) + 1
    places = list(aliases)
    key_of = np.zeros((len(table), len(places), max(1, len(keys))), np.int32)
    value_of = np.full((len(table), len(places), width), np.nan)
    for nth, alias in enumerate(aliases.values()):
        for number, codes in enumerate(keys):
            if alias in codes:
                key_of[:, nth, number] = codes[alias]
        for column, slot in slots.items():
            if column.alias == alias:
                value_of[:, nth, slot] = values[column]
    count = len(table) * len(places)
    return Rows(
        source=np.tile(np.array(places, np.int16), len(table)),
        ts=np.repeat(table.ts, len(places)),
        seq=np.repeat(table.seq, len(places)),
        rank=np.zeros(count, np.int64),
        place=np.repeat(np.arange(len(table), dtype=np.int64), len(places)),
        before=np.zeros((count, 1), np.int64),
        keys=key_of.reshape(count, max(1, len(keys))),
        values=value_of.reshape(count, width),
        until=np.zeros((count, 0), np.int64),
    )


def validity(
    table: Table, workload: Workload, tables: Mapping[str, Table]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.bool_]]:
    """When the rows of a relation begin and end, and which of them some tuple can meet.

    What is there before the first tuple arrives just before it, so that the clock starts there.
    """
    first, last = _covered(workload, tables)
    begin = np.full(len(table), first) if table.begin is None else np.maximum(table.begin, first)
    end = np.full(len(table), LAST) if table.end is None else table.end
    return begin, end, (begin < end) & (begin <= last)


def comes_or_goes(table: Table, workload: Workload, tables: Mapping[str, Table]) -> bool:
    """Whether rows of a relation begin or end while tuples arrive; inference asks the same."""
    first, last = _covered(workload, tables)
    begin, end, met = validity(table, workload, tables)
    return bool((met & ((begin > first) | (end <= last))).any())


def _covered(workload: Workload, tables: Mapping[str, Table]) -> tuple[int, int]:
    """When the first and the last tuple arrive."""
    times = [tables[s.name].ts for s in workload.streams if s.name in tables]
    first = min((int(ts[0]) for ts in times if len(ts)), default=0)
    return first, max((int(ts[-1]) for ts in times if len(ts)), default=-1)
