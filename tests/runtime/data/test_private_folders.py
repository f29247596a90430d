"""Data are private, and what is executed comes from folders that only we can write to."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from planner.errors import RunError
from runtime.data.private_folders import check_trusted, make_private
from runtime.spark import cluster


def rights(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_folder_is_made_private_and_an_open_one_is_closed(tmp_path: Path) -> None:
    assert rights(make_private(tmp_path / "new")) == 0o700
    (tmp_path / "open").mkdir()
    (tmp_path / "open").chmod(0o777)
    assert rights(make_private(tmp_path / "open")) == 0o700


def test_what_only_we_can_write_to_is_trusted(tmp_path: Path) -> None:
    check_trusted(make_private(tmp_path / "own") / "not there yet")


@pytest.mark.parametrize("inside", ["", "below", "below/further"])
def test_what_others_can_write_to_is_refused_in_one_line(inside: str, tmp_path: Path) -> None:
    shared = tmp_path / "shared"
    (shared / inside).mkdir(parents=True)
    shared.chmod(0o777)
    with pytest.raises(RunError, match="every user can write to") as refused:
        check_trusted(shared / inside)
    assert "\n" not in str(refused.value)


def test_under_a_sticky_folder_ours_is_trusted_but_not_the_folder_itself(tmp_path: Path) -> None:
    sticky = tmp_path / "tmp"
    (sticky / "ours").mkdir(parents=True)
    sticky.chmod(0o1777)
    check_trusted(sticky / "ours")
    with pytest.raises(RunError):
        check_trusted(sticky)


def test_shipped_modules_that_were_changed_are_copied_again(tmp_path: Path) -> None:
    cluster.ship_modules.cache_clear()
    place = cluster.ship_modules(tmp_path)
    changed, added = place / "planner" / "errors.py", place / "runtime" / "extra.py"
    was = changed.read_text()
    changed.write_text("evil = True\n")
    added.write_text("evil = True\n")
    cluster.ship_modules.cache_clear()
    assert cluster.ship_modules(tmp_path) == place
    assert changed.read_text() == was
    assert not added.exists()
