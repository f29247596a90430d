"""Arrow columns as the arrays everything else uses: microseconds, keys, missing values."""

from __future__ import annotations

from typing import cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from planner.errors import PlanError
from planner.files.text_codes import is_text, shared_texts
from planner.files.tuple_table import FIRST, LAST, ColumnData
from planner.workload.validation import MAX_SECONDS, exact

# How many units of a number make a second, where the number is far too large for seconds.
_GUESSES = (
    (1e17, "nanoseconds", "1e9"),
    (1e14, "microseconds", "1e6"),
    (0.0, "milliseconds", "1000"),
)


def arrival_times(column: pa.ChunkedArray, place: str) -> NDArray[np.int64]:
    """The `ts` of a stream in microseconds since 1970-01-01 UTC; before 1970 they are negative."""
    if column.null_count:
        row = int(np.argmax(pc.is_null(column).to_numpy())) + 1
        raise PlanError(f"ts is missing in row {row}; every tuple needs a time", place)
    seconds, micros = _times(column, "ts", place)
    bad = ~np.isfinite(seconds)
    if bad.any():
        row = int(np.argmax(bad))
        raise PlanError(f"ts is {seconds[row]} in row {row + 1}; every tuple needs a time", place)
    far = np.abs(seconds) > MAX_SECONDS
    if far.any():
        row = int(np.argmax(far))
        raise PlanError(
            f"ts is {exact(seconds[row])} in row {row + 1}: {_advice(column, seconds[row])}", place
        )
    return micros


def _advice(column: pa.ChunkedArray, seconds: float) -> str:
    if pa.types.is_temporal(column.type):
        return "it must be between the years 1653 and 2286"
    unit, divisor = next((unit, by) for least, unit, by in _GUESSES if abs(seconds) >= least)
    return f"it must be in seconds but looks like {unit}; divide it by {divisor}"


def validity_times(
    column: pa.ChunkedArray, missing: int, name: str, place: str
) -> NDArray[np.int64]:
    """The `begin` or `end` of a relation's rows in microseconds; `missing` where it is empty."""
    if pa.types.is_null(column.type):
        return np.full(len(column), missing, np.int64)
    seconds, micros = _times(column, name, place)
    micros = np.where(seconds >= LAST / 1e6, LAST, np.where(seconds <= FIRST / 1e6, FIRST, micros))
    present = pc.is_valid(column).to_numpy() & ~np.isnan(seconds)
    return np.where(present, micros, missing)


def _times(
    column: pa.ChunkedArray, name: str, place: str
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """The column in seconds, and in microseconds rounded; nulls come out as NaN and any number."""
    kind = column.type
    if pa.types.is_timestamp(kind) or pa.types.is_date(kind):
        if pa.types.is_date(kind) or kind.unit in ("s", "ms"):
            column = _in_microseconds(column, name, place)
        per_micro = 1000 if pa.types.is_timestamp(column.type) and column.type.unit == "ns" else 1
        ticks = column.cast(pa.int64()).fill_null(0).to_numpy()
        # Half up, alike before and after 1970, and without a sum that could overflow.
        micros = ticks // per_micro + (2 * (ticks % per_micro) >= per_micro) * (per_micro > 1)
        return micros / 1e6, micros
    if pa.types.is_null(kind):
        return np.full(len(column), np.nan), np.zeros(len(column), np.int64)
    if not (pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)):
        raise PlanError(
            f"{name} is {kind}; it must be a number of seconds or a timestamp like "
            "2026-01-31T12:00:00Z, in every row",
            place,
        )
    # Unsafe only beyond 2**53, where the number is no time in seconds whatever its last digits.
    seconds = column.cast(pa.float64(), safe=False).to_numpy()
    within_range = np.clip(np.nan_to_num(seconds), -9e12, 9e12)
    return seconds, np.rint(within_range * 1e6).astype(np.int64)


def _in_microseconds(column: pa.ChunkedArray, name: str, place: str) -> pa.ChunkedArray:
    try:
        return column.cast(pa.timestamp("us"))
    except pa.ArrowInvalid as error:
        raise PlanError(f"{name} is after the year 290000; correct it", place) from error


def attribute_values(column: pa.ChunkedArray, name: str, place: str) -> ColumnData:
    """The values of an attribute; what is null or NaN is marked as missing."""
    kind = column.type
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
        if not is_text(kind):
            column = column.cast(kind)
    valid = pc.is_valid(column).to_numpy() if column.null_count else None
    if pa.types.is_null(kind):
        return ColumnData(np.zeros(len(column), np.int64), np.zeros(len(column), np.bool_))
    if is_text(kind):
        return ColumnData(shared_texts(column), valid)
    if pa.types.is_integer(kind) or pa.types.is_boolean(kind):
        return ColumnData(_whole(column, name, place), valid)
    if pa.types.is_timestamp(kind) or pa.types.is_date(kind):
        return ColumnData(_times(column, name, place)[1], valid)
    if pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        return _numbers(column)
    raise PlanError(f"{name} is {kind}; an attribute must be numbers or text", place)


def _whole(column: pa.ChunkedArray, name: str, place: str) -> NDArray[np.int64]:
    try:
        return cast(NDArray[np.int64], column.cast(pa.int64()).fill_null(0).to_numpy())
    except pa.ArrowInvalid as error:
        raise PlanError(f"{name} has a number beyond 64 bits; make it text", place) from error


def _numbers(column: pa.ChunkedArray) -> ColumnData:
    numbers = column.cast(pa.float64()).to_numpy()
    missing = np.isnan(numbers)
    if not missing.any():
        return ColumnData(numbers)
    return ColumnData(np.where(missing, 0.0, numbers), ~missing)
