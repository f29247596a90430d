"""Calibrate: measure designed runs, fit the units of every kernel, and keep what was found."""

from __future__ import annotations

import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from planner.experiments.experiment import Point
from planner.families.registry import chosen_plan, family
from planner.files.data_folder import kernels_digest, machine
from planner.plan.cost import Cost, Units
from planner.plan.plan import Plan
from planner.seconds.calibration import CalibratedFigure, Calibration, keep_calibration
from planner.seconds.kernel_work import Kernel, Work
from planner.workload.workload import Workload
from runtime.backends.interruption import (
    RunCancelledError,
    StopSignal,
    unless_stopped,
    until_nothing_is_left,
)
from runtime.backends.protocol import OnProgress
from runtime.calibration.fitting import (
    ChainRun,
    FittedKernel,
    Observation,
    c_sys_of,
    fitted,
    kinds_of,
)
from runtime.control.execute import run
from runtime.data.folders import writable_home
from runtime.engines.design import Design, designed, designs
from runtime.engines.registry import load_all_kernels
from runtime.experiments.measurement import MeasuredSample, Sampler
from runtime.runs.history import History
from runtime.runs.records import Progress, RunRequest, versions


@dataclass(frozen=True, slots=True)
class MeasuredRun:
    """One run: of which kernel, what it did; of chains that differ in their slices, that too."""

    kernel: Kernel
    observation: Observation
    chain: ChainRun | None = None


def measure(design: Design, repeats: int, after_each: Callable[[], None]) -> Iterable[MeasuredRun]:
    """Run the plans of a design, the best of some repeats each; compiling is not timed."""
    sampler, workload = Sampler(), design.workload
    for label in design.plans:
        after_each()
        sample = sampler.sample(
            Point(label, workload, design.family, label),
            workload.run.seed,
            repeats,
            MOST_ROWS if design.keeps_rows else 0,
        )
        plan = chosen_plan(family(design.family).space(workload), label)
        chain = None
        if design.merged:
            comparisons = sample.cost.comparisons * sample.span
            # Without filters every tuple enters every slice.
            entering = sample.tuples * plan.label.count("-")
            chain = ChainRun(workload.name, comparisons, entering, sample.seconds)
        seen = observed(plan, workload, sample, design.keeps_rows)
        yield MeasuredRun(design.kernel, seen, chain)


def observed(
    plan: Plan, workload: Workload, sample: MeasuredSample, keeps_rows: bool = False
) -> Observation:
    """What a sample did in all of its one batch."""
    work = family(plan.family).space(workload).kernel_work(plan, sample.operators)
    every = (*work.operators, work.keeping) if keeps_rows else work.operators
    return Observation((*(_times(own, sample.span) for own in every), work.batch), sample.seconds)


def _times(work: Work, seconds: float) -> Work:
    counts = {name: count * seconds for name, count in work.cost.as_dict().items()}
    return Work(work.kind, Cost(**counts), work.given * seconds)


BATCHES = 10
# The first ones load what later ones find.
_LEFT_OUT = 2
_ROWS = 50
_TINY = {
    "streams": {name: {"rate": 10, "k": 50} for name in ("S1", "S2")},
    "query": "SELECT * FROM S1 [RANGE 1], S2 [RANGE 1] WHERE S1.k = S2.k",
    "execution": {"join": "hash"},
    "warmup": 1,
}


def batch_seconds(cancel: threading.Event | None = None) -> CalibratedFigure:
    """The median over some micro-batches, with its standard error; Spark is started if need be."""
    ended: list[float] = []

    def note(progress: Progress) -> None:
        if progress.batches_done > len(ended):
            ended.append(time.monotonic())

    _stream(BATCHES, note, cancel)
    between = np.diff(ended)[_LEFT_OUT:]
    return CalibratedFigure(float(np.median(between)), float(between.std() / np.sqrt(len(between))))


def first_batch(cancel: threading.Event | None = None) -> None:
    """Stream a single micro-batch: a session's first one starts workers, and takes many times as
    long as those that come later."""
    _stream(1, lambda _: None, cancel)


