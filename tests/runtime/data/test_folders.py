"""Where compiled kernels are kept: apart for each state of their files."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from runtime.data.folders import PROJECT, kernels_digest


def test_kernels_are_compiled_anew_when_any_of_their_files_changes(tmp_path: Path) -> None:
    folder = tmp_path / "aggregation" / "kernel"
    folder.mkdir(parents=True)
    (folder / "walk.py").write_text("a = 1")
    (folder / "events.py").write_text("b = 2")
    before = kernels_digest(tmp_path)
    assert kernels_digest(tmp_path) == before
    (folder / "walk.py").write_text("a = 3")
    assert kernels_digest(tmp_path) != before
    (folder / "walk.py").write_text("a = 1")
    assert kernels_digest(tmp_path) == before
    (folder / "walk.py").rename(folder / "walked.py")
    assert kernels_digest(tmp_path) != before


def test_compiled_kernels_stay_in_the_data_folder_or_where_the_user_wants(tmp_path: Path) -> None:
    own = str(tmp_path / "elsewhere")
    expected = tmp_path / "kernels" / kernels_digest(PROJECT / "runtime" / "engines")
    assert _cache({"SLUICE_HOME": str(tmp_path)}) == str(expected)
    assert _cache({"SLUICE_HOME": str(tmp_path), "NUMBA_CACHE_DIR": own}) == own


def _cache(more: dict[str, str]) -> str:
    environment = {name: value for name, value in os.environ.items() if name != "NUMBA_CACHE_DIR"}
    command = "import runtime, os; print(os.environ['NUMBA_CACHE_DIR'])"
    ran = subprocess.run(
        [sys.executable, "-c", command],
        cwd=PROJECT,
        env=environment | more,
        capture_output=True,
        text=True,
        check=True,
    )
    return ran.stdout.strip()
