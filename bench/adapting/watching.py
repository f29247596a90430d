"""What watching takes: sketches of every batch and what follows from them, beside the kernels.

The same batches are stepped in this process with and without sketches, in turns; the driver's part
is measured too. All are seconds of the processor.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow.parquet as pq

from bench.adapting.workloads import KINDS
from planner.files.workload_file import load_workload
from planner.workload.workload import Workload
from runtime.backends.kernels.observing import Observing
from runtime.backends.kernels.prepare import PreparedKernelRun, prepare
from runtime.runs.records import RunRequest
from runtime.spark.worker import load_program, step_through

TURNS = 5
TUPLES = 4_000_000
BATCHES = 10
# Tuples per second of each stream: windows of seconds hold hundreds.
_RATE = 60.0


def watching() -> dict[str, Any]:
    """By kind of workload, the seconds of watching over those of the kernels."""
    found = {kind: _measured(*KINDS[kind]) for kind in KINDS}
    return {
        "tuples": TUPLES,
        "turns": TURNS,
        "share of kernel seconds": {kind: own["share"] for kind, own in found.items()},
        "worst share": max(own["share"] for own in found.values()),
        "same answer": all(own["same answer"] for own in found.values()),
        "samples": found,
    }


def _measured(family: str, text: str) -> dict[str, Any]:
    prepared = _prepared(load_workload(text), family)
    load_program(prepared.program.to_json())
    turns = [_turn(prepared, watched=bool(turn % 2)) for turn in range(2 * TURNS + 2)]
    # The first of each compile and load.
    bare, watched = turns[2::2], turns[3::2]
    kernel = median(turn["kernel"] for turn in [*bare, *watched])
    return {
        "kernel seconds": kernel,
        "watching seconds": median(turn["watch"] for turn in watched),
        "share": median(turn["watch"] / turn["kernel"] for turn in watched),
        "same answer": len({turn["digest"] for turn in turns}) == 1,
    }


def _prepared(workload: Workload, family: str) -> PreparedKernelRun:
    streams = tuple(replace(stream, rate=_RATE) for stream in workload.streams)
    seconds = TUPLES / (_RATE * len(streams))
    run = replace(workload.run, seed=1, warmup=10.0, duration=seconds)
    workload = replace(workload, streams=streams, run=run)
    rows = TUPLES // BATCHES
    return prepare(RunRequest(workload, family, "best", watch=True, batch_rows=rows), 1)


def _turn(prepared: PreparedKernelRun, watched: bool) -> Mapping[str, Any]:
    assert prepared.sketches is not None
    program, state, totals = prepared.program.to_json(), None, b""
    sketching = prepared.sketches.to_json() if watched else None
    with TemporaryDirectory() as folder:
        observing = Observing(Path(folder), prepared, prepared.sketches)
        for number in range(prepared.batches.batches):
            (row,) = pq.read_table(prepared.batches.file(number)).to_pylist()
            given = [(number, row["tuples"])]
            stepped = step_through(program, state, given, 0, None, sketching=sketching)
            state, totals = stepped.state, stepped.totals
            if stepped.sketch is not None:
                observing.take(number, [stepped.sketch])
        tally = prepared.program.tally([totals], prepared.plan)
        return {"kernel": tally.kernel_seconds, "watch": observing.seconds, "digest": tally.digest}
