"""Tuples per second end to end on Spark, streamed and replayed, and the time spent in kernels."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from bench.workloads import TABLE_5, join_of
from runtime.control.execute import run
from runtime.runs.history import History
from runtime.runs.records import WAYS, Run, RunRequest

TUPLES = 2_000_000
BATCH_ROWS = 100_000
ROUNDS = 3


def spark_modes() -> dict[str, Any]:
    """Both modes on Table 5 with nested loops; the first round warms Spark and is left out."""
    workload = join_of(TABLE_5, TUPLES)
    runs: dict[str, list[Run]] = {way: [] for way in WAYS}
    with tempfile.TemporaryDirectory() as folder:
        history = History(Path(folder) / "history.sqlite")
        for number in range(ROUNDS + 1):
            for way in WAYS:
                request = RunRequest(workload, "join_order", "best", way=way, batch_rows=BATCH_ROWS)
                measured = run(request, history=history)
                if number:
                    runs[way].append(measured)
    return {way: _figures(measured) for way, measured in runs.items()} | {
        "same answer": len({_answer(r) for measured in runs.values() for r in measured}) == 1
    }


def _answer(run: Run) -> tuple[str, int]:
    assert run.measurement is not None
    return run.measurement.answers["Q1"], run.measurement.results["Q1"]


def _figures(runs: list[Run]) -> dict[str, Any]:
    measurements = [run.measurement for run in runs if run.measurement is not None]
    best = min(measurements, key=lambda measured: measured.timings.total)
    tuples = sum(best.rows.values())
    return {
        "tuples": tuples,
        "micro-batches": runs[0].batches,
        "tuples per second, end to end": tuples / best.timings.total,
        "seconds": {
            "total": best.timings.total,
            "engine": best.timings.engine,
            "kernel": best.timings.kernel,
        },
        "totals of all rounds": [measured.timings.total for measured in measurements],
    }
