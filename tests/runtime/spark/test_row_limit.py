"""Partitions share the rows that a run may write; none is begun that could pass the limit."""

from __future__ import annotations

from pathlib import Path

import pytest

from planner.errors import RunError
from runtime.spark import row_limit
from runtime.spark.row_limit import BYTES_PER_ROW, RowLimit


def test_partitions_share_what_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(row_limit, "MOST_RESULT_ROWS", 1000)
    first, second = (RowLimit(tmp_path, partition, 2) for partition in range(2))
    assert first.room() == second.room() == 500
    first.note(500)
    # Both steps at once stay within the limit, whichever is noted first.
    assert second.room() == 250
    second.note(250)
    assert first.room() == 125
    first.note(750)
    with pytest.raises(RunError, match="1,000 rows are written"):
        second.room()


def test_memory_bounds_the_rows_of_a_step(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(row_limit, "free_bytes", lambda: 100 * BYTES_PER_ROW)
    assert RowLimit(tmp_path, 0, 4).room() == 25
    monkeypatch.setattr(row_limit, "free_bytes", lambda: 0)
    with pytest.raises(RunError, match="the memory is full"):
        RowLimit(tmp_path, 0, 4).room()
