"""What is executed comes from folders that only this user (or root) can write to."""

from __future__ import annotations

import grp
import os
import pwd
import stat
from pathlib import Path

from planner.errors import RunError

PRIVATE = 0o700


def make_private(folder: Path) -> Path:
    """Make a folder that nobody else can enter, and close one that is ours to others."""
    folder.mkdir(mode=PRIVATE, parents=True, exist_ok=True)
    held = folder.stat()
    if held.st_uid == os.getuid() and stat.S_IMODE(held.st_mode) & 0o077:
        folder.chmod(PRIVATE)
    return folder


def check_trusted(place: Path) -> None:
    """A RunError where somebody else could have put something executable there.

    Folders above it count too: who can write to one of them can put another in its place. A folder
    that does not exist yet is made in the first of them that does.
    """
    resolved = place.resolve()
    for path in (resolved, *resolved.parents):
        if path.exists() and (who := _others(path, inner=path == resolved)):
            raise RunError(
                f"{who} can write to {path}, and what is executed is kept there; take that right "
                "away (chmod go-w), or keep it elsewhere (SLUICE_HOME)",
                str(place),
            )


def _others(path: Path, inner: bool) -> str:
    """Who beside this user and root can change what a path holds; nothing where nobody can."""
    held = path.stat()
    if held.st_uid not in (0, os.getuid()):
        return "another user"
    # In a folder such as /tmp nobody can move away what belongs to others.
    if held.st_mode & stat.S_ISVTX and not inner:
        return ""
    if held.st_mode & stat.S_IWOTH:
        return "every user"
    if held.st_mode & stat.S_IWGRP and not _is_own_group(held.st_gid):
        return "a group of users"
    return ""


def _is_own_group(number: int) -> bool:
    """Whether it is root's group or the one that many systems give to each user alone."""
    try:
        group, user = grp.getgrgid(number), pwd.getpwuid(os.getuid())
    except KeyError:
        return False
    return number == 0 or (group.gr_name == user.pw_name and set(group.gr_mem) <= {user.pw_name})
