"""A source at a glance: how its rows are spread over time, and over its most frequent keys."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray


def rate_bins(micros: NDArray[np.int64], bins: int) -> list[int]:
    """How many rows come in each of so many equal parts of the time.

    >>> rate_bins(np.array([0, 1, 2, 9]), 2)
    [3, 1]
    """
    counts, _ = np.histogram(micros, bins=bins)
    return [int(count) for count in counts]


def key_counts(column: pa.ChunkedArray, most: int) -> tuple[list[int], int]:
    """The rows of the most frequent values, largest first, and how many values there are.

    >>> key_counts(pa.chunked_array([["a", "b", "a", None]]), 2)
    ([2, 1], 2)
    """
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    counts = np.sort(pc.value_counts(column.drop_null()).field("counts").to_numpy())[::-1]
    return [int(count) for count in counts[:most]], len(counts)
