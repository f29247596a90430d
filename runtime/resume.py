"""Runs that were interrupted: found by their dead process, and taken up from their checkpoint."""

from __future__ import annotations

import os
import time
from dataclasses import replace

from planner.errors import RunError
from runtime.execute import OnProgress, carry_out
from runtime.history import History
from runtime.prepare import prepare
from runtime.records import Run


def mark_interrupted(history: History) -> list[str]:
    """Record as interrupted every run whose process is gone; their ids."""
    gone = {run_id for run_id, process in history.processes().items() if not _alive(process)}
    lost = [run for run in history.runs(status="running") if run.id in gone]
    for run in lost:
        history.save(run.ended("interrupted", time.time(), "its process ended before it did"))
    return [run.id for run in lost]


def _alive(process: int | None) -> bool:
    if process is None:
        return False
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def resume(
    run_id: str, on_progress: OnProgress = lambda _: None, history: History | None = None
) -> Run:
    """Go on from the last finished micro-batch; the run ends as if it had not been interrupted."""
    begun = time.time()
    history = history or History()
    mark_interrupted(history)
    record = history.get(run_id)
    if record.status not in ("interrupted", "failed"):
        raise RunError(f"is {record.status}; only an interrupted run can be resumed", run_id)
    if record.request.backend == "native":
        raise RunError("ran on Spark's own operators, which count anew; run the plan again", run_id)
    if record.request.way != "stream":
        raise RunError("was a replay, which keeps no checkpoint; run the plan again", run_id)
    prepared = prepare(record.request, record.partitions)
    if prepared.data_digest != record.data_digest:
        raise RunError("its data have changed since; run the plan again", run_id)
    going_on = replace(record, status="running", finished=None, error=None)
    try:
        return carry_out(going_on, prepared, begun, on_progress, None, history)
    except RunError as error:
        if error.place != "Spark":
            raise
        raise RunError(
            f"cannot be gone on with; its checkpoint may be damaged: run the plan again ({error})",
            run_id,
        ) from error
