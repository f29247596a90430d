"""A dropped file, read; and as the stream or relation that it becomes."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import PurePath

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from planner.errors import PlanError
from planner.files.dropped.identifiers import stream_names
from planner.files.dropped.readers import read_table
from planner.files.dropped.time_columns import TimeGuess, TimeReading, guess_time, unread_time
from planner.files.dropped.time_formats import WORDS, read_times
from planner.workload.validation import MAX_SECONDS

_NO_TIME = "No time column was found, so this is a table to look up."


@dataclass(frozen=True, slots=True)
class DroppedFile:
    """A file that could be read: its table, how it was written, and what its time may be."""

    file: str
    name: str
    table: pa.Table
    format: str
    time: TimeGuess
    notices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class DroppedSource:
    """A stream with its rows in the order of their times, or a relation, which has no times."""

    file: str
    name: str
    table: pa.Table
    micros: NDArray[np.int64] | None
    notices: tuple[str, ...] = ()

    @property
    def is_stream(self) -> bool:
        return self.micros is not None

    @property
    def seconds(self) -> float:
        """The time from the first to the last row; 0 for a relation."""
        if self.micros is None or len(self.micros) < 2:
            return 0.0
        return float(self.micros[-1] - self.micros[0]) / 1e6

    @property
    def rate(self) -> float:
        """Rows per second; 0 for a relation."""
        return (self.table.num_rows - 1) / self.seconds if self.seconds else 0.0


def read_dropped(content: bytes, file: str) -> DroppedFile:
    """Read a file of this name; a PlanError says what is wrong with it and what to change."""
    read = read_table(content, file)
    guess = guess_time(read.table)
    (name,) = stream_names([file])
    notices = list(read.notices)
    if guess.guess is None:
        column = unread_time(read.table, guess)
        if column is not None:
            value = str(read.table[column][0].as_py())[:40]
            notices.append(f"{column} cannot be read as a time: row 1 has {value!r}.")
        notices.append(_NO_TIME)
    return DroppedFile(file, name, read.table, read.format, guess, tuple(notices))


def named_apart(files: Sequence[DroppedFile], known: Collection[str] = ()) -> list[DroppedFile]:
    """The files with a different name for each stream; a file that has a known name keeps it."""
    stems = [PurePath(dropped.file).stem for dropped in files]
    made = stream_names([dropped.file for dropped in files])
    names = [
        stem if stem in known and stem not in stems[:place] else made[place]
        for place, stem in enumerate(stems)
    ]
    return [replace(dropped, name=name) for dropped, name in zip(files, names, strict=True)]


def as_source(dropped: DroppedFile, reading: TimeReading | None) -> DroppedSource:
    """The file as a stream whose times are read so, or without a reading as a relation."""
    notices = list(dropped.notices)
    if reading is not None and dropped.time.guess is None:
        # One was chosen instead.
        notices.remove(_NO_TIME)
    if reading is None:
        return DroppedSource(dropped.file, dropped.name, dropped.table, None, tuple(notices))
    times = read_times(dropped.table[reading.column], reading.format)
    table, micros = dropped.table, times.micros
    if not times.valid.all():
        row = int(np.argmin(times.valid))
        if not times.valid.any():
            raise PlanError(
                f"{reading.column} has no time that can be read, row {row + 1} has "
                f"{_shown(table, reading, row)}; choose another column or format",
                dropped.file,
            )
        missing = int((~times.valid).sum())
        notices.append(
            f"{missing:,} of {table.num_rows:,} rows have no time and are left out; "
            f"row {row + 1} has {_shown(table, reading, row)}."
        )
        table, micros = table.filter(pa.array(times.valid)), micros[times.valid]
    late = int((micros[1:] < micros[:-1]).sum())
    if late:
        notices.append(f"{late:,} rows were earlier than the row before; all are now in order.")
        order = np.argsort(micros, kind="stable")
        table, micros = table.take(order), micros[order]
    if reading.other is not None:
        first = datetime.fromtimestamp(int(micros[0]) / 1e6, UTC)
        notices.append(
            f"{_shown(table, reading, 0)} is read as {first:%-d %B %Y}. If that is wrong, choose "
            f"{WORDS[reading.other]}."
        )
    return DroppedSource(
        dropped.file, dropped.name, table.drop_columns([reading.column]), micros, tuple(notices)
    )


def _shown(table: pa.Table, reading: TimeReading, row: int) -> str:
    value = table[reading.column][row].as_py()
    return "nothing" if value is None else repr(str(value)[:40])


def check_source(source: DroppedSource) -> None:
    """A PlanError where a stream has no span of time, so that it has no rate."""
    if source.is_stream and not source.seconds:
        rows = "only one row" if source.table.num_rows == 1 else "the same time in every row"
        raise PlanError(f"has {rows}; a stream needs different times", source.file)
    if source.is_stream and source.seconds > MAX_SECONDS / 10:
        years = source.seconds / 31_557_600
        raise PlanError(
            f"covers {years:,.0f} years; choose another column or format for the time", source.file
        )
