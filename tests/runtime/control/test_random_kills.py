"""Runs that are killed anywhere, again and again: nothing is lost, doubled or left behind.

SLUICE_KILLS says how many kills there are. Each is of the driver, of Java or of a worker; while a
run is set up, while its batches run, or in the middle of a migration; every other one is of a run
that was killed right before. Kills wait for what the run says, and then for some random time.
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
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from runtime.data.folders import PROJECT, home
from runtime.runs.history import History, mark_interrupted
from tests.runtime.breaking_off import TWO_WINDOWS

pytestmark = [pytest.mark.spark, pytest.mark.slow]

KILLS = int(os.environ.get("SLUICE_KILLS", "100"))
# Each part has a data folder of its own, which is looked at in the end.
_PARTS = 5
_HELD_MIGRATIONS = Path(__file__).parent / "held_migrations"
# A worker is there when batches run.
_KINDS = (
    ("set up", "driver"),
    ("set up", "java"),
    ("running", "driver"),
    ("running", "java"),
    ("running", "worker"),
    ("migrating", "driver"),
    ("migrating", "java"),
    ("migrating", "worker"),
)
# A chain that migrates three times while it runs.
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
# After the moment has come, a kill waits up to so long.
_LONGEST_SECONDS = {"set up": 6, "running": 2, "migrating": 0}
_LOOK_SECONDS = 0.05


class _Killing:
    """Runs commands in a data folder, and kills them in the middle."""

    def __init__(self, folder: Path, chance: random.Random) -> None:
        self.folder, self._chance = folder, chance
        self._environment = {
            **os.environ,
            "SLUICE_HELD": str(folder),
            "PYTHONPATH": f"{_HELD_MIGRATIONS}:{os.environ.get('PYTHONPATH', '')}",
        }

    def killed(self, arguments: list[str], moment: str, kind: str) -> str | None:
        """Run a command and kill this part of it at such a moment; None where it ended before."""
        said = self.folder / "said"
        hold, migrating = self.folder / "hold", self.folder / "migrating"
        for file in (hold, migrating):
            file.unlink(missing_ok=True)
        if moment == "migrating":
            hold.touch()
        with said.open("w") as stderr, _started(arguments, stderr, self._environment) as child:
            has_come = {
                "set up": lambda: kind == "driver" or bool(_below(child.pid)),
                "running": lambda: "Running: " in said.read_text(),
                "migrating": migrating.exists,
            }[moment]
            if not _wait(child, has_come):
                return None
            time.sleep(self._chance.uniform(0, _LONGEST_SECONDS[moment]))
            if moment == "set up" and "Running: " in said.read_text():
                moment = "running"
            victim = self._victim(child.pid, kind)
            was_killed = _kill(victim)
            hold.unlink(missing_ok=True)
            return moment if was_killed else None

    def _victim(self, driver: int, kind: str) -> int | None:
        """The driver, Java, which it starts, or a worker: one that migrates, if any does."""
        if kind == "driver":
            return driver
        if kind == "java":
            return next(iter(_below(driver)), None)
        migrating = self.folder / "migrating"
        if migrating.exists():
            return int(migrating.read_text())
        # Java starts a process of Python's, which forks workers.
        workers = [p for p in _below(driver) if "pyspark.daemon" in _command_of(p)]
        return self._chance.choice(workers) if workers else None


@contextmanager
def _started(
    arguments: list[str], stderr: Any, environment: dict[str, str]
) -> Iterator[subprocess.Popen[bytes]]:
    child = subprocess.Popen(
        _command(arguments),
        cwd=PROJECT,
        stdout=subprocess.DEVNULL,
        stderr=stderr,
        start_new_session=True,
        env=environment,
    )
    yield child
    child.wait()
    _wait_for_all(child.pid)


def _kill(victim: int | None) -> bool:
    """Kill a process; False where there is none any more."""
    if victim is None:
        return False
    try:
        os.kill(victim, signal.SIGKILL)
    except ProcessLookupError:
        return False
    return True


def _wait(child: subprocess.Popen[bytes], has_come: Callable[[], bool]) -> bool:
    while child.poll() is None:
        if has_come():
            return True
        time.sleep(_LOOK_SECONDS)
    return False


def _command(arguments: list[str]) -> list[str]:
    return [sys.executable, "-m", "runtime", *arguments, "--json"]


def _below(process: int) -> list[int]:
    """All processes that this one has started, directly or not."""
    found = []
    for task in Path(f"/proc/{process}/task").glob("*/children"):
        try:
            children = [int(child) for child in task.read_text().split()]
        except (FileNotFoundError, ProcessLookupError):
            continue
        for child in children:
            found += [child, *_below(child)]
    return found


def _command_of(process: int) -> str:
    try:
        return Path(f"/proc/{process}/cmdline").read_text().replace("\0", " ")
    except (FileNotFoundError, ProcessLookupError):
        return ""


def _wait_for_all(session: int) -> None:
    """Java and the workers end when they notice that they are alone."""
    deadline = time.monotonic() + 120
    while left := _of_session(session):
        assert time.monotonic() < deadline, f"processes are left behind: {left}"
        time.sleep(_LOOK_SECONDS)


def _of_session(session: int) -> list[str]:
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            state = (process / "stat").read_text().rpartition(")")[2].split()
        except (FileNotFoundError, ProcessLookupError):
            continue
        # One that has ended and that nobody has asked about is a zombie.
        if int(state[3]) == session and state[0] != "Z":
            found.append(_command_of(int(process.name))[:100])
    return found


def _resumable() -> list[str]:
    mark_interrupted(History())
    found = History().summaries()
    return [one.id for one in found if one.status in ("interrupted", "failed")]


def _finished(arguments: list[str]) -> dict[str, Any]:
    """The document of a run that nobody kills."""
    done = subprocess.run(
        _command(arguments), cwd=PROJECT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    document: dict[str, Any] = json.loads(done.stdout)
    assert document["status"] == "finished"
    return document


@pytest.mark.parametrize("part", range(_PARTS))
def test_nothing_is_lost_doubled_or_left_behind(
    part: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SLUICE_HOME", str(tmp_path / "home"))
    file = tmp_path / "w.yaml"
    file.write_text(_CHANGING)
    chance = random.Random(part)
    killing = _Killing(tmp_path, chance)
    results = ["--results", str(tmp_path / "killed")]
    start = ["run", str(file), *_OPTIONS, "--batch-rows", "100", *results]
    command, kills, in_a_row = start, Counter[str](), 0
    todo: list[tuple[str, str]] = []
    while kills.total() < max(1, KILLS // _PARTS):
        todo = todo or chance.sample(_KINDS, len(_KINDS))
        moment, kind = todo[-1]
        was = killing.killed(command, moment, kind)
        if was is not None:
            todo.pop()
            kills[f"{kind} {was}"] += 1
            in_a_row += command != start
        left = _resumable()
        command = ["resume", left[0]] if left else start
    if kills.total() >= 2 * len(_KINDS):
        _check_kinds(kills, in_a_row)
    for run_id in _resumable():
        _finished(["resume", run_id])
    plain = _finished(
        ["run", str(file), *_OPTIONS, "--way", "replay", "--results", str(tmp_path / "plain")]
    )
    runs = History().runs()
    for one in runs:
        assert one.status == "finished"
        assert one.measurement is not None
        assert one.measurement.answers == plain["answers"]
        assert one.measurement.results == plain["results"]
    if len(runs) > 1:
        _check_same_rows(tmp_path / "killed", tmp_path / "plain")
    print(
        f"part {part}: {kills.total()} kills of {len(runs) - 1} runs, {in_a_row} of them of one "
        f"that had been killed before, all the same as undisturbed: {dict(kills)}"
    )
    _check_nothing_is_left()


def _check_kinds(kills: Counter[str], in_a_row: int) -> None:
    """Every process was killed, at every moment, and some runs again right after they resumed."""
    parts, moments = zip(*(name.split(" ", 1) for name in kills), strict=True)
    assert {*parts} == {kind for _, kind in _KINDS}
    assert {*moments} == {moment for moment, _ in _KINDS}
    assert in_a_row >= 2


def _check_same_rows(one: Path, other: Path) -> None:
    for file in other.glob("*.parquet"):
        wanted, found = (pq.read_table(folder / file.name) for folder in (other, one))
        order = [(name, "ascending") for name in wanted.column_names]
        assert found.sort_by(order).equals(wanted.sort_by(order)), file.name


def _check_nothing_is_left() -> None:
    assert not list((home() / "runs").iterdir())
    assert not list(home().rglob("*unfinished*"))
    assert not [folder for folder in (home() / "spark").iterdir() if folder.is_dir()]
