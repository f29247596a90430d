"""A history whose file is damaged: set aside under another name, so that a new one can begin."""

from __future__ import annotations

import fcntl
import logging
import sqlite3
import time
from contextlib import closing
from pathlib import Path

logger = logging.getLogger(__name__)

_DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
# SQLite's own files beside a database.
_BESIDE = ("", "-journal", "-wal", "-shm")
# Files that were found to be sound by this process, with their inodes: all of a file is read.
_sound: set[tuple[Path, int]] = set()


def is_damage(error: Exception) -> bool:
    """Whether SQLite says that the file itself is damaged, not that it is locked or the like."""
    code = getattr(error, "sqlite_errorcode", 0)
    # The lowest byte is the kind of error, what is above it a detail.
    return (code & 0xFF) in _DAMAGED


def set_aside_if_damaged(file: Path, anew: bool = False) -> Path | None:
    """Rename the file if it is damaged; its name then. It is read once, or `anew`."""
    if not file.is_file() or not file.stat().st_size:
        return None
    known = file, file.stat().st_ino
    if (known in _sound and not anew) or _is_sound(file):
        _sound.add(known)
        return None
    _sound.discard(known)
    with file.with_name(f"{file.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        # Another process may have done it meanwhile.
        if not file.is_file() or _is_sound(file):
            return None
        aside = file.with_name(f"{file.name}.damaged-{time.strftime('%Y%m%d-%H%M%S')}")
        for end in _BESIDE:
            part = file.with_name(file.name + end)
            if part.exists():
                part.rename(aside.with_name(aside.name + end))
    logger.warning("%s is damaged; it is kept as %s, and a new history begins", file, aside.name)
    return aside


def _is_sound(file: Path) -> bool:
    try:
        with closing(sqlite3.connect(file, timeout=30)) as connection:
            found: tuple[str] = connection.execute("PRAGMA quick_check(1)").fetchone()
    except sqlite3.DatabaseError as error:
        return not is_damage(error)
    return found[0] == "ok"
