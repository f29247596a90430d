"""Run a plan: prepared, stepped through Spark, measured and recorded, whatever becomes of it."""

from __future__ import annotations

import errno
import math
import os
import shutil
import threading
import time
import uuid
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

from planner.errors import RunError, SluiceError
from planner.families.registry import family
from planner.plan.cost import Measurement, Timings
from planner.seconds.calibration import calibrated_units
from planner.seconds.run_seconds import Shape, kernel_seconds
from runtime.backends.native.backend import PreparedNative, measured_natively, prepare_native
from runtime.control.cancellation import LimitReachedError, RunCancelledError, StopSignal
from runtime.control.disk import RESUME, RUN_AGAIN, DiskLimit, full
from runtime.control.interruptible import unless_stopped, until_nothing_is_left
from runtime.control.live_changes import Steering
from runtime.control.prepare import Prepared, prepare, run_seconds
from runtime.control.processes import process
from runtime.control.progress import measured_so_far
from runtime.data.folders import answers_home, work_home
from runtime.data.split import split_of
from runtime.engines.aggregation.answer_files import write_answer
from runtime.engines.kernels.digest import as_text
from runtime.engines.program import Tally
from runtime.runs.history import History
from runtime.runs.records import KernelTime, Progress, Run, RunRequest, Status, versions
from runtime.runs.result_files import merge_results, merge_shared_results


def predicted_kernel(prepared: Prepared, request: RunRequest) -> KernelTime:
    """Over all of its stream time, batches and partitions."""
    workload, batches = prepared.workload, prepared.batches
    space = family(request.family).space(workload, calibrated_units())
    seconds = run_seconds(workload)
    if request.data is not None:
        seconds = max(0.0, (batches.last_ts - prepared.begin) / 1e6)
    partitions = prepared.program.partitions
    replicated = split_of(prepared.plan, workload, partitions).modulus is None
    shape = Shape(batches.batches, partitions, replicated)
    work = space.kernel_work(prepared.plan, prepared.estimate.costs)
    spent = kernel_seconds(work, space.units, workload.longest_window, seconds, shape)
    return KernelTime(spent, space.units.source)


OnProgress = Callable[[Progress], None]

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
    on_progress(Progress("Waiting for a cancelled run to let go"))
    until_nothing_is_left(unlimited)
    on_progress(Progress("Preparing the tuples"))
    partitions = request.partitions or usual_partitions()
    prepared: Prepared | PreparedNative
    predicted = None
    if request.backend == "native":
        prepared = unless_stopped(partial(prepare_native, request, partitions), unlimited)
        batches = len(prepared.cuts)
    else:
        prepared = unless_stopped(partial(prepare, request, partitions), unlimited)
        partitions, batches = prepared.program.partitions, prepared.batches.batches
        predicted = predicted_kernel(prepared, request)
    record = Run(
        id=time.strftime("%Y%m%d-%H%M%S-", time.gmtime(begun)) + uuid.uuid4().hex[:6],
        request=request,
        workload=prepared.workload,
        plan=prepared.plan,
        estimate=prepared.estimate,
        partitions=partitions,
        batches=batches,
        data_digest=prepared.data_digest,
        versions=versions(),
        started=begun,
        status="running",
        warnings=prepared.warnings,
        predicted_kernel=predicted,
    )
    return carry_out(
        record, prepared, begun, on_progress, cancel, history or History(), steering or Steering()
    )


def carry_out(
    record: Run,
    prepared: Prepared | PreparedNative,
    begun: float,
    on_progress: OnProgress,
    cancel: threading.Event | None,
    history: History,
    steering: Steering,
) -> Run:
    """Step a prepared run through Spark, from its checkpoint if it has one; record its end.

    Its seconds count from `begun`, which for a run that is resumed is later than its start. What
    `steering` asks for meanwhile becomes part of the record before it is done: a run that is
    interrupted goes on with its changes.
    """
    _drop_old_folders(record.request.shared)
    history.save(record, process(os.getpid()))

    def revise(revised: Run, with_changes: Prepared) -> None:
        nonlocal record, prepared
        record, prepared = revised, with_changes
        history.save(record, process(os.getpid()))

    folder = run_folder(record.id, record.request.shared)
    then = RESUME if record.request.resumable else RUN_AGAIN
    disk = DiskLimit(folder, record.request.most_disk_mb, then)
    stop = StopSignal(record.request.most_seconds, cancel, disk)
    ended = record

    def broken_off(status: Status, why: str) -> Run:
        measured = _so_far(prepared, folder, begun)
        return replace(record.ended(status, time.time(), why), measurement=measured)

    try:
        ended = _measured(record, prepared, begun, on_progress, stop, steering, revise)
    except RunCancelledError:
        ended = broken_off("cancelled", "cancelled by its user")
    except KeyboardInterrupt:
        ended = broken_off("cancelled", "interrupted at the keyboard")
        raise
    except LimitReachedError as error:
        ended = broken_off("failed", str(error))
        raise
    except SluiceError as error:
        ended = record.ended("failed", time.time(), str(error))
        raise
    except OSError as error:
        # A full disk, or a folder taken away: the user's to mend.
        is_full = error.errno == errno.ENOSPC
        told = full(then) if is_full else f"a file could not be written or read: {error}"
        ended = record.ended("failed", time.time(), told)
        raise RunError(told, "run") from error
    except BaseException as error:
        ended = record.ended("failed", time.time(), f"{type(error).__name__}: {error}")
        raise
    finally:
        steering.close()
        history.save(ended)
        if ended.status in ("finished", "cancelled"):
            shutil.rmtree(folder, ignore_errors=True)
    return ended


