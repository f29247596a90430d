"""Streamed beside replayed: the same plan and tuples, by the size of micro-batches."""

from __future__ import annotations

import tempfile
from pathlib import Path
from statistics import median
from typing import Any

from bench.workloads import TABLE_5, join_of
from runtime.control.execute import run
from runtime.runs.history import History
from runtime.runs.records import WAYS, Run, RunRequest

TUPLES = 4_000_000
# Both modes run so many first, so that neither is timed cold.
WARMING_TUPLES = 20_000
BATCH_ROWS = (100_000, 500_000, 1_000_000)
ROUNDS = 3


def spark_modes() -> dict[str, Any]:
    """Both modes on Table 5 with nested loops, in turns.

    The kernel's share is that of one partition: several are at work at once, and their seconds
    would be counted twice.
    """
    workload = join_of(TABLE_5, TUPLES)
    runs: dict[tuple[str, int], list[Run]] = {}
    alone: list[Run] = []
    with tempfile.TemporaryDirectory() as folder:
        history = History(Path(folder) / "history.sqlite")
        for way in WAYS:
            warming = join_of(TABLE_5, WARMING_TUPLES)
            run(RunRequest(warming, "join_order", "best", way=way), history=history)
        for _ in range(ROUNDS):
            for rows in BATCH_ROWS:
                for way in WAYS:
                    request = RunRequest(workload, "join_order", "best", way=way, batch_rows=rows)
                    runs.setdefault((way, rows), []).append(run(request, history=history))
            one = RunRequest(workload, "join_order", "best", "replay", 1, batch_rows=BATCH_ROWS[-1])
            alone.append(run(one, history=history))
    every = [run for measured in (*runs.values(), alone) for run in measured]
    return {
        **{way: [_figures(rows, runs[way, rows]) for rows in BATCH_ROWS] for way in WAYS},
        "stream over replay": {
            str(rows): median(
                _seconds(replayed) / _seconds(streamed)
                for replayed, streamed in zip(
                    runs["replay", rows], runs["stream", rows], strict=True
                )
            )
            for rows in BATCH_ROWS
        },
        "kernel's share of a replay": median(
            run.measurement.timings.kernel / _seconds(run) for run in alone if run.measurement
        ),
        "same answer": len({_answer(run) for run in every}) == 1,
    }


def _answer(run: Run) -> tuple[str, int]:
    assert run.measurement is not None
    return run.measurement.answers["Q1"], run.measurement.results["Q1"]


def _seconds(run: Run) -> float:
    assert run.measurement is not None
    return run.measurement.timings.total


def _figures(rows: int, runs: list[Run]) -> dict[str, Any]:
    measurements = [run.measurement for run in runs if run.measurement is not None]
    tuples = sum(measurements[0].rows.values())
    total = median(measured.timings.total for measured in measurements)
    return {
        "batch rows": rows,
        "tuples": tuples,
        "micro-batches": runs[0].batches,
        "tuples per second, end to end": tuples / total,
        "seconds": {
            "total": total,
            "engine": median(measured.timings.engine for measured in measurements),
            "kernel": median(measured.timings.kernel for measured in measurements),
        },
        "totals of all rounds": [measured.timings.total for measured in measurements],
    }
