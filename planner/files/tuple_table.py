"""Tuples as arrays: what is generated, read from files, measured for statistics and run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

# When a relation's row begins that was always there, and ends that stays for ever.
FIRST, LAST = np.iinfo(np.int64).min, np.iinfo(np.int64).max


@dataclass(frozen=True, slots=True)
class ColumnData:
    """The values of one attribute; where `valid` is given, False marks a missing value.

    Integers are int64, other numbers float64, texts an object array of str.
    """

    values: NDArray[np.generic]
    valid: NDArray[np.bool_] | None = None


@dataclass(frozen=True, slots=True)
class Table:
    """The tuples of a stream in arrival order, or the rows of a relation.

    `ts` is in microseconds and empty for a relation; `seq` is a row's position in its file, from 0.
    A relation's row is active from `begin` until `end`.
    """

    seq: NDArray[np.int64]
    ts: NDArray[np.int64]
    columns: Mapping[str, ColumnData] = field(default_factory=dict)
    begin: NDArray[np.int64] | None = None
    end: NDArray[np.int64] | None = None

    def __len__(self) -> int:
        return len(self.seq)
