"""Notes that the tasks of a replay leave on disk, a batch at a time: one job tells nothing else.

On a cluster whose workers do not see the run's folder there are none, and none are needed.
"""

from __future__ import annotations

import os
from pathlib import Path


def leave_note(folder: str, partition: int, batch: int, totals: bytes) -> None:
    """Say what a partition has counted when it has done this batch."""
    place = Path(folder)
    if not place.is_dir():
        return
    beside = place / f"{partition}.{os.getpid()}.unfinished"
    beside.write_bytes(totals)
    beside.replace(place / f"{batch:06}-{partition:04}.totals")


def newest_notes(folder: Path, partitions: int) -> tuple[int, list[bytes]] | None:
    """The last batch that all partitions have done, with their totals. What is older is dropped."""
    by_batch: dict[int, list[Path]] = {}
    for file in sorted(folder.glob("*.totals")):
        by_batch.setdefault(int(file.name[:6]), []).append(file)
    whole = [batch for batch, files in by_batch.items() if len(files) == partitions]
    if not whole:
        return None
    last = max(whole)
    totals = [file.read_bytes() for file in by_batch[last]]
    for batch in (batch for batch in by_batch if batch < last):
        for file in by_batch[batch]:
            file.unlink(missing_ok=True)
    return last, totals
