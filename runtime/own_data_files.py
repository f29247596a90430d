"""Tuples written as own data: one Parquet file per stream, as `--data` reads them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from planner.errors import RunError
from planner.tables import Table

SUFFIX = ".parquet"
# What the usual file systems allow.
MOST_NAME_BYTES = 255


def write_folder(tables: Mapping[str, Table], folder: Path) -> dict[str, int]:
    """Write `STREAM.parquet` for each stream, with `ts` in seconds; the rows of each."""
    for name, table in tables.items():
        if Path(name).name != name or len(f"{name}{SUFFIX}".encode()) > MOST_NAME_BYTES:
            raise RunError("cannot name a file; rename the stream", f"streams.{name}")
        if "ts" in table.columns:
            raise RunError(
                "would be in the place of the time; rename the attribute",
                f"streams.{name}.attributes.ts",
            )
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, table in tables.items():
            columns = {"ts": table.ts / 1_000_000} | {
                attribute: data.values for attribute, data in table.columns.items()
            }
            pq.write_table(pa.table(columns), folder / f"{name}{SUFFIX}")
    except OSError as error:
        raise RunError(f"cannot write the data: {error.strerror or error}", str(folder)) from error
    return {name: len(table) for name, table in tables.items()}
