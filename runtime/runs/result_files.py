"""Results as files: the parts that workers wrote, merged into one plain Parquet file per query."""

from __future__ import annotations

import tempfile
import uuid
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from planner.errors import RunError
from planner.families.registry import family
from planner.plan.cost import total
from planner.plan.plan import digest
from planner.workload.changes import queries_of_run
from planner.workload.query import Query
from planner.workload.workload import Workload
from runtime.data.folders import answers_home
from runtime.data.run_data import run_seconds
from runtime.runs.records import Run
from runtime.runs.result_parts import part_name

MOST_NAME_BYTES = 200


def check_folder(folder: Path) -> None:
    """Make the folder and see that a file can be written there, before a long run and not after."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise RunError(f"cannot be written to: {error.strerror}", f"--results {folder}") from error


@contextmanager
def written_to(folder: Path) -> Iterator[None]:
    """Results are written to the folder, which is made; a RunError where that cannot be."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        yield
    except OSError as error:
        raise RunError(f"cannot write results: {error.strerror or error}", str(folder)) from error


@contextmanager
def result_writers(queries: Sequence[Query], folder: Path) -> Iterator[list[pq.ParquetWriter]]:
    """A file `QUERY.parquet` for each query, open to be written."""
    with written_to(folder), ExitStack() as opened:
        files = [folder / f"{safe_file_name(query.name)}.parquet" for query in queries]
        yield [
            opened.enter_context(pq.ParquetWriter(file, result_schema(query)))
            for file, query in zip(files, queries, strict=True)
        ]


def check_parts(parts: Path, batches: int, partitions: int) -> None:
    """A RunError unless the rows of every batch and partition are there."""
    for batch in range(batches):
        for partition in range(partitions):
            if not (parts / part_name(batch, partition)).is_file():
                raise _damaged_part(part_name(batch, partition))


def read_part(file: Path) -> pa.Table:
    """The rows of one part, checked as they are read; a RunError where they are damaged."""
    try:
        return pq.read_table(file, page_checksum_verification=True)
    except (pa.ArrowException, OSError) as error:
        raise _damaged_part(file.name) from error


def _damaged_part(name: str) -> RunError:
    return RunError(f"{name} is damaged or gone; run the plan again", "results of the run")


def merge_results(workload: Workload, parts: Path, folder: Path) -> None:
    """Write `QUERY.parquet`: one column `ALIAS.seq` per source, and `ts` in seconds."""
    (query,) = workload.queries
    schema = result_schema(query)
    with result_writers([query], folder) as (writer,):
        for part in sorted(parts.glob("rows-*.parquet")):
            *members, microseconds = read_part(part).columns[: len(schema)]
            columns = [*members, seconds_column(microseconds)]
            writer.write_table(pa.table(columns, schema=schema))


def merge_shared_results(workload: Workload, parts: Path, folder: Path) -> None:
    """Write `QUERY.parquet` for every query of a run, in the order in which results came about.

    The parts have the number of the query first, and last the place of the tuple that completed
    the result in the arrival order, by which partitions are put together batch by batch.
    """
    queries = queries_of_run(workload)
    batches: dict[str, list[Path]] = {}
    for part in sorted(parts.glob("rows-*.parquet")):
        batches.setdefault(part.stem.split("-")[1], []).append(part)
    with result_writers(queries, folder) as writers:
        for of_batch in batches.values():
            table = pa.concat_tables([read_part(part) for part in of_batch])
            # A stable order: the results of one tuple come from one partition of each chain.
            order = np.argsort(table.column("4").to_numpy(), kind="stable")
            table = table.take(order)
            for number in pc.unique(table.column("0")).to_pylist():
                own = table.filter(pc.equal(table.column("0"), number))
                columns = [own.column("1"), own.column("2"), seconds_column(own.column("3"))]
                schema = result_schema(queries[number])
                writers[number].write_table(pa.table(columns, schema=schema))


def result_schema(query: Query) -> pa.Schema:
    """The columns of a join's results: a seq for each source, and the time."""
    names = [f"{source.alias}.seq" for source in query.sources]
    return pa.schema([*((name, pa.int64()) for name in names), ("ts", pa.float64())])


def seconds_column(microseconds: pa.ChunkedArray) -> pa.ChunkedArray:
    """Times as results tell them."""
    return pc.divide(pc.cast(microseconds, pa.float64()), 1_000_000.0)


def safe_file_name(name: str) -> str:
    """A query's name as the name of a file that stays in its folder."""
    kept = "".join(c if c.isalnum() or c in "-_. " else "_" for c in name).strip(". ")
    short = kept.encode()[:MOST_NAME_BYTES].decode(errors="ignore")
    # Two names that differ must not become one file.
    return short if short == name else f"{short or 'query'}-{digest(name)[:8]}"


MOST_CHANGES = 1_000_000


@dataclass(frozen=True, slots=True)
class GroupTables:
    """The groups at the end of a run, and every change of a group."""

    groups: pa.Table
    changes: pa.Table


def folder_for(workload: Workload, family_name: str, label: str) -> Path | None:
    """A new folder for the answer of this aggregation; None where its changes would be too many."""
    if expected_changes(workload, family_name, label) > MOST_CHANGES:
        return None
    return answers_home() / uuid.uuid4().hex[:12]


def expected_changes(workload: Workload, family_name: str, label: str) -> float:
    """How many changes of groups a run should make, its warm-up included."""
    space = family(family_name).space(workload)
    plan = space.plan(label)
    cost = total(space.estimate(plan).costs, (root.id for root in plan.roots))
    return cost.rows_out * run_seconds(workload)


def answer_of(run: Run) -> GroupTables | None:
    """What the run kept; None where it kept nothing, or its files are gone."""
    if run.request.results is None:
        return None
    (query,) = run.workload.queries
    name = safe_file_name(query.name)
    files = [run.request.results / f"{name}{part}.parquet" for part in ("", ".changes")]
    if not all(file.is_file() for file in files):
        return None
    try:
        return GroupTables(*map(pq.read_table, files))
    except (OSError, pa.ArrowInvalid) as error:
        raise RunError(f"the kept answer cannot be read: {error}", run.id) from error
