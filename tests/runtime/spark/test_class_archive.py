"""Java's classes kept in one file: used where it is there, and made by running a workload."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from runtime.data.folders import PROJECT
from runtime.spark import session


def test_the_classes_are_used_where_they_are_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive = tmp_path / "a folder" / "classes.jsa"
    monkeypatch.setattr(session, "CLASSES", archive)
    assert session._shared_classes("") == []
    archive.parent.mkdir()
    archive.touch()
    assert f'"-XX:SharedArchiveFile={archive}"' in session._shared_classes("")
    # While they are collected an older file must not be read.
    assert session._shared_classes("-XX:ArchiveClassesAtExit=other.jsa") == []


@pytest.mark.slow
@pytest.mark.spark
def test_classes_are_collected_by_a_run(tmp_path: Path) -> None:
    archive = tmp_path / "classes.jsa"
    script = (
        "import sys; from pathlib import Path; from runtime.control.class_archive import make; "
        "make(Path(sys.argv[1]))"
    )
    subprocess.run(
        [sys.executable, "-c", script, str(archive)],
        cwd=PROJECT,
        env={**os.environ, "SLUICE_HOME": str(tmp_path / "home")},
        check=True,
    )
    assert archive.stat().st_size > 10_000_000
    assert not list(tmp_path.glob("tmp*"))
