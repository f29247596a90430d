"""What runs start gives way to the pages; the threads of the pages' own process do not."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator

import pytest

from runtime.runs import processes as priority

# Tells the niceness of a thread that lived before it was asked, and of a process begun afterwards.
_TELL = """
import os, subprocess, sys, threading
own = "import os; print(os.getpriority(os.PRIO_PROCESS, 0), flush=True)"
asked = threading.Event()
thread = threading.Thread(target=lambda: (asked.wait(), exec(own)))
thread.start()
print("up", flush=True)
sys.stdin.readline()
asked.set()
thread.join()
subprocess.run([sys.executable, "-c", own])
"""


@pytest.fixture(autouse=True)
def manners(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(priority, "_manners", priority._Manners())


@pytest.fixture
def process() -> Iterator[subprocess.Popen[str]]:
    with subprocess.Popen(
        [sys.executable, "-c", _TELL], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "up\n"
        yield child


def _told(process: subprocess.Popen[str]) -> list[int]:
    said, _ = process.communicate("go\n")
    return [int(line) for line in said.split()]


def _own() -> int:
    return os.getpriority(os.PRIO_PROCESS, 0)


def test_what_a_command_starts_is_as_urgent_as_the_command(process: subprocess.Popen[str]) -> None:
    priority.started(process.pid)
    assert _told(process) == [_own()] * 2


def test_what_the_explorer_starts_gives_way_with_all_its_threads_and_children(
    process: subprocess.Popen[str],
) -> None:
    before = _own()
    priority.give_way()
    priority.started(process.pid)
    assert _told(process) == [max(before, priority.NICENESS)] * 2
    assert _own() == before


def test_a_process_that_has_ended_needs_nothing() -> None:
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    priority.give_way()
    priority.started(ended.pid)
