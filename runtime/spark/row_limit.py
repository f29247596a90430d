"""The rows that a run may write, shared by its partitions.

Each partition notes what it has written so far. Before a step it is given an equal part of what all
of them leave of the limit, so that steps that go on at once stay within it together; and no more
than fits into the free memory, of which all partitions may be on this machine.
"""

from __future__ import annotations

from pathlib import Path

from planner.errors import RunError
from planner.files.free_memory import free_bytes
from planner.files.whole_files import write_whole
from runtime.runs.result_parts import MOST_RESULT_ROWS

# What a row of several columns takes while it is kept, with room to grow, and then written.
BYTES_PER_ROW = 200


class RowLimit:
    """What one of several partitions may write into a folder of results."""

    def __init__(self, folder: Path, partition: int, partitions: int) -> None:
        self._folder, self._partitions = folder, partitions
        self._own = folder / f"_written-{partition:04}"

    def room(self) -> int:
        """The most rows of the next step; a RunError where there are none left."""
        written = sum(int(file.read_text()) for file in self._folder.glob("_written-*"))
        left = min(MOST_RESULT_ROWS - written, free_bytes() // BYTES_PER_ROW) // self._partitions
        if left <= 0:
            raise RunError(
                f"{written:,} rows are written (results, or changes of groups) and at most "
                f"{MOST_RESULT_ROWS:,} may be, or the memory is full; shorten run.duration, or "
                "leave it out",
                "--results",
            )
        return left

    def note(self, rows: int) -> None:
        """So many rows are written since the start of the run."""
        write_whole(self._own, str(rows).encode())
