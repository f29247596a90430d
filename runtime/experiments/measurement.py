"""Measure an experiment: every point once a round, so that a noisy machine is noisy for all."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass

from planner.experiments.experiment import Experiment
from planner.experiments.registry import experiment
from runtime.backends.protocol import OnProgress
from runtime.experiments.figure import Figure, nothing_yet
from runtime.experiments.figure_store import keep, kept
from runtime.experiments.sampling import Sampler
from runtime.runs.records import Progress, versions


@dataclass(frozen=True, slots=True)
class FigureRequest:
    """Which experiment to measure: what is missing of it, or all of it anew."""

    experiment: str
    anew: bool = False

    @property
    def label(self) -> str:
        """What is measured, for a page."""
        return experiment(self.experiment).title


def measure(
    request: FigureRequest,
    on_progress: OnProgress = lambda _: None,
    cancel: threading.Event | None = None,
) -> Figure:
    """Measure what is missing, and keep it. What a cancelled one has measured is kept, too."""
    wanted = experiment(request.experiment)
    before = None if request.anew else kept(wanted)
    figure = begun = before or nothing_yet(wanted, versions(), os.cpu_count() or 1)
    for figure in rounds(wanted, begun, on_progress):
        keep(wanted, figure)
        if cancel is not None and cancel.is_set():
            break
    return figure


def rounds(wanted: Experiment, figure: Figure, on_progress: OnProgress) -> Iterator[Figure]:
    """The figure after each measurement that it lacks. Loading the kernels is not timed."""
    sampler, begun = Sampler(), time.monotonic()
    missing = [
        (turn, point)
        for turn in range(wanted.rounds)
        for point in wanted.points
        if figure.rounds_of(point) <= turn
    ]
    on_progress(Progress("Loading the kernels", 0, len(missing)))
    for made, (turn, point) in enumerate(missing, 1):
        # Counts get other tuples each round, for their spread; times are compared on the same.
        seed = point.workload.run.seed + (0 if wanted.quantity == "rate" else turn)
        figure = figure.with_sample(point, sampler.sample(point, seed), time.time())
        phase = f"Round {turn + 1} of {wanted.rounds}"
        spent = time.monotonic() - begun
        on_progress(Progress(phase, made, len(missing), seconds=spent, step="measurement"))
        yield figure
