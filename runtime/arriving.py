"""A folder into which micro-batches come one by one: a stream sees each when it has come."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from runtime.microbatches import MicroBatches


class Arriving:
    """Links to the files of micro-batches. What came before a run was interrupted is there still.

    Between two batches nothing is under way: then a stream can be stopped and another program go
    on, or the next batch be kept back until its time has come.
    """

    def __init__(self, batches: MicroBatches, folder: Path) -> None:
        self.folder = folder
        self._files = sorted(Path(batches.folder).glob("*.parquet"))
        folder.mkdir(parents=True, exist_ok=True)
        self.come = len(list(folder.glob("*.parquet")))

    @property
    def all_come(self) -> bool:
        """Whether none is left."""
        return self.come == len(self._files)

    def let_in(self) -> None:
        """The next batch comes, with the time of its file, by which Spark orders them."""
        file = self._files[self.come]
        try:
            os.link(file, self.folder / file.name)
        except OSError:
            # Not every file system has links. Spark passes over names with an underscore.
            beside = self.folder / f"_{file.name}"
            shutil.copy2(file, beside)
            beside.replace(self.folder / file.name)
        self.come += 1
