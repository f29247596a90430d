"""Runs that are killed anywhere, again and again: nothing is lost, doubled or left behind.

SLUICE_KILLS says how many kills there are. Each is of the driver, of Java or of a worker, while a
run is set up, goes on or migrates, and often of a run that was killed before.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from runtime.data.folders import PROJECT, home
from runtime.runs.history import History, mark_interrupted
from tests.runtime.breaking_off import TWO_WINDOWS

pytestmark = [pytest.mark.spark, pytest.mark.slow]

_KINDS = ("driver", "java", "worker")
KILLS = int(os.environ.get("SLUICE_KILLS", "100"))
# A chain that migrates twice while it runs.
_CHANGING = (
    TWO_WINDOWS
    + """
run:
  seed: 4
  duration: 40
  changes:
    - {at: 12, add: {name: Q3, text: "SELECT * FROM B [RANGE 5], A [RANGE 5] WHERE A.k = B.k"}}
    - {at: 20, plan: pull-up}
    - {at: 34, plan: mem-opt}
"""
)
_OPTIONS = ("--family", "sliced_chain", "--plan", "mem-opt", "--partitions", "2")
# A run alone on a machine of two cores takes about 15 s.
_LONGEST_SECONDS = 16


def _command(arguments: list[str]) -> list[str]:
    return [sys.executable, "-m", "runtime", *arguments, "--json"]


def _below(process: int) -> list[int]:
    """All processes that this one has started, directly or not."""
    found = []
    for task in Path(f"/proc/{process}/task").glob("*/children"):
        for child in map(int, task.read_text().split()):
            found += [child, *_below(child)]
    return found


def _victim(process: int, kind: str) -> int:
    """The driver, Java (the first that the driver starts), or a worker of Spark."""
    below = _below(process)
    if kind == "driver" or not below:
        return process
    return below[0] if kind == "java" else below[-1]


def _killed(arguments: list[str], kind: str, seconds: float, said: Path) -> str:
    """Run a command, and kill this part of it after so many seconds; what it did then."""
    with said.open("w") as stderr:
        child = subprocess.Popen(
            _command(arguments),
            cwd=PROJECT,
            stdout=subprocess.DEVNULL,
            stderr=stderr,
            start_new_session=True,
        )
    try:
        child.wait(seconds)
        return "had ended"
    except subprocess.TimeoutExpired:
        doing = _doing(said.read_text())
        os.kill(_victim(child.pid, kind), signal.SIGKILL)
        child.wait()
        return doing
    finally:
        _wait_for_all(child.pid)


def _doing(said: str) -> str:
    """The phase of a run by what it has said; Java warns in between."""
    phases = [line.split(":")[0] for line in said.splitlines() if not line.startswith("WARNING")]
    return phases[-1] if phases else "Starting"


def _wait_for_all(session: int) -> None:
    """Java and the workers end when they notice that they are alone."""
    deadline = time.monotonic() + 60
    while left := _of_session(session):
        assert time.monotonic() < deadline, f"processes are left behind: {left}"
        time.sleep(0.1)


def _of_session(session: int) -> list[str]:
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            state = (process / "stat").read_text().rpartition(")")[2].split()
            command = (process / "cmdline").read_text()
        except (FileNotFoundError, ProcessLookupError):
            continue
        # One that has ended and that nobody has asked about is a zombie.
        if int(state[3]) == session and state[0] != "Z":
            found.append(command.replace("\0", " ")[:100])
    return found


def _resumable() -> list[str]:
    mark_interrupted(History())
    found = History().summaries()
    return [one.id for one in found if one.status in ("interrupted", "failed")]


def _finished(arguments: list[str]) -> dict[str, Any]:
    """The document of a run that nobody kills."""
    done = subprocess.run(
        _command(arguments), cwd=PROJECT, capture_output=True, text=True, check=True
    )
    document: dict[str, Any] = json.loads(done.stdout)
    assert document["status"] == "finished"
    return document


def test_nothing_is_lost_doubled_or_left_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SLUICE_HOME", str(tmp_path / "home"))
    file = tmp_path / "w.yaml"
    file.write_text(_CHANGING)
    chance = random.Random(7)
    start = ["run", str(file), *_OPTIONS, "--batch-rows", "40"]
    command, kills = start, Counter[tuple[str, str]]()
    while kills.total() < KILLS:
        kind, seconds = chance.choice(_KINDS), chance.uniform(1, _LONGEST_SECONDS)
        doing = _killed(command, kind, seconds, tmp_path / "said")
        if doing != "had ended":
            kills[kind, doing] += 1
        left = _resumable()
        command = ["resume", left[0]] if left else start
    for run_id in _resumable():
        _finished(["resume", run_id])
    plain = _finished(["run", str(file), *_OPTIONS, "--way", "replay"])
    runs = History().runs()
    for one in runs:
        assert one.status == "finished"
        assert one.measurement is not None
        assert one.measurement.answers == plain["answers"]
        assert one.measurement.results == plain["results"]
    print(f"{kills.total()} kills of {len(runs) - 1} runs, all the same as undisturbed: {kills}")
    _check_nothing_is_left()


def _check_nothing_is_left() -> None:
    assert not list((home() / "runs").iterdir())
    assert not list(home().rglob("*unfinished*"))
    assert not [folder for folder in (home() / "spark").iterdir() if folder.is_dir()]
