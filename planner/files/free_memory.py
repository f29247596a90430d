"""How much memory is free, asked for before much of it is taken.

Without this, what does not fit is ended by the system, and takes other programs with it.
"""

from __future__ import annotations

import os
from pathlib import Path

from planner.errors import RunError

_PROC, _GROUP = Path("/proc/meminfo"), Path("/sys/fs/cgroup")
_GB = 2**30
# Some is left for everything else that runs.
_SHARE = 0.8


def free_bytes() -> int:
    """The memory that this process can still take: of the machine, or what its container may."""
    free = _machine_bytes()
    try:
        most = int((_GROUP / "memory.max").read_text())
        taken = int((_GROUP / "memory.current").read_text())
        cached = _inactive_file_bytes((_GROUP / "memory.stat").read_text())
    except (OSError, ValueError):
        # Not in a container, or one without a limit ("max").
        return free
    return max(0, min(free, most - taken + cached))


def _machine_bytes() -> int:
    try:
        lines = _PROC.read_text().splitlines()
    except OSError:
        # Not Linux: all memory there is, of which other programs give some back when asked for it.
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    (available,) = (line for line in lines if line.startswith("MemAvailable:"))
    return int(available.split()[1]) * 1024


def _inactive_file_bytes(statistics: str) -> int:
    """What files take that the system drops when memory is asked for."""
    (line,) = (line for line in statistics.splitlines() if line.startswith("inactive_file "))
    return int(line.split()[1])


def check_memory(needed: float, purpose: str, advice: str, place: str) -> None:
    """A RunError where so many bytes would be most of the memory that is free."""
    free = free_bytes()
    if needed > _SHARE * free:
        raise RunError(
            f"needs about {needed / _GB:,.1f} GB of memory {purpose}, and {free / _GB:,.1f} GB "
            f"are free; {advice}",
            place,
        )
