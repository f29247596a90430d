"""What a micro-batch costs Spark, whatever is in it: the time between batches of a tiny stream."""

from __future__ import annotations

import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from planner.calibration import Figure
from runtime.calibration.design import HASH, designed, stream
from runtime.execute import run
from runtime.history import History
from runtime.records import Progress, RunRequest
from runtime.stopping import RunCancelledError

BATCHES = 10
# The first ones load what later ones find.
_LEFT_OUT = 2
_ROWS = 50


def batch_seconds(cancel: threading.Event | None = None) -> Figure:
    """The median over some micro-batches, with its standard error; Spark is started if need be."""
    ended: list[float] = []

    def note(progress: Progress) -> None:
        if progress.batches_done > len(ended):
            ended.append(time.monotonic())

    _stream(BATCHES, note, cancel)
    between = np.diff(ended)[_LEFT_OUT:]
    return Figure(float(np.median(between)), float(between.std() / np.sqrt(len(between))))


def first_batch(cancel: threading.Event | None = None) -> None:
    """Stream a single micro-batch: a session's first one starts workers, and takes many times as
    long as those that come later."""
    _stream(1, lambda _: None, cancel)


def _stream(batches: int, note: Callable[[Progress], None], cancel: threading.Event | None) -> None:
    text = "SELECT * FROM S1 [RANGE 1], S2 [RANGE 1] WHERE S1.k = S2.k"
    streams = [stream(name, 10, k=50) for name in ("S1", "S2")]
    workload = designed("tiny batches", streams, [text], HASH, 1, batches * _ROWS / 20)
    request = RunRequest(workload, "join_order", "S1,S2", batch_rows=_ROWS)
    with tempfile.TemporaryDirectory() as folder:
        found = run(request, note, cancel, History(Path(folder) / "history.sqlite"))
    if found.status == "cancelled":
        raise RunCancelledError
