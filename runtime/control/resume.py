"""Runs that were interrupted: found by their dead process, and taken up from their checkpoint."""

from __future__ import annotations

import math
import threading
import time
from dataclasses import dataclass, replace
from functools import partial

from planner.errors import RunError
from runtime.backends import backend
from runtime.backends.interruption import StopSignal, unless_stopped
from runtime.backends.live_changes import Steering
from runtime.backends.protocol import OnProgress
from runtime.control.execute import carry_out
from runtime.data.folders import run_folder
from runtime.runs.history import History, mark_interrupted
from runtime.runs.records import Progress, Run, RunRequest


@dataclass(frozen=True, slots=True)
class ResumeRequest:
    """Which run to resume, and what was asked of it."""

    run_id: str
    asked: RunRequest

    @property
    def label(self) -> str:
        """The plan that it runs."""
        return self.asked.label


def broken_off(history: History) -> list[Run]:
    """The runs that a user may resume or discard, newest first.

    Those whose process is gone, and those that failed and still have what they counted on disk.
    """
    mark_interrupted(history)
    failed = [run for run in history.runs(status="failed") if _has_counted(run)]
    found = [*history.runs(status="interrupted"), *failed]
    return sorted(found, key=lambda run: -run.started)


def why_not_resumed(run: Run) -> str | None:
    """Why a run that was interrupted cannot be resumed; None where it can."""
    return backend(run.request.backend).why_not_resumed(run.request)


def _has_counted(run: Run) -> bool:
    if why_not_resumed(run) is not None:
        return False
    folder = run_folder(run.id, run.request.shared)
    return backend(run.request.backend).batches_counted(folder) > 0


def resume(
    run_id: str,
    on_progress: OnProgress = lambda _: None,
    history: History | None = None,
    cancel: threading.Event | None = None,
    steering: Steering | None = None,
) -> Run:
    """Resume from the last finished micro-batch; the run ends as if it had not been interrupted."""
    begun = time.time()
    history = history or History()
    mark_interrupted(history)
    record = history.get(run_id)
    if record.status not in ("interrupted", "failed"):
        raise RunError(f"is {record.status}; only an interrupted run can be resumed", run_id)
    if (reason := why_not_resumed(record)) is not None:
        raise RunError(reason, run_id)
    on_progress(Progress("Generating tuples"))
    preparing = partial(backend(record.request.backend).prepare, record.request, record.partitions)
    prepared = unless_stopped(preparing, StopSignal(math.inf, cancel))
    if prepared.data_digest != record.data_digest:
        raise RunError("its data have changed since; run the plan again", run_id)
    resumed = replace(record, status="running", finished=None, error=None)
    try:
        return carry_out(
            resumed, prepared, begun, on_progress, cancel, history, steering or Steering()
        )
    except RunError as error:
        if error.place != "Spark":
            raise
        raise RunError(
            f"cannot be resumed; its checkpoint may be damaged: run the plan again ({error})",
            run_id,
        ) from error
