"""How urgent runs are beside the other work of this machine: in the explorer, pages come first."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

# A tenth of the share of what is not nice. Where nothing else wants the cores, all of them.
NICENESS = 10


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
