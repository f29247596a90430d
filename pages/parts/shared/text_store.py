"""What is too long for an address: kept in the data folder, under a short name."""

from __future__ import annotations

import hashlib
import logging
import re
from typing import Literal

from planner.errors import PlanError
from runtime.data.folders import home

logger = logging.getLogger(__name__)

Kind = Literal["workloads", "unfinished"]
# Every change is kept under a name of its own: the oldest go.
MOST_KEPT = 200
_NAME = re.compile(r"[0-9a-f]{16}")


def keep(text: str, kind: Kind) -> str | None:
    """The name under which this text is kept; None where nothing can be written."""
    name = hashlib.blake2s(text.encode(), digest_size=8).hexdigest()
    file = home() / kind / f"{name}.yaml"
    if file.is_file():
        return name
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        beside = file.with_suffix(".unfinished")
        beside.write_text(text)
        beside.replace(file)
        newest = sorted(file.parent.glob("*.yaml"), key=lambda kept: -kept.stat().st_mtime)
        for old in newest[MOST_KEPT:]:
            old.unlink(missing_ok=True)
    except OSError as error:
        logger.warning("a reload will not find what is edited: %s", error)
        return None
    return name


def find(name: str, kind: Kind) -> str:
    """The text that is kept under this name. Anyone may have written it: it is checked."""
    file = home() / kind / f"{name}.yaml"
    if not _NAME.fullmatch(name) or not file.is_file():
        raise PlanError("is not kept here any more; open its file", "the address")
    return file.read_text()
