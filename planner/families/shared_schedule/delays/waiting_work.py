"""The work that waits: the same under every policy, so that it needs no schedule.

The work that a tuple finds follows from when tuples come and how long they scan, by sums and minima
of whole columns. So it is known from far more tuples than schedules are simulated on:

    few tuples, every policy   |~~~|                      delays, and how they follow the work
    many tuples, the work      |~~~~~~~~~~~~~~~~~~~~~~~|  how much work there is to follow

A short sample near full load has too little of it. It begins with an empty queue, ends before the
work has swung up and down often (each swing takes about 1 / (1 - load)^2 tuples), and its load is
exactly what is stated while windows that hold now more, now fewer tuples make it vary.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from planner.families.shared_schedule.delays.sample import (
    ArrivalSample,
    drawn_sample,
)
from planner.families.shared_schedule.model import ScheduleModel
from planner.joins.arrays import Floats
from planner.seconds.clock import Clock

# A mean needs so many swings of the work, and so many full changes of what windows hold for each
# share by which the load varies with them.
_SWINGS = 150
_CHANGES = 400
# So many tuples are drawn at most: for each scan that is simulated, and in all.
_TUPLES_A_SCAN = 30
_MOST_TUPLES = 200_000
# Longer than most swings are stretches of this number: their means are about independent.
_STRETCHES = 10


@dataclass(frozen=True, slots=True)
class WaitingWork:
    """The mean work that an arriving tuple finds, in seconds, and its standard error.

    `covered` is the share of the tuples that a mean needs at this load: below 1 it may be too low.
    So many arrivals were `drawn` for it.
    """

    mean: float
    error: float = 0.0
    covered: float = 1.0
    drawn: int = 0


def tuples_needed(model: ScheduleModel, load: float, variation: float) -> float:
    """From how many tuples the mean is known, where the load varies so much with the windows (as a
    share of what is left to full load, squared)."""
    stored = sum(expression.value for expression in model.largest)
    return max(_SWINGS / (1 - load) ** 2, _CHANGES * variation * stored)


def simulated_work(model: ScheduleModel, clock: Clock, needed: float, scans: int) -> WaitingWork:
    """The mean over so many tuples, or over as many as go with so many simulated scans."""
    count = round(min(needed, _TUPLES_A_SCAN * scans, _MOST_TUPLES))
    work = work_found(drawn_sample(model, clock, count, model.windows[-1:]))
    means = [float(part.mean()) for part in np.array_split(work, _STRETCHES) if len(part)]
    covered = min(1.0, count / needed)
    # Where swings are longer than stretches, these are too much alike to say all of the error.
    error = float(np.std(means) / np.sqrt(covered * len(means)))
    return WaitingWork(float(work.mean()), error, covered, count)


def work_found(sample: ArrivalSample) -> Floats:
    """The work that each measured tuple of a sample finds."""
    return waiting_work(sample.ts, sample.spent[:, -1])[sample.measured :]


def waiting_work(ts: Floats, scans: Floats) -> Floats:
    """The work that each tuple finds when it arrives."""
    level = np.concatenate(([0.0], np.cumsum(scans[:-1] - np.diff(ts))))
    return np.asarray(level - np.minimum.accumulate(np.minimum(level, 0.0)))
