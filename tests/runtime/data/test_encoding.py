"""Keys are equal where SQL says that the values are."""

from __future__ import annotations

import numpy as np
import pytest

from planner.errors import RunError
from planner.files.tuple_table import ColumnData, Table
from runtime.data.encoding import Ordered
from runtime.engines.join_feeds import multiway_feed as feed
from tests.planner.workloads import TABLE_5, equality_join


def test_minus_zero_is_zero() -> None:
    ts = np.arange(3, dtype=np.int64)
    tables = {
        name: Table(ts, ts, {"attr": ColumnData(np.array(values))})
        for name, values in {"S1": [0.0, -0.0, 1.5], "S2": [-0.0, 0.0, 1.5]}.items()
    }
    keys = feed(equality_join(TABLE_5[:2]), tables).tuples.key
    assert len(set(keys.tolist())) == 2


def test_whole_numbers_too_large_for_a_double_keep_their_order() -> None:
    large = 2**60
    columns = [ColumnData(np.array([large, large + 1, large + 2], np.int64)) for _ in range(2)]
    ordered = Ordered.of(columns)
    assert np.diff(ordered.column(columns[0])).tolist() == [1, 1]
    assert ordered.constant(large + 1) == ordered.column(columns[1])[1]
    apart = ColumnData(np.array([-(2**60), 2**60], np.int64))
    with pytest.raises(RunError, match="further apart"):
        Ordered.of([apart])
