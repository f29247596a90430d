"""Runs that were interrupted: found by their dead process, and taken up from their checkpoint."""

from __future__ import annotations

import math
import threading
import time
from dataclasses import dataclass, replace
from functools import partial

from planner.errors import RunError
from runtime.control.cancellation import StopSignal
from runtime.control.execute import OnProgress, carry_out, run_folder
from runtime.control.interruptible import unless_stopped
from runtime.control.live_changes import Steering
from runtime.control.prepare import prepare
from runtime.control.processes import is_there
from runtime.runs.history import History
from runtime.runs.records import Progress, Run, RunRequest
from runtime.runs.totals import Totals


def mark_interrupted(history: History) -> list[str]:
    """Record as interrupted every run whose process is gone; their ids."""
    running = history.processes().items()
    gone = {run_id for run_id, known in running if known is None or not is_there(known)}
    lost = [run for run in history.runs(status="running") if run.id in gone]
    for run in lost:
        history.save(run.ended("interrupted", time.time(), "its process ended before it did"))
    return [run.id for run in lost]


@dataclass(frozen=True, slots=True)
class ResumeRequest:
    """Which run to go on with, and what was asked of it."""

    run_id: str
    asked: RunRequest

    @property
    def label(self) -> str:
        """The plan that it runs."""
        return self.asked.label


def broken_off(history: History) -> list[Run]:
    """The runs that a user may go on with or discard, newest first.

    Those whose process is gone, and those that failed and still have what they counted on disk.
    """
    mark_interrupted(history)
    failed = [run for run in history.runs(status="failed") if _has_counted(run)]
    found = [*history.runs(status="interrupted"), *failed]
    return sorted(found, key=lambda run: -run.started)


def why_not_resumed(run: Run) -> str | None:
    """Why a run that broke off cannot be gone on with; None where it can."""
    if run.request.backend == "native":
        return "ran on Spark's own operators, which count anew; run the plan again"
    if run.request.way != "stream":
        return "was a replay, which keeps no checkpoint; run the plan again"
    return None


def _has_counted(run: Run) -> bool:
    folder = run_folder(run.id, run.request.shared)
    return why_not_resumed(run) is None and Totals(folder).done() > 0


def resume(
    run_id: str,
    on_progress: OnProgress = lambda _: None,
    history: History | None = None,
    cancel: threading.Event | None = None,
    steering: Steering | None = None,
) -> Run:
    """Go on from the last finished micro-batch; the run ends as if it had not been interrupted."""
    begun = time.time()
    history = history or History()
    mark_interrupted(history)
    record = history.get(run_id)
    if record.status not in ("interrupted", "failed"):
        raise RunError(f"is {record.status}; only an interrupted run can be resumed", run_id)
    if (reason := why_not_resumed(record)) is not None:
        raise RunError(reason, run_id)
    on_progress(Progress("Preparing the tuples"))
    preparing = partial(prepare, record.request, record.partitions)
    prepared = unless_stopped(preparing, StopSignal(math.inf, cancel))
    if prepared.data_digest != record.data_digest:
        raise RunError("its data have changed since; run the plan again", run_id)
    going_on = replace(record, status="running", finished=None, error=None)
    try:
        return carry_out(
            going_on, prepared, begun, on_progress, cancel, history, steering or Steering()
        )
    except RunError as error:
        if error.place != "Spark":
            raise
        raise RunError(
            f"cannot be gone on with; its checkpoint may be damaged: run the plan again ({error})",
            run_id,
        ) from error
