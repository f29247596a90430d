"""What the checks start ends with them."""

from __future__ import annotations

import subprocess
import sys

import pytest

from runtime.data.folders import PROJECT

_PARENT = """
import subprocess, sys, time
command = [sys.executable, "-c", "import time; print('at work', flush=True); time.sleep(3600)"]
subprocess.Popen([sys.executable, "tools/die_with_parent.py", *command])
time.sleep(3600)
"""


def test_a_process_does_not_outlive_one_that_is_killed() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", _PARENT], cwd=PROJECT, stdout=subprocess.PIPE, text=True
    ) as parent:
        assert parent.stdout is not None
        assert parent.stdout.readline() == "at work\n"
        parent.kill()
        # Its end is read when the last process that may write there has ended.
        assert parent.stdout.read() == ""


def test_tests_are_shared_out_by_group(request: pytest.FixtureRequest) -> None:
    """Else every process starts Spark and an app of its own, and the check takes twice as long."""
    if not hasattr(request.config, "workerinput"):
        pytest.skip("one process runs all tests")
    assert request.node.nodeid.endswith("@tests/test_processes.py")