def _so_far(prepared: Prepared | PreparedNative, folder: Path, begun: float) -> Measurement | None:
    # Spark's own operators keep no totals.
    return (
        None if isinstance(prepared, PreparedNative) else measured_so_far(prepared, folder, begun)
    )


def run_folder(run_id: str, shared: Path | None = None) -> Path:
    """Where a run keeps its checkpoint and results until it is finished."""
    return work_home(shared) / "runs" / run_id


def _drop_old_folders(shared: Path | None) -> None:
    """What failed or was interrupted can be resumed for some days, and answers that the pages keep
    be looked at; then their files go."""
    for folder in (*(work_home(shared) / "runs").glob("*"), *answers_home().glob("*")):
        if time.time() - folder.stat().st_mtime > _KEPT_SECONDS:
            shutil.rmtree(folder, ignore_errors=True)


def usual_partitions() -> int:
    """One partition for each core, within reason."""
    return max(1, min(8, os.cpu_count() or 1))


def _measured(
    record: Run,
    prepared: Prepared | PreparedNative,
    begun: float,
    on_progress: OnProgress,
    stop: StopSignal,
    steering: Steering,
    revise: Callable[[Run, Prepared], None],
) -> Run:
    folder = run_folder(record.id, record.request.shared)
    if isinstance(prepared, PreparedNative):
        return measured_natively(record, prepared, begun, on_progress, stop, folder)
    # Imported when a plan is first run: planning and reading history need no Spark.
    from runtime.spark.replay import replayed
    from runtime.spark.session import ready
    from runtime.spark.stream import streamed

    request, batches, program = record.request, prepared.batches, prepared.program
    on_progress(Progress("Starting Spark and the kernels", 0, batches.batches, batches.arrivals))
    starting = partial(ready, request.master, request.shared, program.load)
    start_begun = time.time()
    spark = unless_stopped(starting, stop).newSession()
    start_seconds = time.time() - start_begun
    folder.mkdir(parents=True, exist_ok=True)
    parts = str(folder / "results") if request.results else None
    engine_begun = time.time()
    on_progress(Progress("Running", 0, batches.batches, batches.arrivals))
    if request.way == "replay":
        totals = replayed(spark, record, prepared, folder, on_progress, stop)
    else:
        steering.begin(request, prepared)
        totals, record, prepared = streamed(
            spark, record, prepared, folder, on_progress, stop, steering, revise
        )
    # Spark may be done between two looks at the limits.
    stop.check()
    tally = prepared.program.tally(totals, prepared.plan)
    engine_seconds = time.time() - engine_begun
    if request.results and parts:
        if tally.by_query:
            merge_shared_results(prepared.workload, Path(parts), request.results)
        elif tally.groups is None:
            merge_results(prepared.workload, Path(parts), request.results)
        else:
            write_answer(prepared.workload, batches, tally.groups, Path(parts), request.results)
    finished = time.time()
    timings = Timings(finished - begun, engine_seconds, tally.kernel_seconds, start_seconds)
    return _finished(record, prepared, tally, timings, finished)


def _finished(
    record: Run, prepared: Prepared, tally: Tally, timings: Timings, finished: float
) -> Run:
    answers = tally.by_query
    if not answers:
        (query,) = prepared.workload.queries
        answers = {query.name: (tally.results, tally.digest)}
    measurement = Measurement(
        costs=tally.costs,
        qualities={},
        timings=timings,
        rows=prepared.batches.rows,
        results={name: results for name, (results, _) in answers.items()},
        answers={name: as_text(digest) for name, (_, digest) in answers.items()},
        replicated_inserts=tally.replicated_inserts,
        recomputations=tally.recomputations,
        queues=tally.queues,
    )
    return replace(record.ended("finished", finished), measurement=measurement)
