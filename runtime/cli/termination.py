"""A command that is ended by SIGTERM: it records so and cleans up, as after Ctrl-C."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

# What a shell says of a process that SIGTERM has ended.
TERMINATED = 128 + signal.SIGTERM


@contextmanager
def cleaning_up_when_terminated() -> Iterator[None]:
    """Let SIGTERM raise SystemExit; to be used in the main thread."""
    before = signal.signal(signal.SIGTERM, _terminate)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _terminate(_signal: int, _frame: FrameType | None) -> None:
    # A second one ends the process at once: cleaning up may hang.
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    sys.stderr.write("terminated\n")
    sys.exit(TERMINATED)
