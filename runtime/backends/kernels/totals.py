"""What all partitions of a run counted so far, on disk: a run that is resumed begins there."""

from __future__ import annotations

import base64
from pathlib import Path

from planner.errors import RunError
from planner.files.whole_files import read_sealed_json, write_sealed_json


class Totals:
    """What all partitions of a run counted so far, kept on disk after every micro-batch."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / "totals.json"

    def keep(self, done: int, totals: list[bytes]) -> None:
        """Keep them before Spark commits the batch: a restart finds them or makes them again."""
        encoded = [base64.b64encode(total).decode() for total in totals]
        write_sealed_json(self._file, {"done": done, "totals": encoded})

    def done(self) -> int:
        """How many batches they cover; none where they are damaged."""
        content = read_sealed_json(self._file)
        return 0 if content is None else int(content["done"])

    def kept(self) -> list[bytes]:
        """The totals themselves."""
        content = read_sealed_json(self._file)
        if content is None:
            raise RunError("ended without a finished micro-batch; run the plan again", "run")
        return [base64.b64decode(total) for total in content["totals"]]
