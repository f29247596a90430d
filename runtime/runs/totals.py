"""The totals of a streamed run, kept on disk after every micro-batch."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

from planner.errors import RunError


class Totals:
    """What all partitions counted so far, and how many batches that covers."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / "totals.json"

    def keep(self, done: int, totals: list[bytes]) -> None:
        """Keep them before Spark commits the batch: a restart finds them or makes them again."""
        beside = self._file.with_suffix(".unfinished")
        encoded = [base64.b64encode(total).decode() for total in totals]
        beside.write_text(json.dumps({"done": done, "totals": encoded}))
        beside.replace(self._file)

    def done(self) -> int:
        """How many batches they cover."""
        return int(self._content()["done"]) if self._file.is_file() else 0

    def kept(self) -> list[bytes]:
        """The totals themselves."""
        if not self._file.is_file():
            raise RunError("ended without a finished micro-batch; run the plan again", "run")
        return [base64.b64decode(total) for total in self._content()["totals"]]

    def _content(self) -> Any:
        return json.loads(self._file.read_text())
