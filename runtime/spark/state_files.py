"""The state of every partition after each micro-batch, in files beside the stream's checkpoint.

A step reads the state after the batch before, and writes its own under a name of its own: a batch
that is run again begins where it began the first time, and replaces what it wrote. Two states are
kept, because Spark may run the batch again that it has not committed. A state has a seal, so that
a damaged one is found when it is read; like Spark's own, it is not synced.
"""

from __future__ import annotations

from pathlib import Path

from planner.errors import RunError
from planner.files.whole_files import write_whole


class StateFiles:
    """The states of a run, in a folder of its own that all workers see."""

    def __init__(self, folder: str) -> None:
        self._folder = Path(folder)

    def before(self, number: int, partition: int) -> bytes | None:
        """The sealed state that this batch begins with; None is the beginning of all."""
        if number == 0:
            return None
        file = self._file(number - 1, partition)
        try:
            return file.read_bytes()
        except FileNotFoundError as error:
            raise RunError("is gone", f"the state after batch {number - 1}") from error

    def keep(self, number: int, partition: int, state: bytes) -> None:
        """Keep the sealed state after this batch."""
        self._folder.mkdir(parents=True, exist_ok=True)
        write_whole(self._file(number, partition), state, synced=False)

    def drop_before(self, number: int, partitions: int) -> None:
        """When this batch is done, Spark has committed the one before: older states can go."""
        for partition in range(partitions):
            self._file(number - 2, partition).unlink(missing_ok=True)

    def _file(self, number: int, partition: int) -> Path:
        return self._folder / f"{number:06}-{partition:04}.state"
