"""The processes of runs: whether one is still there, and how urgent it is beside other work.

In the explorer, pages come first.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

# A tenth of the share of what is not nice. Where nothing else wants the cores, all of them.
NICENESS = 10


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


@dataclass
class _Manners:
    """Whether the processes of runs give way to the rest."""

    give_way: bool = False


_manners = _Manners()


def give_way() -> None:
    """Let the processes that runs start from now on give way to the rest."""
    _manners.give_way = True


def started(process_id: int) -> None:
    """A run has started this process: it gives way where it is to, with all that it will start.

    The threads of this process stay as they are: one that waits for its turn with Python's lock in
    hand would keep the pages waiting.
    """
    if not _manners.give_way:
        return
    # Linux keeps niceness by thread and hands it on: threads are made while others are seen to.
    while late := [thread for thread in _threads(process_id) if _is_urgent(thread)]:
        for thread in late:
            _make_nice(thread)


def _threads(process_id: int) -> list[int]:
    tasks = Path(f"/proc/{process_id}/task")
    return [int(task.name) for task in tasks.iterdir()] if tasks.exists() else [process_id]


def _is_urgent(thread: int) -> bool:
    try:
        return os.getpriority(os.PRIO_PROCESS, thread) < NICENESS
    except ProcessLookupError:  # It has ended meanwhile.
        return False


def _make_nice(thread: int) -> None:
    try:
        os.setpriority(os.PRIO_PROCESS, thread, NICENESS)
    except ProcessLookupError:  # It has ended meanwhile.
        return
