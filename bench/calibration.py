"""Predicted seconds of kernels beside measured ones: the machine calibrated, then the samples run.

The designed runs and the samples take turns, in rounds, and the best time of each counts: what else
the machine does changes meanwhile. Samples are run in this process, on one partition and in one
batch; seconds are the processor's. Predicted are the plan's estimates, not what was counted.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from bench.measure import spread
from planner.experiments.experiment import Point
from planner.families.registry import FAMILIES, chosen_plan, family
from planner.families.sliced_chain.labels import STRATEGIES
from planner.files.data_folder import PROJECT
from planner.files.workload_file import load_workload
from planner.plan.cost import q_error
from planner.seconds.calibration import Calibration
from planner.seconds.kernel_work import kernel_seconds
from planner.workload.workload import Workload
from runtime.backends.interruption import StopSignal
from runtime.calibration.calibrate import MeasuredRun, calibration_of, measure_all
from runtime.cli.printing import calibration_document
from runtime.engines.design import designs
from runtime.experiments.measurement import Sampler

ROUNDS = 3
REPEATS = 3
LIMIT = 1.3


@dataclass(frozen=True, slots=True)
class CalibrationCase:
    """A plan of a sample."""

    sample: str
    workload: Workload
    family: str
    label: str


def calibration() -> dict[str, Any]:
    """q-errors of predicted seconds: over all plans, by family and by kernel."""
    runs: list[list[MeasuredRun]] = []
    seconds: list[list[float]] = []
    chosen = list(cases())
    for _ in range(ROUNDS):
        runs.append(measure_all(designs(), lambda _: None, StopSignal(3600)))
        seconds.append([_measured(case) for case in chosen])
    found = calibration_of([_best(turns) for turns in zip(*runs, strict=True)], 0.0, None)
    measured = np.min(seconds, axis=0).tolist()
    figures = [_figures(case, took, found) for case, took in zip(chosen, measured, strict=True)]
    return {
        "plans": len(figures),
        "q-error": _summary(figures),
        f"median under {LIMIT}": _summary(figures)["median"] < LIMIT,
        "by family": {
            name: _summary([t for t in figures if t["family"] == name])
            for name in dict.fromkeys(t["family"] for t in figures)
        },
        "by kernel": {
            name: _summary([t for t in figures if t["kernel"] == name])
            for name in dict.fromkeys(t["kernel"] for t in figures)
        },
        "load": os.getloadavg()[1],
        "samples": figures,
        "calibration": {
            name: part
            for name, part in calibration_document(found).items()
            if name in ("units", "fit", "c_sys")
        },
    }


def cases() -> Iterator[CalibrationCase]:
    """Best, baseline, worst and named plans of all samples that need no files, by all families."""
    for file in sorted((PROJECT / "sample_data").glob("*.yaml")):
        workload = load_workload(file.read_bytes(), file.name)
        if any(stream.rate is None for stream in workload.streams):
            continue
        for known in FAMILIES:
            if known.refuses(workload) is None:
                named = [
                    c.label
                    for c in known.space(workload).rank().candidates
                    if c.tags or c.label in STRATEGIES
                ]
                for label in dict.fromkeys(named):
                    yield CalibrationCase(file.stem, workload, known.name, label)


def _measured(case: CalibrationCase) -> float:
    point = Point(case.label, case.workload, case.family, case.label)
    return Sampler().sample(point, case.workload.run.seed, REPEATS).seconds


def _best(turns: tuple[MeasuredRun, ...]) -> MeasuredRun:
    return min(turns, key=lambda turn: turn.observation.seconds)


def _figures(case: CalibrationCase, measured: float, found: Calibration) -> dict[str, Any]:
    space = family(case.family).space(case.workload)
    plan = chosen_plan(space, case.label)
    work = space.kernel_work(plan, space.estimate(plan).costs)
    # What is measured is one batch after the warm-up: windows are full.
    predicted = kernel_seconds(work, found.units, 0.0, case.workload.run.duration)
    return {
        "sample": case.sample,
        "family": case.family,
        "plan": case.label,
        "kernel": work.kernel,
        "predicted": predicted,
        "measured": measured,
        "q-error": q_error(predicted, measured),
    }


def _summary(figures: list[dict[str, Any]]) -> dict[str, float]:
    errors = [t["q-error"] for t in figures]
    return {"plans": len(errors), **spread(errors)}
