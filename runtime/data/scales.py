"""Values that are compared by `<` and the like, as doubles in the same order.

Columns that are compared with each other share a scale:

    numbers           stand for themselves, as long as doubles hold them and their sums exactly
    64-bit numbers    are moved together: a gap that is wider than any offset in the predicates
                      becomes just wider than that, which changes no comparison

                          -2^60 .......... 5 6 9 .......... 2^60      and offsets of up to 3
                              0            4 5 8               12

    texts             are their ranks, all of them on one scale

A constant between two neighbours stands between their places. A missing value is NaN.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import ceil, floor

import numpy as np
from numpy.typing import NDArray

from planner.errors import RunError
from planner.files.large_numbers import check_comparable, farthest, present_values
from planner.files.text_codes import different_texts
from planner.files.tuple_table import ColumnData
from planner.workload.query import Column, Filter, Predicate, linked_columns
from planner.workload.streams import Constant

# Differences of numbers up to this, and halves between them, are exact in a double.
MOST_PLAIN = 2**51


@dataclass(frozen=True, slots=True)
class Scale:
    """Where values stand as doubles: for themselves, unless one of these is given.

    The n-th run of whole numbers is from `starts` to `ends`; its first stands at `places`. Offsets
    of up to `reach` are right between runs, any in a single one. `texts` stand at their rank.
    """

    starts: tuple[int, ...] = ()
    ends: tuple[int, ...] = ()
    places: tuple[int, ...] = ()
    reach: float = 0.0
    texts: tuple[str, ...] = ()

    @property
    def is_plain(self) -> bool:
        """Whether numbers stand for themselves, and so can be compared with all others that do."""
        return not self.starts

    def allows(self, offset: float) -> bool:
        """Whether values can be compared with others that are moved by this offset."""
        return len(self.starts) <= 1 or abs(offset) <= self.reach

    def column(self, data: ColumnData) -> NDArray[np.float64]:
        """The values of a column; a missing one is NaN."""
        if data.values.dtype == object:
            rank = {text: float(place) for place, text in enumerate(self.texts)}
            values = np.fromiter(map(rank.__getitem__, data.values), np.float64, len(data.values))
        elif self.is_plain:
            values = data.values.astype(np.float64)
        else:
            whole = data.values.astype(np.int64)
            starts = np.array(self.starts, np.int64)
            run = np.maximum(np.searchsorted(starts, whole, side="right") - 1, 0)
            values = (whole - starts[run] + np.array(self.places)[run]).astype(np.float64)
        return values if data.valid is None else np.where(data.valid, values, np.nan)

    def constant(self, value: Constant) -> float:
        """A constant among them."""
        if isinstance(value, str):
            rank = bisect_left(self.texts, value)
            held = rank < len(self.texts) and self.texts[rank] == value
            return float(rank) if held else rank - 0.5
        if self.is_plain:
            return float(value)
        run = bisect_right(self.starts, value) - 1
        if run < 0:
            return -1.0
        place = min(floor(value), self.ends[run]) - self.starts[run] + self.places[run]
        between = value > self.ends[run] or value != floor(value)
        return place + 0.5 if between else float(place)


class Scales:
    """The scales of columns, some of which are compared with each other."""

    def __init__(self, scales: Mapping[Column, Scale]) -> None:
        self.scales = scales

    @classmethod
    def of(
        cls, columns: Mapping[Column, ColumnData], predicates: Iterable[Predicate], place: str
    ) -> Scales:
        """Those of these columns under these predicates; `place` is for what cannot be compared."""
        comparing = [p for p in predicates if p.left in columns and p.right in columns]
        texts = _texts(columns.values())
        scales: dict[Column, Scale] = {}
        for linked in linked_columns(comparing):
            offsets = [abs(p.offset) for p in comparing if p.left in linked]
            data = {column: columns[column] for column in sorted(linked)}
            check_comparable(data, place)
            scale = _scale(data, max(offsets), texts, place)
            scales |= dict.fromkeys(linked, scale)
        for column, alone in columns.items():
            if column not in scales:
                scales[column] = _scale({column: alone}, 0, texts, place)
        return cls(scales)

    def values(self, columns: Mapping[Column, ColumnData]) -> dict[Column, NDArray[np.float64]]:
        """The columns as doubles."""
        return {column: self.scales[column].column(data) for column, data in columns.items()}

    def constant(self, column: Column, value: Constant) -> float:
        """A constant that is compared with this column."""
        return self.scales[column].constant(value)

    def constants(self, filters: Iterable[Filter]) -> tuple[tuple[float, ...], ...]:
        """The constants of each filter."""
        return tuple(tuple(self.constant(f.column, c) for c in f.constants) for f in filters)


def _texts(columns: Iterable[ColumnData]) -> tuple[str, ...]:
    return tuple(different_texts(c.values for c in columns if c.values.dtype == object))


def _scale(
    columns: Mapping[Column, ColumnData], reach: float, texts: tuple[str, ...], place: str
) -> Scale:
    """The scale of columns that are compared with each other, with offsets of up to `reach`."""
    numbers = [present_values(c) for c in columns.values() if c.values.dtype != object]
    if len(numbers) < len(columns):
        return Scale(texts=texts)
    numbers = [values for values in numbers if len(values)]
    if all(abs(farthest(values)) <= MOST_PLAIN for values in numbers):
        return Scale()
    if any(values.dtype.kind == "f" for values in numbers):
        # Doubles hold the whole numbers that fractions can be compared with.
        return Scale()
    least, most = min(int(v.min()) for v in numbers), max(int(v.max()) for v in numbers)
    if most - least <= MOST_PLAIN:
        return Scale((least,), (most,), (0,), reach)
    return _moved_together(np.unique(np.concatenate(numbers)), reach, columns, place)


def _moved_together(
    values: NDArray[np.generic], reach: float, columns: Iterable[Column], place: str
) -> Scale:
    """The scale of these different numbers: gaps that no offset spans are made narrower."""
    # A difference of 64-bit numbers fits in 64 bits without a sign.
    bits = values.view(np.uint64)
    gaps = bits[1:] - bits[:-1]
    widest = min(ceil(reach) + 1, MOST_PLAIN)
    kept = np.minimum(gaps, np.uint64(widest))
    if float(kept.sum(dtype=np.float64)) > MOST_PLAIN:
        raise RunError(
            f"{', '.join(map(str, columns))}: whole numbers from {int(values[0])} to "
            f"{int(values[-1])} are compared with an offset of {reach:g}, too far for numbers so "
            "far apart; make the offset or the numbers smaller",
            place,
        )
    breaks = np.flatnonzero(gaps > kept)
    first, last = np.append(0, breaks + 1), np.append(breaks, len(values) - 1)
    places = np.concatenate(([0], np.cumsum(kept))).astype(np.int64)
    starts, ends, at = values[first].tolist(), values[last].tolist(), places[first].tolist()
    return Scale(tuple(starts), tuple(ends), tuple(at), reach)
