"""Dropped files as own data: a Parquet file with `ts` for each stream, without for a relation."""

from __future__ import annotations

import io
from collections.abc import Iterable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pa_parquet

from planner.errors import PlanError
from planner.files.dropped.dropped_file import DroppedSource
from planner.files.whole_files import write_whole

_TS = "ts"


def write_sources(folder: Path, sources: Iterable[DroppedSource]) -> None:
    """Write each source into the folder, under its name."""
    for source in sources:
        assert Path(source.name).name == source.name, "names of sources are identifiers"
        write_whole(folder / f"{source.name}.parquet", parquet_of(source))


def parquet_of(source: DroppedSource) -> bytes:
    """The file that own data are read from."""
    table = source.table
    if source.micros is not None:
        if _TS in table.column_names:
            raise PlanError(
                "has a column ts that is not its time; choose ts as the time, or rename it",
                source.file,
            )
        ts = pa.array(source.micros).cast(pa.timestamp("us", "UTC"))
        table = table.add_column(0, _TS, ts)
    held = io.BytesIO()
    pa_parquet.write_table(table, held, compression="zstd")
    return held.getvalue()
