"""Tuples that no generated stream has: a batch of one stream that arrives at one time.

The other stream has filled all windows and then stops, so that a window of w seconds holds RATE x w
of its tuples, and nothing but the batch is served.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from planner.experiments.hammad.workloads import RATE, shared_join
from planner.files.tuple_table import ColumnData, Table
from planner.workload.execution import RunSettings
from planner.workload.streams import Arrivals, Attribute
from planner.workload.workload import Workload

# How many tuples the batch has.
BATCH = 50
_US = 1_000_000
_GAP = round(_US / RATE)


def simultaneous(name: str, windows: Sequence[float]) -> Workload:
    """Queries with these windows over A, which has the batch, and B. All pairs join.

    What is measured begins after the last tuple of B.
    """
    shared = shared_join(name, windows, utilisation=None)
    rates = {"A": BATCH / windows[-1], "B": RATE}
    streams = tuple(
        replace(stream, rate=rates[stream.name], attributes={"key": Attribute(1)},
                arrivals=Arrivals("regular", phase=0.0))
        for stream in shared.streams
    )  # fmt: skip
    warmup = (_batch_at(shared) - _GAP // 4) / _US
    return replace(shared, streams=streams, run=RunSettings(warmup=warmup, duration=1.0))


def batch_tuples(workload: Workload) -> dict[str, Table]:
    """The tuples of such a workload: B evenly spaced, and A all at one time between two of them."""
    at = _batch_at(workload)
    times = {"A": np.full(BATCH, at, np.int64), "B": np.arange(0, at, _GAP, dtype=np.int64)}
    return {
        stream: Table(np.arange(len(ts)), ts, {"key": ColumnData(np.ones(len(ts), np.int64))})
        for stream, ts in times.items()
    }


def _batch_at(workload: Workload) -> int:
    """Half a gap before the largest window is over since the first tuple of B."""
    return round(_US * workload.longest_window) - _GAP // 2
