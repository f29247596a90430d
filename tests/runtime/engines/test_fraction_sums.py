"""SUM and AVG of fractions of any size, the smallest and the largest doubles included."""

from __future__ import annotations

import math

import numpy as np
import pytest

from planner.files.tuple_table import ColumnData
from planner.workload.query import Column
from runtime.engines.early_aggregation.amounts import _summed, mean_column, sum_column

LARGEST = math.ldexp(1.0, 1023)


@pytest.mark.parametrize(
    ("values", "total", "mean"),
    [
        ([5e-324], 5e-324, 5e-324),
        ([5e-324, 5e-324, 1e-323], 2e-323, 5e-324),
        ([LARGEST], LARGEST, LARGEST),
        ([LARGEST, LARGEST, LARGEST], math.inf, LARGEST),
        ([LARGEST, -LARGEST, LARGEST / 2], LARGEST / 2, LARGEST / 6),
        ([1.5, 0.25, -3.0], -1.25, -1.25 / 3),
        ([0.0, -0.0], 0.0, 0.0),
    ],
)
@pytest.mark.parametrize("most_rows", [1, 1000, 2.0**42])
def test_sums_and_means(values: list[float], total: float, mean: float, most_rows: float) -> None:
    most_rows = max(most_rows, len(values))
    data = ColumnData(np.array(values))
    kept, codes = _summed(data, Column("A", "x"), 0, "float", most_rows)
    sums, present, missing = (
        np.array([codes.sum()]), np.array([len(values)]), np.array([False]),
    )  # fmt: skip
    assert sum_column(kept, sums, missing).to_pylist() == [total]
    assert mean_column(kept, sums, present, missing).to_pylist() == [pytest.approx(mean, rel=1e-5)]
