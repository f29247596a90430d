"""Which column of a table is its time, and how it is written: a guess, and what else it may be."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from planner.files.dropped.time_formats import (
    DIGITS,
    ORDERS,
    TIME_OF_DAY,
    TIMESTAMP,
    UNITS,
    WORDS,
    Times,
    read_times,
)
from planner.files.text_codes import is_text

# So many rows, spread over the file, decide what a column is.
_SAMPLE = 2_000
# A column is in a format where nearly all of its values are.
_LEAST_SHARE = 0.95
# Numbers of these sizes are seconds since 1970 between 1979 and 2103, in some unit.
_SINCE_1970 = {"s": (3e8, 4.2e9), "ms": (3e11, 4.2e12), "us": (3e14, 4.2e15), "ns": (3e17, 4.2e18)}
_EXACT = re.compile(
    r"ts|t|time|timestamp|datetime|date_?time|event_?time|when|date|zeit", re.IGNORECASE
)
_LIKELY = re.compile(
    r"time|date|stamp|epoch|zeit|datum|created|occurred|millis|_at$|_ts$|^ts_", re.IGNORECASE
)
_POINTED = re.compile(r"\s*\d{1,2}\.")
_UNIT_IN_NAME = (
    (re.compile(r"_ns$|nanos", re.IGNORECASE), "ns"),
    (re.compile(r"_us$|_µs$|micros", re.IGNORECASE), "us"),
    (re.compile(r"_ms$|milli", re.IGNORECASE), "ms"),
)
# When a row of a relation is active: no time of arrival.
_VALIDITY = ("begin", "end", "valid_from", "valid_to")
_LEAST_SCORE = 3.0


@dataclass(frozen=True, slots=True)
class TimeReading:
    """One way to read the times of a table: a column, and how it is written.

    `other` is another order of day and month that the values allow as well.
    """

    column: str
    format: str
    other: str | None = None

    def __str__(self) -> str:
        return f"{self.column} ({WORDS[self.format]})"


@dataclass(frozen=True, slots=True)
class TimeGuess:
    """The reading that is most likely, if any is, and all that are possible, likely ones first."""

    guess: TimeReading | None
    readings: tuple[TimeReading, ...]


def guess_time(table: pa.Table) -> TimeGuess:
    """Which column of the table is the time of its rows."""
    places = np.linspace(0, table.num_rows - 1, min(table.num_rows, _SAMPLE)).astype(np.int64)
    sample = table.take(places) if table.num_rows else table
    scored = [
        (_score(reading, times), reading)
        for name in table.column_names
        for reading, times in _readings(sample, name)
    ]
    scored.sort(key=lambda entry: -entry[0])
    readings = tuple(reading for _, reading in scored)
    likely = bool(scored) and scored[0][0] >= _LEAST_SCORE
    return TimeGuess(readings[0] if likely else None, readings)


def unread_time(table: pa.Table, guess: TimeGuess) -> str | None:
    """A column that is named as a time and cannot be read as one, if there is any."""
    read = {reading.column for reading in guess.readings}
    named = (name for name in table.column_names if _EXACT.fullmatch(name) and name not in read)
    return next(named, None)


def _readings(sample: pa.Table, name: str) -> Iterator[tuple[TimeReading, Times]]:
    """How this column can be read."""
    column = sample[name]
    known = []
    for form in _formats(column, name):
        times = read_times(column, form)
        present = len(column) - column.null_count
        if present and times.valid.sum() >= _LEAST_SHARE * present:
            known.append((form, times))
    if any(_POINTED.match(str(value)) for value in column.slice(0, 3).to_pylist()):
        # With points between its parts, a date begins with its day.
        known = [(form, times) for form, times in known if form != "mdy"] or known
    orders = [form for form, _ in known if form in ("dmy", "mdy")]
    if len(orders) == 2 and _disorder(known[0][1]) > _disorder(known[1][1]):
        # Both orders are possible: in the right one the rows are more in order.
        known.reverse()
        orders.reverse()
    for form, times in known:
        other = next((o for o in orders if o != form), None) if form in orders else None
        yield TimeReading(name, form, other), times


def _formats(column: pa.ChunkedArray, name: str) -> list[str]:
    """Formats that fit the type of a column, the likely one first."""
    kind = column.type
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    if pa.types.is_timestamp(kind) or pa.types.is_date(kind):
        return [TIMESTAMP]
    if pa.types.is_time(kind):
        return [TIME_OF_DAY]
    if is_text(kind):
        return [*ORDERS, DIGITS]
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        size = _size(column)
        since = [unit for unit, (least, most) in _SINCE_1970.items() if least <= size <= most]
        named = [unit for pattern, unit in _UNIT_IN_NAME if pattern.search(name)]
        digits = [DIGITS] if 19e6 <= size < 22e6 or 19e12 <= size < 22e12 else []
        likely = since or digits or named or _EXACT.fullmatch(name) or _LIKELY.search(name)
        # Any number may be seconds; other units are offered where something speaks for a time.
        return list(dict.fromkeys([*since, *digits, *named, *(UNITS if likely else ["s"])]))
    return []


def _size(column: pa.ChunkedArray) -> float:
    numbers = column.cast(pa.float64(), safe=False).drop_null().to_numpy()
    present = numbers[np.isfinite(numbers)]
    return float(np.median(present)) if len(present) else 0.0


def _disorder(times: Times) -> float:
    """The share of rows that are earlier than the row before."""
    micros = times.micros[times.valid]
    return float((micros[1:] < micros[:-1]).mean()) if len(micros) > 1 else 0.0


def _score(reading: TimeReading, times: Times) -> float:
    """How likely a reading is; sequences of numbers and birthdays must not pass for times."""
    name, form = reading.column, reading.format
    if name.lower() in _VALIDITY:
        return 0.0
    named = 2.0 if _EXACT.fullmatch(name) else 1.0 if _LIKELY.search(name) else 0.0
    micros = times.micros[times.valid]
    ordered = _disorder(times) <= 0.01 and len(micros) > 1 and micros[-1] > micros[0]
    score = named + ordered
    if form in UNITS:
        return _number_score(form, micros, score, named, ordered)
    if form == DIGITS:
        return score + (1.5 if named else 0.0)
    if form == TIME_OF_DAY:
        return score + 1.5
    dates_only = not (micros % 86_400_000_000).any()
    if dates_only and not ordered and named < 2:
        return 1.0
    # The order of a date that is likelier stands first; others come after it.
    return score + (2.0 if dates_only else 3.0) - 0.1 * (reading.format == "mdy")


def _number_score(
    form: str, micros: np.ndarray, score: float, named: float, ordered: bool
) -> float:
    size = float(np.median(micros)) / 1e6 if len(micros) else 0.0
    least, most = _SINCE_1970["s"]
    if least <= size <= most:
        counts_rows = len(micros) > 1 and bool((np.diff(micros) == np.diff(micros)[0]).all())
        # A number that only counts rows is an id, unless its name says that it is a time.
        certain = named > 0 or (ordered and form != "s") or (ordered and not counts_rows)
        return score + 2.0 if certain else 1.0
    usual = {"s": 1.0, "ms": 0.6, "us": 0.3, "ns": 0.1}[form]
    return score + usual if named == 2 and ordered else min(score, 1.0) + usual - 1.0
