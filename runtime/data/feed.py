"""The feed of a join: the tuples of its sources merged in arrival order, keys as small integers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from planner.files.tuple_table import Table
from planner.workload.query import Query
from planner.workload.workload import Workload
from runtime.data.encoding import key_codes
from runtime.data.tuple_schema import Carried
from runtime.engines.aggregation.grouping import Grouping, Meanings
from runtime.engines.aggregation.kernel.types import Arrivals
from runtime.engines.joins.kernel.loop_types import Rows
from runtime.engines.kernels.windows import Tuples


@dataclass(frozen=True, slots=True)
class Feed:
    """Every tuple of a query's sources, as it arrives.

    A tuple of a stream that stands under two aliases arrives once for each, in FROM order. The keys
    of each class of equal attributes are from 0 and below its number of `codes`; `constants` are
    those of the query's filters, as the tuples' values are written. An aggregation has its
    `grouping`, and what its numbers mean.
    """

    tuples: Tuples | Rows | Arrivals
    codes: tuple[int, ...]
    rows: Mapping[str, int]
    constants: tuple[float, ...] = ()
    grouping: Grouping | None = None
    meanings: Meanings | None = None
    # Of many joins whose queries can change while they run.
    carried: Carried | None = None


def feed(workload: Workload, tables: Mapping[str, Table]) -> Feed:
    """Merge the tables of a join on one attribute by time, place of the stream, then position."""
    (query,) = workload.queries
    (joined,) = query.equality_classes()
    keys, codes = key_codes(query, joined, tables)
    # Streams in the workload's order, so that a stable sort by time settles equal times rightly.
    blocks = [
        _block(query, stream.name, tables[stream.name], keys)
        for stream in workload.streams
        if any(source.name == stream.name for source in query.sources)
    ]
    merged = Tuples(*(np.concatenate(columns) for columns in zip(*blocks, strict=True)))
    order = np.argsort(merged.ts, kind="stable")
    rows = {name: len(table) for name, table in tables.items()}
    return Feed(merged.take(order), (codes,), rows)


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
