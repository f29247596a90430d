"""The limit of disk: what counts, and what is said."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from planner.errors import RunError
from runtime.backends import interruption as disk
from runtime.backends.interruption import RESUME, DiskLimit, StopSignal, bytes_in
from runtime.spark.spark_errors import cause


def test_a_folder_that_grows_too_large_ends_its_run(tmp_path: Path) -> None:
    stop = StopSignal(1000, None, DiskLimit(tmp_path, 0.5))
    (tmp_path / "state").write_bytes(bytes(400_000))
    assert not StopSignal(1000, None, DiskLimit(tmp_path, 0.5)).is_set()
    (tmp_path / "more").write_bytes(bytes(200_000))
    assert stop.is_set()
    with pytest.raises(RunError, match=r"0\.6 MB of disk, but is limited to 0\.5 MB; shorten"):
        stop.check()


def test_files_that_are_others_too_do_not_count(tmp_path: Path) -> None:
    (tmp_path / "cache").mkdir()
    own = tmp_path / "run"
    own.mkdir()
    (tmp_path / "cache" / "batch").write_bytes(bytes(1000))
    os.link(tmp_path / "cache" / "batch", own / "batch")
    (own / "deep").mkdir()
    (own / "deep" / "state").write_bytes(bytes(10))
    assert bytes_in(own) == 10


def test_a_disk_that_is_almost_full_ends_a_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert DiskLimit(tmp_path, 1).reached() is None
    monkeypatch.setattr(disk, "LEAST_FREE_BYTES", 2**62)
    assert "MB left; make space, then resume the run" in str(DiskLimit(tmp_path, 1).reached())
    assert DiskLimit(tmp_path / "not yet", 1).reached() is None


def test_a_full_disk_is_told_in_words() -> None:
    report = "Job aborted\nCaused by: java.io.IOException: No space left on device\n at x"
    assert cause(Exception(report)) == "the disk is full; make space, then run the plan again"
    assert cause(Exception(report), RESUME) == "the disk is full; make space, then resume the run"
