"""The feed of a join: the tuples of its sources merged in arrival order, keys as small integers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from planner.checks import MAX_DISTINCT
from planner.errors import PlanError
from planner.query import Query
from planner.tables import ColumnData, Table
from planner.workload import Workload
from runtime.kernels.windows import Tuples

# Integer keys up to this are used as they are. Larger ones too where there are as many tuples: an
# index has room for every key up to the largest, and few tuples should not ask for much.
LEAST_PLAIN_KEYS = 100_000


@dataclass(frozen=True, slots=True)
class Feed:
    """Every tuple of a query's sources, as it arrives. Keys are from 0 and below `codes`.

    A tuple of a stream that stands under two aliases arrives once for each, in FROM order.
    """

    tuples: Tuples
    codes: int
    rows: Mapping[str, int]


def feed(workload: Workload, tables: Mapping[str, Table]) -> Feed:
    """Merge the tables of the workload's one query by time, place of the stream, then position."""
    (query,) = workload.queries
    keys, codes = _keys(query, tables)
    # Streams in the workload's order, so that a stable sort by time settles equal times rightly.
    blocks = [
        _block(query, stream.name, tables[stream.name], keys)
        for stream in workload.streams
        if any(source.name == stream.name for source in query.sources)
    ]
    merged = Tuples(*(np.concatenate(columns) for columns in zip(*blocks, strict=True)))
    order = np.argsort(merged.ts, kind="stable")
    rows = {name: len(table) for name, table in tables.items()}
    return Feed(merged.take(order), codes, rows)


def _block(
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


def _keys(query: Query, tables: Mapping[str, Table]) -> tuple[dict[str, NDArray[np.int32]], int]:
    """The join key of each alias's tuples as integers that are equal where the values are."""
    (joined,) = query.equality_classes()
    attribute = {column.alias: column.attribute for column in joined}
    columns = {
        source.alias: tables[source.name].columns[attribute[source.alias]]
        for source in query.sources
    }
    # A column without a value, of which a file cannot tell the type, agrees with any other.
    filled = {alias: column for alias, column in columns.items() if _has_values(column)}
    codes = {alias: np.zeros(len(column.values), np.int32) for alias, column in columns.items()}
    codes |= _codes(query, filled)
    above = 1 + max((int(code.max()) for code in codes.values() if len(code)), default=0)
    for source in query.sources:
        valid = columns[source.alias].valid
        if valid is not None and not valid.all():
            # A missing key equals nothing: it gets a code of its own, another for every source.
            codes[source.alias] = np.where(valid, codes[source.alias], np.int32(above))
            above += 1
    return codes, above


def _has_values(column: ColumnData) -> bool:
    return len(column.values) > 0 if column.valid is None else bool(column.valid.any())


def _codes(query: Query, columns: Mapping[str, ColumnData]) -> dict[str, NDArray[np.int32]]:
    kinds = {alias: column.values.dtype.kind for alias, column in columns.items()}
    if len({kind == "O" for kind in kinds.values()}) > 1:
        texts = ", ".join(alias for alias, kind in kinds.items() if kind == "O")
        raise PlanError(f"joins text with numbers: only {texts} holds text", query.name)
    tuples = sum(len(column.values) for column in columns.values())
    most = max(LEAST_PLAIN_KEYS, min(MAX_DISTINCT, 2 * tuples))
    if all(kind == "i" for kind in kinds.values()) and all(
        column.values.min(initial=0) >= 0 and column.values.max(initial=0) <= most
        for column in columns.values()
    ):
        # Small integers stand for themselves: a key's bucket is then its value modulo the buckets.
        return {alias: column.values.astype(np.int32) for alias, column in columns.items()}
    numeric = "float64" if "f" in kinds.values() else None
    arrays = [
        # Adding 0 makes -0.0 the same bits as 0.0, which it equals.
        pa.array(
            column.values.astype(numeric) + 0.0 if numeric else column.values, from_pandas=True
        )
        for column in columns.values()
    ]
    encoded = pa.concat_arrays(arrays).dictionary_encode().indices.fill_null(0)
    ends = np.cumsum([len(array) for array in arrays])[:-1]
    parts = np.split(encoded.to_numpy(zero_copy_only=False).astype(np.int32), ends)
    return dict(zip(columns, parts, strict=True))
