"""When a run is to stop early: its user cancels it, or it reaches its limit of seconds or disk."""

from __future__ import annotations

import threading
import time

from planner.errors import RunError
from runtime.control.disk import DiskLimit


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
