"""Whether the process of a run is still there: by its number, and by when it began."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple


class Process(NamedTuple):
    """A process of this machine. Numbers are given again: `began` tells two of them apart.

    It is in ticks since the machine started, and None where the system does not say.
    """

    number: int
    began: int | None


def process(number: int) -> Process:
    """The process that has this number now."""
    return Process(number, _began(number))


def is_there(known: Process) -> bool:
    """Whether this process has not ended."""
    try:
        os.kill(known.number, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        # It is another user's.
        pass
    return known.began is None or _began(known.number) == known.began


def _began(number: int) -> int | None:
    try:
        told = Path(f"/proc/{number}/stat").read_text()
    except OSError:
        return None
    # Its name, in brackets, may hold anything; the time is the 22nd field of all.
    return int(told.rpartition(")")[2].split()[19])
