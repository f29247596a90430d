"""Java's temporary files: in a folder of its own, which goes with its process."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from runtime.data.folders import PROJECT, drop_abandoned, held_folder
from runtime.spark.java_scratch import JavaScratch

# It says where its folder is, and is killed in it or ends.
_PROCESS = """
import os, signal, sys
from pathlib import Path
from runtime.spark.java_scratch import JavaScratch
folder = JavaScratch().begin(Path(sys.argv[1]))
(folder / "blocks").mkdir()
print(folder, flush=True)
if sys.argv[2] == "killed":
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.parametrize("end", ["killed", "ended"])
def test_the_folder_of_a_process_that_is_gone_goes(end: str, tmp_path: Path) -> None:
    command = [sys.executable, "-c", _PROCESS, str(tmp_path), end]
    done = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, check=False)
    left = Path(done.stdout.strip())
    assert left.parent == tmp_path
    assert left.exists() == (end == "killed")
    own = JavaScratch().begin(tmp_path)
    assert list(tmp_path.iterdir()) == [own]


def test_the_next_java_has_another_folder(tmp_path: Path) -> None:
    scratch = JavaScratch()
    first = scratch.begin(tmp_path)
    assert first.is_dir()
    second = scratch.begin(tmp_path)
    assert list(tmp_path.iterdir()) == [second] != [first]


def test_a_folder_that_is_worked_in_is_kept(tmp_path: Path) -> None:
    with held_folder(tmp_path, "made-") as folder:
        drop_abandoned(tmp_path, "made-")
        assert folder.is_dir()
    assert not folder.exists()


@pytest.mark.spark
def test_java_puts_all_temporary_files_there(spark: SparkSession) -> None:
    local = spark.sparkContext.getConf().get("spark.local.dir")
    assert local is not None
    assert Path(local).name.startswith("java-")
    assert spark._jvm is not None
    assert spark._jvm.System.getProperty("java.io.tmpdir") == local
