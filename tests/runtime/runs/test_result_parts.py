"""Rows that workers wrote: a part that is damaged or gone is said, and never left out."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from planner.errors import RunError
from runtime.runs.result_files import check_parts, read_part
from runtime.runs.result_parts import part_name
from runtime.spark.worker import _write_rows
from tests.damage import DAMAGES

ROWS = np.arange(600, dtype=np.int64).reshape(200, 3)


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_a_damaged_part_is_said(damage: Callable[[Path], None], tmp_path: Path) -> None:
    _write_rows(ROWS, tmp_path, 0, 0)
    file = tmp_path / part_name(0, 0)
    assert read_part(file).num_rows == len(ROWS)
    damage(file)
    with pytest.raises(RunError, match="is damaged or gone; run the plan again"):
        read_part(file)


def test_a_part_that_is_gone_is_said(tmp_path: Path) -> None:
    for partition in range(2):
        _write_rows(ROWS[:0], tmp_path, partition, 0)
    check_parts(tmp_path, 1, 2)
    (tmp_path / part_name(0, 1)).unlink()
    with pytest.raises(RunError, match=r"rows-000000-0001\.parquet is damaged"):
        check_parts(tmp_path, 1, 2)
    assert [file.name for file in tmp_path.iterdir()] == [part_name(0, 0)]
