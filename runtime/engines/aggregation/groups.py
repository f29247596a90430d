"""Groups of an aggregation put together from parts, and read as rows of the answer."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from planner.errors import RunError
from runtime.engines.aggregation.kernel.types import (
    DISTINCT,
    GREATEST,
    LEAST,
    NOTHING,
    PRESENT,
    ROWS,
    SUM,
)
from runtime.engines.kernels.digest import digest_of_rows

# Where the kept columns begin in a row: behind the group and its rows. Each has three of them.
FIRST_KEPT = 2
SUMS, PRESENTS, BESTS = range(3)
_MOST_SUM = float(np.iinfo(np.int64).max)


def put_together(parts: Sequence[np.ndarray], functions: Sequence[int]) -> np.ndarray:
    """The groups that are there, each once: parts of one group are added up."""
    rows = np.concatenate(list(parts))
    order = np.argsort(rows[:, 0], kind="stable")
    rows = rows[order]
    keys, starts = np.unique(rows[:, 0], return_index=True)
    if len(keys) < len(rows):
        whole = np.add.reduceat(rows, starts, axis=0)
        whole[:, 0] = keys
        for place, function in enumerate(functions):
            if function in (LEAST, GREATEST):
                best = FIRST_KEPT + 3 * place + BESTS
                whole[:, best] = _extreme(rows[:, best], starts, function)
        rows = whole
    return rows[rows[:, 1] > 0]


def _extreme(values: NDArray[np.int64], starts: NDArray[np.int64], function: int) -> np.ndarray:
    if function == GREATEST:
        # What is missing is below all there is.
        return np.maximum.reduceat(values, starts)
    far = np.iinfo(np.int64).max
    least = np.minimum.reduceat(np.where(values == NOTHING, far, values), starts)
    return np.where(least == far, NOTHING, least)


def kept(rows: np.ndarray, place: int, field: int) -> NDArray[np.int64]:
    """One of the three numbers that are kept for an aggregate, of every group."""
    return rows[:, FIRST_KEPT + 3 * place + field]


def check_sums(rows: np.ndarray, functions: Sequence[int], most: Sequence[int]) -> None:
    """A RunError where a sum may have gone beyond 64 bits."""
    for place, function in enumerate(functions):
        if function == SUM:
            values = kept(rows, place, PRESENTS).astype(np.float64)
            if (values * float(most[place]) >= _MOST_SUM).any():
                raise RunError(
                    f"a sum over {values.max():,.0f} values, of up to {most[place]:,}, may be "
                    "beyond 64 bits; shorten the windows, or use smaller units",
                    "SUM",
                )


def digest_of_groups(
    rows: np.ndarray, block: np.ndarray, answer: Sequence[Sequence[int]], seed: int
) -> int:
    """The digest of groups as the answer shows them; `block` is when their block began."""
    columns = [block, rows[:, 0]]
    for function, place in answer:
        if function == ROWS:
            columns.append(rows[:, 1])
            continue
        present = kept(rows, place, PRESENTS)
        columns.append(np.minimum(present, 1) if function != PRESENT else present)
        if function in (SUM, DISTINCT):
            columns.append(np.where(present > 0, kept(rows, place, SUMS), 0))
        elif function in (LEAST, GREATEST):
            columns.append(np.where(present > 0, kept(rows, place, BESTS), 0))
    return int(digest_of_rows(np.ascontiguousarray(np.stack(columns, axis=1)), np.uint64(seed)))
