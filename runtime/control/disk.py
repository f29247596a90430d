"""The disk that a run may take, and what is left of it: looked at while it runs."""

from __future__ import annotations

import shutil
import time
from pathlib import Path

# With less than this, the history could not be written any more.
LEAST_FREE_BYTES = 100 * 2**20
_LOOK_SECONDS = 1.0
_MB = 2**20

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
                "run.duration, do not keep results, or raise the limit"
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
