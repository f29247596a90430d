"""Results of Spark's own operators as files: what Spark wrote, merged into one file per query."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from planner.errors import RunError
from planner.workload.workload import Workload
from runtime.runs.result_files import (
    MOST_RESULT_ROWS,
    result_schema,
    safe_file_name,
    seconds_column,
)


def rows_folder(parts: Path, number: int) -> Path:
    """Where the results of a micro-batch are written."""
    return parts / f"rows-{number:06}"


def merge_native_results(workload: Workload, parts: Path, folder: Path) -> None:
    """Write `QUERY.parquet` for every query: the seq of each member, and the time in seconds."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with ExitStack() as open_files:
            writers = []
            for query in workload.queries:
                file = folder / f"{safe_file_name(query.name)}.parquet"
                schema = result_schema(query)
                writers.append(open_files.enter_context(pq.ParquetWriter(file, schema)))
            for table in _tables(parts):
                for number in pc.unique(table.column("query")).to_pylist():
                    own = table.filter(pc.equal(table.column("query"), number))
                    query = workload.queries[number]
                    columns = [own.column(f"m{place}") for place in range(len(query.sources))]
                    columns.append(seconds_column(own.column("ts")))
                    writers[number].write_table(pa.table(columns, schema=result_schema(query)))
    except OSError as error:
        raise RunError(f"cannot write results: {error.strerror or error}", str(folder)) from error


def _tables(parts: Path) -> Iterator[pa.Table]:
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
        yield table.sort_by("ts")
