"""Values as their ranks: equal data have equal ranks, wherever and however often they come."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from planner.tables import ColumnData


@dataclass(frozen=True, slots=True)
class Ranked:
    """The rank of each value of a column among all its values; a missing one comes after them."""

    codes: NDArray[np.int64]
    values: pa.Array

    @property
    def count(self) -> int:
        """How many ranks there may be, that of a missing value included."""
        return len(self.values) + 1


def ranked(data: ColumnData) -> Ranked:
    """A column as ranks."""
    # Adding 0 makes -0.0 the same bits as 0.0, which it equals.
    floats = data.values.dtype.kind == "f"
    values = data.values.astype(np.float64) + 0.0 if floats else data.values
    missing = None if data.valid is None else ~data.valid
    kind = pa.string() if values.dtype == object else None
    encoded = pa.array(values, kind, mask=missing).dictionary_encode()
    held = encoded.dictionary
    order = np.argsort(np.array(held.to_pylist(), object)) if kind else np.argsort(held.to_numpy())
    rank = np.empty(len(order) + 1, np.int64)
    rank[order] = np.arange(len(order))
    rank[-1] = len(order)
    places = encoded.indices.fill_null(len(order)).to_numpy(zero_copy_only=False)
    return Ranked(rank[places], held.take(pa.array(order)))


@dataclass(frozen=True, slots=True)
class Combined:
    """Several columns as one: the place of each row's ranks among all that occur, in order.

    `ranks` has a row for each place, and a column for each of those combined.
    """

    codes: NDArray[np.int32]
    ranks: NDArray[np.int64]

    @property
    def count(self) -> int:
        """How many different rows of ranks there are; one at least."""
        return len(self.ranks)


def combined(columns: Sequence[Ranked], rows: int) -> Combined:
    """The columns of so many rows as one."""
    if not columns:
        return Combined(np.zeros(rows, np.int32), np.zeros((1, 0), np.int64))
    codes, ranks = _places(columns[0].codes, columns[0].codes[:, None])
    for column in columns[1:]:
        both = codes * np.int64(column.count) + column.codes
        codes, firsts = _places(both, np.arange(rows)[:, None])
        ranks = np.concatenate(
            [ranks[(both[firsts[:, 0]] // column.count)], column.codes[firsts]], axis=1
        )
    if not len(ranks):
        ranks = np.zeros((1, len(columns)), np.int64)
    return Combined(codes.astype(np.int32), ranks)


def _places(
    codes: NDArray[np.int64], of_row: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The place of each code among those that occur; and of each place what one of its rows has."""
    encoded = pa.array(codes).dictionary_encode()
    held = encoded.dictionary.to_numpy()
    order = np.argsort(held)
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    places = place[encoded.indices.to_numpy()] if len(codes) else codes
    example = np.zeros(len(order), np.int64)
    example[places] = np.arange(len(codes))
    return places, of_row[example]
