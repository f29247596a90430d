"""Whole numbers that a double cannot hold, and what they can be compared with.

64-bit whole numbers are compared exactly with one another. A column of fractions is made of
doubles, which hold whole numbers up to 2^53 only: beyond that the two would be equal where they are
not, so they are not compared at all.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from planner.errors import PlanError
from planner.files.tuple_table import ColumnData
from planner.workload.query import Column

# A double holds every whole number up to this.
MOST_EXACT = 2**53


def present_values(column: ColumnData) -> NDArray[np.generic]:
    """The values of a column that are not missing."""
    return column.values if column.valid is None else column.values[column.valid]


def farthest(values: NDArray[np.generic]) -> int:
    """The whole number that is farthest from 0; 0 where there is none."""
    if values.dtype.kind != "i" or not len(values):
        return 0
    return max(int(values.min()), int(values.max()), key=abs)


def check_comparable(columns: Mapping[Column, ColumnData], place: str) -> None:
    """A PlanError where columns that are compared hold fractions here, and there whole numbers
    that a fraction cannot be compared with."""
    values = {column: present_values(data) for column, data in columns.items()}
    fractions = next((c for c, v in values.items() if v.dtype.kind == "f" and len(v)), None)
    if fractions is None:
        return
    for column, own in values.items():
        if abs(farthest(own)) > MOST_EXACT:
            raise PlanError(too_large(column, farthest(own), fractions), place)


def too_large(column: Column, number: int, fractions: Column) -> str:
    """Why a column that holds this number cannot be compared with one of fractions."""
    return (
        f"{column} holds {number}, which cannot be compared exactly with the fractions of "
        f"{fractions}: beyond 2^53 they skip whole numbers; make {fractions} whole numbers too, "
        f"or {column} smaller"
    )
