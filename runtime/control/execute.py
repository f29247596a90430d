"""Run a plan: prepared, carried out on its backend and recorded, whatever becomes of it."""

from __future__ import annotations

import errno
import math
import os
import shutil
import threading
import time
import uuid
from dataclasses import replace
from functools import partial
from pathlib import Path

from planner.errors import RunError, SluiceError
from planner.seconds.calibration import calibrated_units
from runtime.backends import backend
from runtime.backends.interruption import (
    RESUME,
    RUN_AGAIN,
    DiskLimit,
    LimitReachedError,
    RunCancelledError,
    StopSignal,
    full,
    unless_stopped,
    until_nothing_is_left,
)
from runtime.backends.live_changes import Steering
from runtime.backends.protocol import OnProgress, PreparedRun, RunContext
from runtime.data.folders import answers_home, run_folder, work_home
from runtime.runs.history import History, mark_interrupted
from runtime.runs.processes import process
from runtime.runs.records import Progress, Run, RunRequest, Status, versions

_KEPT_SECONDS = 7 * 24 * 3600


def run(
    request: RunRequest,
    on_progress: OnProgress = lambda _: None,
    cancel: threading.Event | None = None,
    history: History | None = None,
    steering: Steering | None = None,
) -> Run:
    """Run the plan to its end. A run that fails or is cancelled is recorded as such.

    A failure that is the user's to mend is raised again; a cancelled run is returned. One that is
    cancelled before it is prepared raises RunCancelledError: there is nothing to record yet.
    """
    begun = time.time()
    unlimited = StopSignal(math.inf, cancel)
    on_progress(Progress("Waiting for the cancelled run to finish"))
    until_nothing_is_left(unlimited)
    on_progress(Progress("Generating tuples" if request.data is None else "Reading the files"))
    request = replace(request, units=request.units or calibrated_units())
    runs_it = backend(request.backend)
    preparing = partial(runs_it.prepare, request, request.partitions or usual_partitions())
    prepared: PreparedRun = unless_stopped(preparing, unlimited)
    request = replace(request, family=prepared.plan.family)
    record = Run(
        id=time.strftime("%Y%m%d-%H%M%S-", time.gmtime(begun)) + uuid.uuid4().hex[:6],
        request=request,
        workload=prepared.workload,
        plan=prepared.plan,
        estimate=prepared.estimate,
        partitions=prepared.partitions,
        batches=prepared.batch_count,
        data_digest=prepared.data_digest,
        versions=versions(),
        started=begun,
        status="running",
        warnings=prepared.warnings,
        predicted_kernel=runs_it.predicted_kernel(request, prepared),
    )
    return carry_out(
        record, prepared, begun, on_progress, cancel, history or History(), steering or Steering()
    )


def carry_out(
    record: Run,
    prepared: PreparedRun,
    begun: float,
    on_progress: OnProgress,
    cancel: threading.Event | None,
    history: History,
    steering: Steering,
) -> Run:
    """Carry out a prepared run, from its checkpoint if it has one; record its end.

    Its seconds count from `begun`, which for a run that is resumed is later than its start. What
    `steering` asks for meanwhile becomes part of the record before it is done: a run that is
    interrupted is resumed with its changes.
    """
    drop_old_folders(record.request.shared, history)
    history.save(record, process(os.getpid()))

    def revise(revised: Run, with_changes: PreparedRun) -> None:
        nonlocal record, prepared
        record, prepared = revised, with_changes
        history.save(record, process(os.getpid()))

    folder = run_folder(record.id, record.request.shared)
    runs_it = backend(record.request.backend)
    then = RESUME if runs_it.why_not_resumed(record.request) is None else RUN_AGAIN
    disk = DiskLimit(folder, record.request.most_disk_mb, then)
    stop = StopSignal(record.request.most_seconds, cancel, disk)
    context = RunContext(folder, begun, on_progress, stop, steering, revise)
    ended = record

    def interrupted(status: Status, why: str) -> Run:
        measured = runs_it.measured_so_far(prepared, folder, begun)
        return replace(record.ended(status, time.time(), why), measurement=measured)

    try:
        ended = runs_it.measure(record, prepared, context)
    except RunCancelledError:
        ended = interrupted("cancelled", "cancelled by its user")
    except KeyboardInterrupt:
        ended = interrupted("cancelled", "interrupted at the keyboard")
        raise
    except LimitReachedError as error:
        ended = interrupted("failed", str(error))
        raise
    except SluiceError as error:
        ended = record.ended("failed", time.time(), str(error))
        raise
    except OSError as error:
        # A full disk, or a folder taken away: the user's to mend.
        is_full = error.errno == errno.ENOSPC
        text = full(then) if is_full else f"a file could not be written or read: {error}"
        ended = record.ended("failed", time.time(), text)
        raise RunError(text, "run") from error
    except BaseException as error:
        ended = record.ended(_end_by(error), time.time(), _why(error))
        raise
    finally:
        steering.close()
        history.save(ended)
        if _needs_no_files(ended):
            shutil.rmtree(folder, ignore_errors=True)
    return ended


def _end_by(error: BaseException) -> Status:
    return "interrupted" if isinstance(error, SystemExit) else "failed"


def _why(error: BaseException) -> str:
    if isinstance(error, SystemExit):
        return "its process was terminated"
    return f"{type(error).__name__}: {error}"


def _needs_no_files(ended: Run) -> bool:
    """Whether a run will not be resumed."""
    return (
        ended.status in ("finished", "cancelled")
        or backend(ended.request.backend).why_not_resumed(ended.request) is not None
    )


def drop_old_folders(shared: Path | None, history: History) -> None:
    """What failed or was interrupted can be resumed for some days, and answers that the pages keep
    can be read; then their files go. Those of a run that is killed as it ends, or that cannot be
    resumed, go at once."""
    mark_interrupted(history)
    folders = [*(work_home(shared) / "runs").glob("*")]
    for run in history.records(sorted(folder.name for folder in folders)):
        if run.status != "running" and _needs_no_files(run):
            shutil.rmtree(run_folder(run.id, shared), ignore_errors=True)
    for folder in (*folders, *answers_home().glob("*")):
        if folder.exists() and time.time() - folder.stat().st_mtime > _KEPT_SECONDS:
            shutil.rmtree(folder, ignore_errors=True)


def usual_partitions() -> int:
    """One partition for each core, within reason."""
    return max(1, min(8, os.cpu_count() or 1))
