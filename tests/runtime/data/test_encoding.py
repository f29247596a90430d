"""Keys are equal where SQL says that the values are."""

from __future__ import annotations

import numpy as np
import pytest

from planner.errors import PlanError
from planner.files.tuple_table import ColumnData, Table
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


def _joined(values: dict[str, list[int] | list[float]]) -> list[int]:
    ts = np.arange(2, dtype=np.int64)
    tables = {name: Table(ts, ts, {"attr": ColumnData(np.array(v))}) for name, v in values.items()}
    found: list[int] = feed(equality_join(TABLE_5[:2]), tables).tuples.key.tolist()
    return found


def test_large_whole_numbers_are_equal_only_to_themselves() -> None:
    assert len(set(_joined({"S1": [2**60, 2**60 + 1], "S2": [2**60 + 2, 2**60]}))) == 3


def test_large_whole_numbers_are_not_joined_with_fractions() -> None:
    with pytest.raises(PlanError, match="holds 1152921504606846977"):
        _joined({"S1": [2**60, 2**60 + 1], "S2": [2.0**60, 0.5]})
    assert len(set(_joined({"S1": [2**53, 1], "S2": [2.0**53, 0.5]}))) == 3