def _stream(batches: int, note: Callable[[Progress], None], cancel: threading.Event | None) -> None:
    workload = designed("tiny batches", {**_TINY, "tuples": batches * _ROWS})
    request = RunRequest(workload, "", "best", batch_rows=_ROWS)
    with tempfile.TemporaryDirectory() as folder:
        found = run(request, note, cancel, History(Path(folder) / "history.sqlite"))
    if found.status == "cancelled":
        raise RunCancelledError


REPEATS = 3
# Designed runs that keep the rows of results have fewer.
MOST_ROWS = 10_000_000
MOST_SECONDS = 600.0


@dataclass(frozen=True, slots=True)
class CalibrationRequest:
    """Measure this machine; without Spark what a micro-batch takes is left out."""

    with_spark: bool = True

    @property
    def label(self) -> str:
        """What is measured, for a page."""
        return "Calibration of this machine"


def calibrate(
    request: CalibrationRequest,
    on_progress: OnProgress = lambda _: None,
    cancel: threading.Event | None = None,
    chosen: Sequence[Design] | None = None,
) -> Calibration:
    """Measure, fit and keep. One that is cancelled raises, and what was kept before stays."""
    writable_home()
    stop = StopSignal(MOST_SECONDS, cancel)
    begun = time.time()
    # What a cancelled run has left behind would disturb, and what one of these leaves the next run.
    until_nothing_is_left(stop)
    if request.with_spark:
        on_progress(Progress("Starting Spark and the kernels", step="measurement"))
        unless_stopped(_start_spark, stop)
    planned = designs() if chosen is None else chosen
    # Designed runs are timed by the processor's seconds of one thread: Spark's first micro-batch,
    # which starts its workers, is on another core meanwhile.
    with ThreadPoolExecutor(1) as beside:
        begun_stream = beside.submit(first_batch, cancel) if request.with_spark else None
        measured = unless_stopped(partial(measure_all, planned, on_progress, stop), stop)
        if begun_stream is not None:
            begun_stream.result()
    batch = None
    if request.with_spark:
        on_progress(Progress("Timing micro-batches of Spark", step="measurement"))
        batch = batch_seconds(cancel)
    found = calibration_of(measured, begun, batch)
    keep_calibration(found)
    return found


def _start_spark() -> None:
    """Now, and not when its turn comes: it takes as long as to load the kernels."""
    from runtime.spark.session import ready

    ready(None, None, load_all_kernels)


def measure_all(
    chosen: Sequence[Design], on_progress: OnProgress, stop: StopSignal
) -> list[MeasuredRun]:
    """All designed runs, one after the other."""
    begun, count = time.monotonic(), sum(len(design.plans) for design in chosen)
    measured: list[MeasuredRun] = []

    def tell() -> None:
        stop.check()
        spent = time.monotonic() - begun
        phase = "Measuring designed runs"
        on_progress(Progress(phase, len(measured), count, seconds=spent, step="measurement"))

    for design in chosen:
        measured.extend(measure(design, REPEATS, tell))
    tell()
    return measured


def calibration_of(
    measured: Sequence[MeasuredRun], begun: float, batch: CalibratedFigure | None
) -> Calibration:
    """What the runs tell of this machine."""
    fits = {
        kernel: fitted(kernel, runs)
        for kernel in dict.fromkeys(run.kernel for run in measured)
        if (runs := [run.observation for run in measured if run.kernel == kernel])
    }
    merged = [run.chain for run in measured if run.chain is not None]
    return Calibration(
        machine=machine(),
        kernels=kernels_digest(),
        made=begun,
        seconds=time.time() - begun,
        versions=versions(),
        kinds=_kinds(fits),
        figures={kernel: fit.figures for kernel, fit in fits.items()},
        fits={kernel: fit.fit for kernel, fit in fits.items()},
        c_sys=c_sys_of(merged, fits["slices"].figures if "slices" in fits else {}),
        batch=batch,
    )


def _kinds(fits: Mapping[Kernel, FittedKernel]) -> dict[str, Units]:
    """The units of all kernels. Loops with relations are those without where no run tells more."""
    found = {kind: units for fit in fits.values() for kind, units in fit.kinds.items()}
    if "relations" in fits and "loops" in fits:
        figures = {**fits["loops"].figures, **fits["relations"].figures}
        found |= kinds_of("relations", figures)
    return found
