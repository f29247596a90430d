"""Workers leave off when their run is not wanted any more, whatever they are at."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from planner.errors import RunError
from runtime.data.folders import PROJECT
from runtime.spark.worker import GoingOn, only_while

AT_WORK = """
import sys, time
from runtime.spark.worker import only_while
with only_while(sys.argv[1]):
    print("at work", flush=True)
    time.sleep(3600)
"""


def test_a_worker_that_is_at_work_ends_with_its_run(tmp_path: Path) -> None:
    going_on = GoingOn(tmp_path)
    going_on.begin()
    command = [sys.executable, "-c", AT_WORK, str(going_on.file)]
    with subprocess.Popen(command, cwd=PROJECT, stdout=subprocess.PIPE, text=True) as worker:
        assert worker.stdout is not None
        assert worker.stdout.readline() == "at work\n"
        going_on.end()
        assert worker.wait() == 1


def test_a_worker_that_is_done_is_left_alone_and_one_that_comes_late_does_nothing(
    tmp_path: Path,
) -> None:
    going_on = GoingOn(tmp_path)
    going_on.begin()
    with only_while(str(going_on.file)):
        pass
    going_on.end()
    going_on.end()
    with pytest.raises(RunError, match="has ended"), only_while(str(going_on.file)):
        pytest.fail("began")
