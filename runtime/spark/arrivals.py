"""The folder that Spark reads as a stream: links to the files of micro-batches, let in by us."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

from runtime.data.microbatches import MicroBatches


class BatchInbox:
    """Links to the files of micro-batches. What came before a run was interrupted is there still.

    Between two batches nothing is under way: then a stream can be stopped and another program go
    on, or the next batch be kept back until its time has come.
    """

    def __init__(self, batches: MicroBatches, folder: Path, done: int) -> None:
        self.folder, self._batches = folder, batches
        folder.mkdir(parents=True, exist_ok=True)
        self.come = len(list(folder.glob("*.parquet")))
        # Spark reads again what it has not committed, and may meet what was damaged since.
        for number in range(max(0, done - 1), self.come):
            self._put(number)

    @property
    def all_come(self) -> bool:
        """Whether none is left."""
        return self.come == self._batches.batches

    def let_in(self) -> None:
        """The next batch comes, with the time of its file, by which Spark orders them."""
        self._put(self.come)
        self.come += 1

    def _put(self, number: int) -> None:
        file = self._batches.file(number)
        place, beside = self.folder / file.name, self.folder / f"_{file.name}"
        # Spark passes over names with an underscore.
        beside.unlink(missing_ok=True)
        try:
            os.link(file, beside)
        except OSError:
            # Not every file system has links.
            shutil.copy2(file, beside)
        beside.replace(place)
        # Renaming one name of a file to another name of it does nothing.
        beside.unlink(missing_ok=True)


def forget_unplanned(checkpoint: Path) -> None:
    """Have Spark see files again that it has noted, but not planned a batch for.

    It notes a file, then plans its batch. A run that was interrupted in between would get that
    file and the next one as one batch, and end one batch early.
    """
    planned = max((number for number, _ in _numbered(checkpoint / "offsets")), default=-1)
    for number, file in _numbered(checkpoint / "sources" / "0"):
        if number > planned:
            file.unlink()
            file.with_name(f".{file.name}.crc").unlink(missing_ok=True)


def _numbered(folder: Path) -> Iterator[tuple[int, Path]]:
    """The files of a log: one a batch, and every tenth repeats those before it."""
    for file in folder.glob("*"):
        if named := re.fullmatch(r"(\d+)(\.compact)?", file.name):
            yield int(named[1]), file
