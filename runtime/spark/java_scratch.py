"""Where Java keeps temporary files: a folder of its own, which does not outlive the process.

A Java process that is killed cleans nothing up, and Spark puts files of each batch there.
"""

from __future__ import annotations

import atexit
from contextlib import ExitStack
from pathlib import Path

from runtime.data.folders import drop_abandoned, held_folder

_PREFIX = "java-"


class JavaScratch:
    """The folder of the Java process that this one has started, and those that were left."""

    def __init__(self) -> None:
        self._held = ExitStack()
        atexit.register(self._held.close)

    def begin(self, parent: Path) -> Path:
        """The folder of a Java process that is about to start; that of the last one is dropped."""
        self._held.close()
        drop_abandoned(parent, _PREFIX)
        return self._held.enter_context(held_folder(parent, _PREFIX))
