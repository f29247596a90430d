"""Calibrate: measure designed runs, fit the units of every kernel, and keep what was found."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial

from planner.calibration import Calibration, Figure, keep_calibration
from planner.cost import Units
from planner.place import kernels_digest, machine
from planner.work import KERNELS, Kernel
from runtime.calibration.aggregation_designs import aggregations
from runtime.calibration.batch_cost import batch_seconds, first_batch
from runtime.calibration.chain_designs import chains
from runtime.calibration.design import Design
from runtime.calibration.fitting import FittedKernel, fitted, kinds_of
from runtime.calibration.join_designs import eager_joins, loops, relations
from runtime.calibration.measuring import Measured, measure
from runtime.calibration.overhead import c_sys_of
from runtime.execute import OnProgress
from runtime.home import writable_home
from runtime.patience import unless_stopped, until_nothing_is_left
from runtime.programs.loading import load_all_kernels
from runtime.records import Progress
from runtime.stopping import StopSignal
from runtime.versions import versions

REPEATS = 3
MOST_SECONDS = 600.0


@dataclass(frozen=True, slots=True)
class CalibrationRequest:
    """Measure this machine; without Spark what a micro-batch takes is left out."""

    with_spark: bool = True

    @property
    def label(self) -> str:
        """What is measured, for a page."""
        return "Calibration of this machine"


def designs() -> tuple[Design, ...]:
    """The runs of all kernels."""
    return (*eager_joins(), *loops(), *relations(), *aggregations(), *chains())


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
    from runtime.spark.ready import ready

    ready(None, None, load_all_kernels)


def measure_all(
    chosen: Sequence[Design], on_progress: OnProgress, stop: StopSignal
) -> list[Measured]:
    """All designed runs, one after the other."""
    begun, count = time.monotonic(), sum(len(design.plans) for design in chosen)
    measured: list[Measured] = []

    def tell() -> None:
        stop.check()
        spent = time.monotonic() - begun
        phase = "Measuring designed runs"
        on_progress(Progress(phase, len(measured), count, seconds=spent, step="measurement"))

    for design in chosen:
        measured.extend(measure(design, REPEATS, tell))
    tell()
    return measured


def calibration_of(measured: Sequence[Measured], begun: float, batch: Figure | None) -> Calibration:
    """What the runs tell of this machine."""
    fits = {
        kernel: fitted(kernel, runs)
        for kernel in KERNELS
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
