"""Processor seconds of what a benchmark has started: other load hardly changes them."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

_TICKS = os.sysconf("SC_CLK_TCK")


def spent(process_id: int) -> float:
    """What a process has spent so far, without what it has started."""
    user, system = _fields(process_id)[11:13]
    return (int(user) + int(system)) / _TICKS


def spent_by(name: str, below: int) -> float:
    """What the processes of this name have spent that come from that one, and are there."""
    seconds = 0.0
    for found in _started_by(below):
        with suppress(OSError):  # It has ended meanwhile.
            if name in Path(f"/proc/{found}/comm").read_text():
                seconds += spent(found)
    return seconds


def _started_by(process_id: int) -> list[int]:
    """The processes that come from this one."""
    parents: dict[int, list[int]] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # It has ended meanwhile.
            parents.setdefault(int(_fields(int(folder.name))[1]), []).append(int(folder.name))
    below = list(parents.get(process_id, []))
    for found in below:
        below += parents.get(found, [])
    return below


def _fields(process_id: int) -> list[str]:
    """What /proc tells of a process, after its name: that may have blanks and brackets."""
    return Path(f"/proc/{process_id}/stat").read_text().rpartition(")")[2].split()
