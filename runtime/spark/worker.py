"""What a Spark worker does: step a program through the micro-batches of its partition.

A file says whether its run goes on: a kernel at work hears nothing else. Spark ends the worker of a
task that is cancelled up to 2 seconds later, and a kernel may go on for longer than that.
"""

from __future__ import annotations

import gc
import os
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from planner.errors import RunError
from planner.files.whole_files import write_whole, written_whole
from runtime.data.batch_seal import opened, sealed
from runtime.engines.protocol import Program
from runtime.engines.registry import program_from_json
from runtime.engines.watching.sketch_plan import SketchPlan
from runtime.engines.watching.sketched import Sketcher, load_sketching
from runtime.runs.result_parts import part_name
from runtime.spark.row_limit import RowLimit

_LOOK_SECONDS = 0.2


class GoingOn:
    """The file, which is there for as long as the run is wanted."""

    def __init__(self, folder: Path) -> None:
        self.file = folder / "going-on"

    def begin(self) -> None:
        """To be called before there are workers."""
        self.file.touch()

    def end(self) -> None:
        """Tell workers to leave off; again, if need be."""
        self.file.unlink(missing_ok=True)


@contextmanager
def only_while(file: str) -> Iterator[None]:
    """End this process, a worker of Spark, if the file goes before what is done within is done."""
    if _is_gone(file):
        raise RunError("has ended, or this worker does not see its folder", "run")
    done = threading.Event()
    watching = threading.Thread(target=_watch, args=(file, done), daemon=True)
    watching.start()
    try:
        yield
    finally:
        done.set()


def _watch(file: str, done: threading.Event) -> None:
    while not done.wait(_LOOK_SECONDS):
        if _is_gone(file) and not done.is_set():
            # Not by an exception: the thread that is in a kernel would not hear of it.
            os._exit(1)


def _is_gone(file: str) -> bool:
    # Any other error says nothing: a shared folder may be out of reach for a moment.
    try:
        Path(file).stat()
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return False


def leave_note(folder: str, partition: int, batch: int, totals: bytes) -> None:
    """Say what a partition has counted when it has done this batch."""
    place = Path(folder)
    if not place.is_dir():
        return
    write_whole(place / f"{batch:06}-{partition:04}.totals", totals, synced=False)


def newest_notes(folder: Path, partitions: int) -> tuple[int, list[bytes]] | None:
    """The last batch that all partitions have done, with their totals. What is older is dropped."""
    by_batch: dict[int, list[Path]] = {}
    for file in sorted(folder.glob("*.totals")):
        by_batch.setdefault(int(file.name[:6]), []).append(file)
    whole = [batch for batch, files in by_batch.items() if len(files) == partitions]
    if not whole:
        return None
    last = max(whole)
    totals = [file.read_bytes() for file in by_batch[last]]
    for batch in (batch for batch in by_batch if batch < last):
        for file in by_batch[batch]:
            file.unlink(missing_ok=True)
    return last, totals


class WorkerResult(NamedTuple):
    """After the last batch: the state, the totals so far, and the sketch of that batch if asked."""

    state: bytes
    totals: bytes
    sketch: bytes | None


@lru_cache(maxsize=4)
def load_program(text: str) -> Program:
    """The program, ready to step. Worker processes are used again: it is read once."""
    program = program_from_json(text)
    program.load()
    # Spark's worker looks for garbage after every task: what is loaded by now is none.
    gc.freeze()
    return program


@lru_cache(maxsize=4)
def _sketcher(text: str, program_text: str) -> Sketcher:
    """What sketches the tuples of a program."""
    load_sketching()
    return Sketcher(SketchPlan.from_json(text), load_program(program_text).form)


def step_through(
    program_text: str,
    state: bytes | None,
    batches: Iterable[tuple[int, bytes]],
    partition: int,
    results_folder: str | None,
    notes_folder: str | None = None,
    sketching: str | None = None,
) -> WorkerResult:
    """Step through the batches in order, at least one.

    A state is sealed as the one after its batch: none is left out, none is counted twice. Totals
    are noted after each batch where there is a folder for it.
    """
    program = load_program(program_text)
    sketcher = _sketcher(sketching, program_text) if sketching else None
    limit = None
    if results_folder is not None:
        folder = Path(results_folder)
        folder.mkdir(parents=True, exist_ok=True)
        limit = RowLimit(folder, partition, program.partitions)
    totals, sketch, packed, done = b"", None, None, -1
    for number, given in batches:
        if packed is None and state is not None:
            packed, done = opened(state, number - 1, partition), number - 1
        if number != done + 1:
            raise RunError(f"comes after batch {done}; one is missing", f"batch {number}")
        tuples = opened(given, number, partition)
        step = program.step(packed, tuples, partition, limit.room() if limit else 0)
        packed, totals, done = step.state, step.totals, number
        if sketcher:
            sketch = sketcher.sketch(tuples, partition)
        if limit:
            _write_rows(step.rows, folder, partition, number)
            limit.note(step.kept)
        if notes_folder is not None:
            leave_note(notes_folder, partition, number, totals)
    if packed is None:
        raise RunError("was given no micro-batch", f"partition {partition}")
    return WorkerResult(sealed(packed, done, partition), totals, sketch)


def _write_rows(rows: np.ndarray, folder: Path, partition: int, number: int) -> None:
    """Write a batch's results under a name of its own: a batch that is run again replaces them."""
    columns = {str(place): rows[:, place] for place in range(rows.shape[1])}
    with written_whole(folder / part_name(number, partition)) as beside:
        pq.write_table(pa.table(columns), beside, write_page_checksum=True)
