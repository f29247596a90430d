"""Results as files: the parts that workers wrote, merged into one plain Parquet file per query."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from planner.errors import RunError
from planner.plan import digest
from planner.workload import Workload

MOST_RESULT_ROWS = 100_000_000
MOST_NAME_BYTES = 200


def check_folder(folder: Path) -> None:
    """Make the folder and see that a file can be written there, before a long run and not after."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise RunError(f"cannot be written to: {error.strerror}", f"--results {folder}") from error


def merge_results(workload: Workload, parts: Path, folder: Path) -> Path:
    """Write `QUERY.parquet`: one column `ALIAS.seq` per source, and `ts` in seconds."""
    (query,) = workload.queries
    names = [f"{source.alias}.seq" for source in query.sources]
    schema = pa.schema([*((name, pa.int64()) for name in names), ("ts", pa.float64())])
    file = folder / f"{safe_file_name(query.name)}.parquet"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with pq.ParquetWriter(file, schema) as writer:
            for part in sorted(parts.glob("rows-*.parquet")):
                table = pq.read_table(part)
                seconds = pc.divide(pc.cast(table.column(len(names)), pa.float64()), 1_000_000.0)
                columns = [table.column(place) for place in range(len(names))]
                writer.write_table(pa.table([*columns, seconds], schema=schema))
    except OSError as error:
        raise RunError(f"cannot write results: {error.strerror or error}", str(folder)) from error
    return file


def safe_file_name(name: str) -> str:
    """A query's name as the name of a file that stays in its folder."""
    kept = "".join(c if c.isalnum() or c in "-_. " else "_" for c in name).strip(". ")
    short = kept.encode()[:MOST_NAME_BYTES].decode(errors="ignore")
    # Two names that differ must not become one file.
    return short if short == name else f"{short or 'query'}-{digest(name)[:8]}"
