"""Columns read as times: timestamps, numbers since 1970 in some unit, and dates as people write.

Texts are taken apart by one regular expression into three parts of a date, a time of day and an
offset; which part is the day, the month and the year is what formats differ in.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from planner.files.text_codes import is_text
from planner.workload.validation import MAX_SECONDS

Int64 = NDArray[np.int64]
Flags = NDArray[np.bool_]

TIMESTAMP, TIME_OF_DAY, DIGITS = "timestamp", "time of day", "digits"
# Microseconds in a unit of a number.
UNITS = {"s": 1e6, "ms": 1e3, "us": 1.0, "ns": 1e-3}
ORDERS = ("ymd", "dmy", "mdy")
# What a format is called where users choose it.
WORDS = {
    TIMESTAMP: "date and time",
    TIME_OF_DAY: "time of day",
    DIGITS: "digits, 20260131235959",
    "s": "seconds",
    "ms": "milliseconds",
    "us": "microseconds",
    "ns": "nanoseconds",
    "ymd": "year, month, day",
    "dmy": "day, month, year",
    "mdy": "month, day, year",
}
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DATE_AND_TIME = (
    r"^\s*(?:[A-Za-z]{3,9},?\s+)?(?P<a>[0-9]{1,4})[-/. ](?P<b>[0-9]{1,2}|[A-Za-z]{3,9})\.?"
    r"[-/. ](?P<c>[0-9]{1,4})"
    r"(?:[T ,:]+(?P<hour>[0-9]{1,2}):(?P<minute>[0-9]{2})(?::(?P<second>[0-9]{2})"
    r"(?:[.,](?P<part>[0-9]{1,9}))?)?\s*(?P<half>[AaPp]\.?[Mm]\.?)?)?"
    r"\s*(?P<zone>Z|UTC|GMT|[+-][0-9]{2}:?[0-9]{2})?\s*$"
)
_MONTH_FIRST = (
    r"^\s*(?P<b>[A-Za-z]{3,9})\.? (?P<a>[0-9]{1,2}),? (?P<c>[0-9]{4})"
    r"(?:[T ,:]+(?P<hour>[0-9]{1,2}):(?P<minute>[0-9]{2})(?::(?P<second>[0-9]{2})"
    r"(?:[.,](?P<part>[0-9]{1,9}))?)?\s*(?P<half>[AaPp]\.?[Mm]\.?)?)?"
    r"\s*(?P<zone>Z|UTC|GMT|[+-][0-9]{2}:?[0-9]{2})?\s*$"
)
_DIGITS = (
    r"^(?P<a>[0-9]{4})(?P<b>[0-9]{2})(?P<c>[0-9]{2})"
    r"(?:[T ]?(?P<hour>[0-9]{2})(?P<minute>[0-9]{2})(?P<second>[0-9]{2})?Z?)?$"
)
_DAY = 86_400_000_000


@dataclass(frozen=True, slots=True)
class Times:
    """The times of a column in microseconds since 1970 UTC, and in which rows there is one."""

    micros: Int64
    valid: Flags

    @property
    def share(self) -> float:
        """The share of rows that have a time."""
        return float(self.valid.mean()) if len(self.valid) else 0.0


def read_times(column: pa.ChunkedArray, form: str) -> Times:
    """The times of a column that is written in this format; other values have none."""
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if form in UNITS:
        times = _of_numbers(column, UNITS[form])
    elif form == TIMESTAMP:
        times = _of_timestamps(column)
    elif form == TIME_OF_DAY:
        micros = column.cast(pa.time64("us"), safe=False).cast(pa.int64())
        times = _with_nulls(micros)
    elif form == DIGITS:
        times = _of_texts(column.cast(pa.string()), _DIGITS, "ymd")
    else:
        times = _of_texts(column, _DATE_AND_TIME, form)
        if form == "dmy" and not times.valid.all():
            # A month in letters may come first: it is not taken for a day.
            named = _of_texts(column, _MONTH_FIRST, form)
            times = Times(
                np.where(times.valid, times.micros, named.micros), times.valid | named.valid
            )
    within = np.abs(times.micros.astype(np.float64)) <= MAX_SECONDS * 1e6
    return Times(times.micros, times.valid & within)


def _with_nulls(micros: pa.ChunkedArray) -> Times:
    valid = pc.is_valid(micros).to_numpy()
    return Times(cast(Int64, micros.fill_null(0).to_numpy()), valid)


def _of_timestamps(column: pa.ChunkedArray) -> Times:
    # Ticks beyond what microseconds can hold are no times that can be run.
    return _with_nulls(column.cast(pa.timestamp("us"), safe=False).cast(pa.int64()))


def _of_numbers(column: pa.ChunkedArray, scale: float) -> Times:
    if pa.types.is_integer(column.type) and scale >= 1:
        ticks = column.cast(pa.int64(), safe=False)
        whole = ticks.fill_null(0).to_numpy()
        valid = pc.is_valid(ticks).to_numpy() & (np.abs(whole) < 9e18 / scale)
        return Times(np.where(valid, whole, 0) * np.int64(scale), valid)
    numbers = column.cast(pa.float64(), safe=False).to_numpy()
    with np.errstate(invalid="ignore", over="ignore"):
        micros = np.rint(numbers * scale)
        valid = np.isfinite(micros) & (np.abs(micros) < 9e18)
    return Times(np.where(valid, micros, 0).astype(np.int64), valid)


def _of_texts(column: pa.ChunkedArray, pattern: str, order: str) -> Times:
    """The times of texts whose parts of a date are in this order."""
    if not is_text(column.type):
        return Times(np.zeros(len(column), np.int64), np.zeros(len(column), np.bool_))
    held = column.combine_chunks().dictionary_encode()
    times = _of_different_texts(held.dictionary, pattern, order)
    # Each text is taken apart once; the last place is that of a missing one.
    places = held.indices.fill_null(len(held.dictionary)).to_numpy(zero_copy_only=False)
    micros, valid = np.append(times.micros, 0), np.append(times.valid, np.False_)
    return Times(micros[places], valid[places])


def _of_different_texts(column: pa.Array, pattern: str, order: str) -> Times:
    parts = pc.extract_regex(column, pattern)
    found = pc.is_valid(parts).to_numpy(zero_copy_only=False)
    names = {field.name for field in parts.type}

    def texts(name: str) -> pa.Array:
        if name not in names:
            return pa.array([""] * len(parts), pa.string())
        return pc.fill_null(pc.struct_field(parts, name), "")

    def number(name: str) -> Int64:
        return _whole_numbers(texts(name))

    first, middle, last = number("a"), _months(texts("b")), number("c")
    year, month, day = {
        "ymd": (first, middle, last),
        "dmy": (last, middle, first),
        "mdy": (last, first, middle),
    }[order]
    in_letters = pc.match_substring_regex(texts("b"), "[A-Za-z]").to_numpy(zero_copy_only=False)
    if order == "mdy":
        # With its month in letters, a text has no other order than the one it shows.
        found = found & ~in_letters
    year = np.where(year < 100, year + np.where(year < 70, 2000, 1900), year)
    hour, minute, second = number("hour"), number("minute"), number("second")
    half = pc.utf8_lower(pc.utf8_slice_codeunits(texts("half"), 0, 1))
    is_half = pc.not_equal(half, "").to_numpy(zero_copy_only=False)
    afternoon = pc.equal(half, "p").to_numpy(zero_copy_only=False)
    hour = np.where(is_half, hour % 12 + 12 * afternoon, hour)
    valid = found & (month >= 1) & (month <= 12) & (day >= 1) & (day <= _days_in(year, month))
    valid &= (hour <= 24) & (minute < 60) & (second <= 60) & (year >= 1600) & (year < 2400)
    of_day = (hour * 3600 + minute * 60 + second) * 1_000_000 + _fraction(texts("part"))
    micros = _days_since_1970(year, month, day) * _DAY + of_day - _offset(texts("zone"))
    return Times(np.where(valid, micros, 0), valid)


def _whole_numbers(texts: pa.Array) -> Int64:
    """Digits as numbers; 0 where there are none."""
    empty = pc.equal(texts, "")
    return cast(Int64, pc.if_else(empty, "0", texts).cast(pa.int64()).to_numpy())


def _months(texts: pa.Array) -> Int64:
    """Months, in digits or by their first three letters; 0 for other words."""
    short = pc.utf8_lower(pc.utf8_slice_codeunits(texts, 0, 3))
    place = pc.index_in(short, value_set=pa.array(_MONTHS)).fill_null(-1)
    named = place.to_numpy(zero_copy_only=False) + 1
    is_word = pc.match_substring_regex(texts, "[^0-9]")
    digits = _whole_numbers(pc.if_else(is_word, "0", texts))
    return np.where(named > 0, named, digits).astype(np.int64)


def _fraction(texts: pa.Array) -> Int64:
    """The digits behind the point in microseconds, rounded."""
    padded = pc.utf8_slice_codeunits(pc.utf8_rpad(texts, 9, "0"), 0, 9)
    return (_whole_numbers(padded) + 500) // 1000


def _offset(texts: pa.Array) -> Int64:
    """An offset from UTC such as +01:00 in microseconds."""
    digits = pc.replace_substring_regex(texts, "[^0-9]", "")
    number = _whole_numbers(digits)
    minus = pc.starts_with(texts, "-").to_numpy(zero_copy_only=False)
    seconds = number // 100 * 3600 + number % 100 * 60
    return np.where(minus, -seconds, seconds) * 1_000_000


def _days_since_1970(year: Int64, month: Int64, day: Int64) -> Int64:
    """Days from the first of 1970 in the calendar of today: a year here begins in March."""
    y = year - (month <= 2)
    of_year = (153 * ((month + 9) % 12) + 2) // 5 + day - 1
    return 365 * y + y // 4 - y // 100 + y // 400 + of_year - 719_468


def _days_in(year: Int64, month: Int64) -> Int64:
    length = np.array([0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31], np.int64)
    leap = (year % 4 == 0) & ((year % 100 != 0) | (year % 400 == 0))
    return cast(Int64, length[np.clip(month, 0, 12)] + (leap & (month == 2)))
