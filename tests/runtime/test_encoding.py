"""Keys are equal where SQL says that the values are."""

from __future__ import annotations

import numpy as np

from planner.tables import ColumnData, Table
from runtime.feed import feed
from tests.planner.workloads import TABLE_5, equality_join


def test_minus_zero_is_zero() -> None:
    ts = np.arange(3, dtype=np.int64)
    tables = {
        name: Table(ts, ts, {"attr": ColumnData(np.array(values))})
        for name, values in {"S1": [0.0, -0.0, 1.5], "S2": [-0.0, 0.0, 1.5]}.items()
    }
    keys = feed(equality_join(TABLE_5[:2]), tables).tuples.key
    assert len(set(keys.tolist())) == 2
