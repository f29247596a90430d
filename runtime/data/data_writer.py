"""Tuples written as a folder of files, in the form in which users bring their own data."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from planner.errors import RunError
from planner.files.text_codes import MOST_TEXTS, arrow_values
from planner.files.tuple_table import FIRST, LAST, Table

SUFFIX = ".parquet"
# What the usual file systems allow.
MOST_NAME_BYTES = 255


def write_folder(tables: Mapping[str, Table], folder: Path) -> dict[str, int]:
    """Write `NAME.parquet` for each stream, with `ts` in seconds, and for each relation, with
    `begin` and `end`; the rows of each."""
    for name, table in tables.items():
        kind = "streams" if table.begin is None else "relations"
        if Path(name).name != name or len(f"{name}{SUFFIX}".encode()) > MOST_NAME_BYTES:
            raise RunError(f"cannot name a file; rename the {kind[:-1]}", f"{kind}.{name}")
        for taken in _time_column(table).keys() & table.columns.keys():
            raise RunError(
                "would be in the place of the time; rename the attribute",
                f"{kind}.{name}.attributes.{taken}",
            )
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, table in tables.items():
            columns = _time_column(table) | {
                attribute: arrow_values(data) for attribute, data in table.columns.items()
            }
            pq.write_table(
                pa.table(columns), folder / f"{name}{SUFFIX}", dictionary_pagesize_limit=MOST_TEXTS
            )
    except OSError as error:
        raise RunError(f"cannot write the data: {error.strerror or error}", str(folder)) from error
    return {name: len(table) for name, table in tables.items()}


def _time_column(table: Table) -> dict[str, pa.Array]:
    """The times of a table in seconds; what has no beginning or no end is empty."""
    if table.begin is None or table.end is None:
        return {"ts": pa.array(table.ts / 1_000_000)}
    return {
        "begin": pa.array(table.begin / 1_000_000, mask=table.begin == FIRST),
        "end": pa.array(table.end / 1_000_000, mask=table.end == LAST),
    }
