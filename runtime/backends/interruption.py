"""When a run stops early: its user cancels it, or it reaches its limit of seconds or disk.

Work that cannot be stopped from outside is waited for only as long as its run is wanted.
"""

from __future__ import annotations

import shutil
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import TypeVar

from planner.errors import RunError

T = TypeVar("T")

# With less than this, the history could not be written any more.
LEAST_FREE_BYTES = 100 * 2**20
_LOOK_SECONDS = 1.0
_MB = 2**20
_POLL_SECONDS = 0.1
_left_behind: list[threading.Thread] = []

# What to do when there is room again.
RESUME, RUN_AGAIN = "resume the run", "run the plan again"


def full(then: str) -> str:
    """What is said of a full disk."""
    return f"the disk is full; make space, then {then}"


class DiskLimit:
    """Says when the folder of a run has grown too large, or its disk is almost full."""

    def __init__(self, folder: Path, most_mb: float, then: str = RESUME) -> None:
        self._folder, self._most_mb, self._then = folder, most_mb, then
        self._looked = -_LOOK_SECONDS
        self._found: str | None = None

    def reached(self) -> str | None:
        """What is wrong, and what to do; None while all is well. It looks once a second at most."""
        now = time.monotonic()
        if self._found is None and now - self._looked >= _LOOK_SECONDS:
            self._looked = now
            self._found = self._look()
        return self._found

    def _look(self) -> str | None:
        if not self._folder.is_dir():
            return None
        free = shutil.disk_usage(self._folder).free
        if free < LEAST_FREE_BYTES:
            return f"the disk has {free / _MB:,.0f} MB left; make space, then {self._then}"
        taken = bytes_in(self._folder) / _MB
        if taken > self._most_mb:
            return (
                f"takes {taken:,.1f} MB of disk, but is limited to {self._most_mb:g} MB; shorten "
                "run.duration, keep no results, or raise the limit"
            )
        return None


def bytes_in(folder: Path) -> int:
    """What the files in a folder take. A file with several names is another's, too: not counted."""
    total = 0
    for file in folder.rglob("*"):
        try:
            found = file.stat()
        except FileNotFoundError:
            # Spark replaces files all the time.
            continue
        if file.is_file() and found.st_nlink == 1:
            total += found.st_size
    return total


class RunCancelledError(Exception):
    """The user cancelled the run."""


class LimitReachedError(RunError):
    """The run took more than it may. What it has measured so far is kept."""


class StopSignal:
    """Asked often by whatever runs: is it to stop, and why?"""

    def __init__(
        self,
        most_seconds: float,
        cancel: threading.Event | None = None,
        disk: DiskLimit | None = None,
    ) -> None:
        self._cancel = cancel or threading.Event()
        self._disk = disk
        self._most_seconds = most_seconds
        self._deadline = time.monotonic() + most_seconds

    def is_set(self) -> bool:
        """Whether the run is to stop."""
        late = time.monotonic() > self._deadline
        return self._cancel.is_set() or late or self._too_large() is not None

    def _too_large(self) -> str | None:
        return None if self._disk is None else self._disk.reached()

    def wait(self, seconds: float) -> None:
        """Wait so long, or until the user cancels."""
        self._cancel.wait(seconds)

    def check(self) -> None:
        """Raise what ends the run, if it is to stop."""
        if self._cancel.is_set():
            raise RunCancelledError
        if time.monotonic() > self._deadline:
            raise LimitReachedError(
                f"reached the limit of {self._most_seconds:g} s; shorten run.duration, choose a "
                "cheaper plan, or raise the limit",
                "run",
            )
        if (reason := self._too_large()) is not None:
            raise LimitReachedError(reason, "run")


def unless_stopped(work: Callable[[], T], stop: StopSignal) -> T:
    """What the work gives. If the run is to stop before, that is raised at once.

    Starting Spark, compiling a kernel or sorting tuples cannot be broken off: it then goes on by
    itself to its end.
    """
    stop.check()
    outcome: Future[T] = Future()

    def carry_out() -> None:
        try:
            outcome.set_result(work())
        except BaseException as error:
            # Raised in the thread that waits, if it still does.
            outcome.set_exception(error)

    thread = threading.Thread(target=carry_out, daemon=True)
    thread.start()
    try:
        while not outcome.done():
            stop.check()
            thread.join(_POLL_SECONDS)
    except BaseException:
        _left_behind.append(thread)
        raise
    return outcome.result()


def until_nothing_is_left(stop: StopSignal) -> None:
    """Wait for what stopped runs have left behind: it would slow down what is timed."""
    while _left_behind:
        _left_behind[0].join(_POLL_SECONDS)
        stop.check()
        if not _left_behind[0].is_alive():
            del _left_behind[0]
