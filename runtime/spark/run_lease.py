"""Whether a run goes on, as a file that its workers watch: a kernel at work hears nothing else.

Spark ends the worker of a task that is cancelled up to 2 seconds later, and a kernel may go on for
longer than that.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from planner.errors import RunError

_LOOK_SECONDS = 0.2


class GoingOn:
    """The file, which is there for as long as the run is wanted."""

    def __init__(self, folder: Path) -> None:
        self.file = folder / "going-on"

    def begin(self) -> None:
        """To be called before there are workers."""
        self.file.touch()

    def end(self) -> None:
        """Tell workers to leave off; again, if need be."""
        self.file.unlink(missing_ok=True)


@contextmanager
def only_while(file: str) -> Iterator[None]:
    """End this process, a worker of Spark, if the file goes before what is done within is done."""
    if _is_gone(file):
        raise RunError("has ended, or this worker does not see its folder", "run")
    done = threading.Event()
    watching = threading.Thread(target=_watch, args=(file, done), daemon=True)
    watching.start()
    try:
        yield
    finally:
        done.set()


def _watch(file: str, done: threading.Event) -> None:
    while not done.wait(_LOOK_SECONDS):
        if _is_gone(file) and not done.is_set():
            # Not by an exception: the thread that is in a kernel would not hear of it.
            os._exit(1)


def _is_gone(file: str) -> bool:
    # Any other error says nothing: a shared folder may be out of reach for a moment.
    try:
        Path(file).stat()
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return False
