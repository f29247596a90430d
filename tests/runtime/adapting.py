"""Runs that adapt, stepped by hand, on streams whose rates change."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from planner.files.tuple_table import ColumnData, Table
from planner.workload.adapt import Adapt, PolicyName
from planner.workload.workload import Workload
from runtime.runs.records import RunRequest

# The rates of an interval, by stream.
Rates = Sequence[float]


def traced(
    workload: Workload, trace: Sequence[Rates], seconds: float, seed: int
) -> dict[str, Table]:
    """Poisson arrivals of these rates, an interval after the other, with uniform attributes."""
    chance = np.random.default_rng(seed)
    tables = {}
    for place, stream in enumerate(workload.streams):
        times = []
        for n, rates in enumerate(trace):
            arrivals = chance.poisson(rates[place] * seconds)
            times.append(np.sort(chance.uniform(n * seconds, (n + 1) * seconds, arrivals)))
        ts = np.round(np.concatenate(times) * 1e6).astype(np.int64)
        columns = {
            name: ColumnData(chance.integers(1, (known.distinct or 1) + 1, len(ts)))
            for name, known in stream.attributes.items()
        }
        tables[stream.name] = Table(np.arange(len(ts), dtype=np.int64), ts, columns)
    return tables


def request_of(
    workload: Workload,
    family: str,
    label: str,
    folder: Path,
    policy: PolicyName | None,
    every: float = 2.0,
    batch_rows: int | None = None,
) -> RunRequest:
    """A run of own data under a policy; None: its plan stays as it is."""
    adapt = None if policy is None else Adapt(policy, every, horizon=20.0)
    workload = replace(workload, run=replace(workload.run, warmup=0.0, adapt=adapt))
    return RunRequest(workload, family, label, data=folder, batch_rows=batch_rows)
