"""The folder that Spark reads as a stream: links to the files of micro-batches, let in by us."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from runtime.data.microbatches import MicroBatches


class Arrivals:
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
