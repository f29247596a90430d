"""The files of a run on Spark's own operators: the tables that Spark reads, a file per micro-batch,
and the results that it writes, merged into one file per query.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from planner.errors import RunError
from planner.files.text_codes import MOST_TEXTS, arrow_values
from planner.files.tuple_table import FIRST, LAST, Table
from planner.workload.workload import Workload
from runtime.backends.native.description import BEGIN, END, MEMBER, SEQ, TS
from runtime.data.microbatches import check_count, check_room, usual_batch_rows
from runtime.runs.result_files import (
    result_schema,
    result_writers,
    seconds_column,
)
from runtime.runs.result_parts import MOST_RESULT_ROWS

# Spark reads files by modification time; this is when the first one is said to be written.
_FIRST_WRITTEN = 1_000_000_000
_BYTES_PER_VALUE = 10
_TYPES = {"int64": "long", "double": "double"}


# --- tables ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class TableFiles:
    """Where a table is: its columns there with the types as Spark calls them, and by attribute."""

    folder: str
    columns: Mapping[str, str]
    attributes: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class NativeFiles:
    """The tables of a run: their first time, and the last one of each micro-batch."""

    tables: Mapping[str, TableFiles]
    untils: tuple[int, ...]
    first_ts: int


def cuts_of(streams: Sequence[Table], batch_rows: int | None, wanted: Sequence[int]) -> list[int]:
    """The times at which micro-batches begin: after so many arrivals, and at the times wanted.

    Tuples of equal time are in one micro-batch.
    """
    ts = np.sort(np.concatenate([table.ts for table in streams]))
    if not len(ts):
        return [0]
    rows = batch_rows or usual_batch_rows(len(ts))
    own = [int(time) for time in ts[::rows]]
    inside = [time for time in wanted if ts[0] < time <= ts[-1]]
    cuts = sorted({*own, *inside})
    check_count(len(cuts))
    return cuts


def write_tables(
    tables: Mapping[str, Table],
    streams: Collection[str],
    used: Mapping[str, Sequence[str]],
    cuts: Sequence[int],
    folder: Path,
    more: Mapping[str, Mapping[str, pa.Array]] | None = None,
) -> NativeFiles:
    """Write these attributes of each table, and `more` columns; a relation is one file."""
    values = sum((len(used[name]) + 3) * len(table) for name, table in tables.items())
    folder.mkdir(parents=True, exist_ok=True)
    check_room(values * _BYTES_PER_VALUE, "its tuples", folder)
    written = {}
    for number, (name, table) in enumerate(tables.items()):
        own = folder / str(number)
        own.mkdir()
        is_stream = name in streams
        times = {TS: pa.array(table.ts)} if is_stream else _validity(table)
        columns = {SEQ: pa.array(table.seq), **times}
        # A user's name never reaches a file or a query: attributes are known by their place.
        places = {attribute: f"a{place}" for place, attribute in enumerate(used[name])}
        columns |= {place: arrow_values(table.columns[name]) for name, place in places.items()}
        columns |= (more or {}).get(name, {})
        if is_stream:
            _write_batches(pa.table(columns), table.ts, cuts, own)
        else:
            _write(pa.table(columns), own / "rows.parquet")
        types = {column: _spark_type(values.type) for column, values in columns.items()}
        written[name] = TableFiles(str(own), types, places)
    every = np.sort(np.concatenate([tables[name].ts for name in streams]))
    ends = [*np.searchsorted(every, cuts[1:]), len(every)]
    untils = tuple(int(every[end - 1]) if end else 0 for end in ends)
    return NativeFiles(written, untils, int(every[0]) if len(every) else 0)


def _spark_type(kind: pa.DataType) -> str:
    return "string" if pa.types.is_dictionary(kind) else _TYPES[str(kind)]


def _write_batches(table: pa.Table, ts: np.ndarray, cuts: Sequence[int], folder: Path) -> None:
    ends = [0, *np.searchsorted(ts, cuts[1:]), len(ts)]
    for number in range(len(cuts)):
        file = folder / f"batch-{number:06}.parquet"
        _write(table.slice(ends[number], ends[number + 1] - ends[number]), file)
        os.utime(file, (_FIRST_WRITTEN + number, _FIRST_WRITTEN + number))


def _write(table: pa.Table, file: Path) -> None:
    pq.write_table(table, file, dictionary_pagesize_limit=MOST_TEXTS)


def _validity(table: Table) -> dict[str, pa.Array]:
    """From when to when each row is there: for ever, where nothing is said."""
    spans = ((BEGIN, table.begin, FIRST), (END, table.end, LAST))
    return {
        name: pa.array(np.full(len(table), missing) if times is None else times)
        for name, times, missing in spans
    }


# --- results --------------------------------------------------------------------------------------


def rows_folder(parts: Path, number: int) -> Path:
    """Where the results of a micro-batch are written."""
    return parts / f"rows-{number:06}"


def merge_native_results(workload: Workload, parts: Path, folder: Path) -> None:
    """Write `QUERY.parquet` for every query: the seq of each member, and the time in seconds."""
    with result_writers(workload.queries, folder) as writers:
        for table in _written(parts):
            for number in pc.unique(table.column("query")).to_pylist():
                own = table.filter(pc.equal(table.column("query"), number))
                query = workload.queries[number]
                columns = [own.column(f"{MEMBER}{place}") for place in range(len(query.sources))]
                columns.append(seconds_column(own.column(TS)))
                writers[number].write_table(pa.table(columns, schema=result_schema(query)))


def _written(parts: Path) -> Iterator[pa.Table]:
    """What Spark wrote, a file at a time, in the order of micro-batches and of time in each."""
    rows = 0
    for file in sorted(parts.glob("rows-*/*.parquet")):
        table = pq.read_table(file)
        rows += table.num_rows
        if rows > MOST_RESULT_ROWS:
            raise RunError(
                f"over {MOST_RESULT_ROWS:,} rows to write; shorten run.duration, or leave it out",
                "--results",
            )
        yield table.sort_by(TS)
