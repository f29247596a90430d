"""Is the plan that is predicted fastest also the fastest by the clock?

The machine is calibrated by its designed runs. Then plans of random settings (`settings.py`), to
which nothing was fitted, take turns on the same tuples, on one thread, in one batch with windows
full; seconds are the processor's, the best of some rounds. In each setting the fastest plans by
predicted seconds take part, the best by the family's own objective, the worst, and some between.

Scheduled joins serve all policies in one run, so that there is nothing to choose: of them only the
seconds themselves are judged.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from bench.clock.settings import FIRST, SETTINGS
from bench.measure import plans_in_turns, spread
from planner.families import shared_schedule
from planner.families.protocol import PlanSpace
from planner.families.registry import family
from planner.families.shared_schedule.space import Schedules
from planner.plan.cost import UnitCosts, q_error
from planner.seconds.kernel_work import kernel_seconds
from planner.seconds.units import default_units
from planner.workload.workload import Workload
from runtime.backends.interruption import StopSignal
from runtime.calibration.calibrate import MeasuredRun, calibration_of, measure_all
from runtime.engines.design import designs

PLANS, ROUNDS, CALIBRATIONS = 8, 3, 2
# What plans are chosen by.
CALIBRATED, DEFAULTS, WORK = "calibrated seconds", "default seconds", "work"
NEAR = 1.1
# A run of the plan predicted fastest takes about so long, if so many tuples are enough for it.
SECONDS, LEAST_TUPLES, MOST_TUPLES = 0.04, 2_000, 100_000
# A plan that should take longer than this many seconds is left out.
MOST_SECONDS = 0.6
# So many settings of each family.
COUNTS = dict.fromkeys(SETTINGS, 30) | {shared_schedule.NAME: 10}
SEED = 5

Record = dict[str, Any]


def clock() -> Record:
    """By family: how often the plan predicted fastest is within 10% of the fastest."""
    records = list(measured(calibrated()))
    return {
        "by family": {
            name: summary([r for r in records if r["family"] == name])
            for name in dict.fromkeys(r["family"] for r in records)
        },
        "load": os.getloadavg()[1],
        "samples": records,
    }


def calibrated() -> UnitCosts:
    """This machine's unit costs: the best of some measurements of every designed run."""
    turns = [measure_all(designs(), lambda _: None, StopSignal(3600)) for _ in range(CALIBRATIONS)]
    best = [_fastest(runs) for runs in zip(*turns, strict=True)]
    return calibration_of(best, 0.0, None).units


def _fastest(runs: Sequence[MeasuredRun]) -> MeasuredRun:
    return min(runs, key=lambda run: run.observation.seconds)


def measured(units: UnitCosts) -> Iterator[Record]:
    """The settings of all families, with the predicted and the measured seconds of their plans."""
    for name, draw in SETTINGS.items():
        for number in range(FIRST, FIRST + COUNTS[name]):
            yield of_setting(name, draw(number), number, units)


def of_setting(name: str, workload: Workload, number: int, units: UnitCosts) -> Record:
    """One setting: its plans in turns. Seconds are those of one second of stream time."""
    space = family(name).space(workload, units)
    labels = contenders(space)
    least = min(space.scores(labels, space.objective("seconds")))
    chosen = with_span(workload, least)
    scores = {by: _scores(name, chosen, labels, given) for by, given in _units(units).items()}
    by_clock = scores[CALIBRATED]
    labels = tuple(label for label in labels if by_clock[label] <= MOST_SECONDS)
    work = space.scores(labels, space.objective("work"))
    scores[WORK] = dict(zip(labels, work, strict=True))
    samples = plans_in_turns(chosen, name, labels, SEED, ROUNDS)
    took = {label: min(sample.seconds for sample in runs) for label, runs in samples.items()}
    picked = {by: min(labels, key=lambda n: (own[n], n)) for by, own in scores.items()}
    return {
        "family": name,
        "number": number,
        "chosen by": picked,
        "fastest": min(took, key=lambda label: took[label]),
        "regret": {by: took[label] / min(took.values()) for by, label in picked.items()},
        "predicted": {label: by_clock[label] for label in labels},
        "measured": took,
    }


def _units(calibrated_here: UnitCosts) -> dict[str, UnitCosts]:
    return {CALIBRATED: calibrated_here, DEFAULTS: default_units()}


def _scores(
    name: str, workload: Workload, labels: Sequence[str], units: UnitCosts
) -> dict[str, float]:
    """Predicted seconds of one batch with windows full."""
    space, found = family(name).space(workload, units), {}
    for label in labels:
        plan = space.plan(label)
        work = space.kernel_work(plan, space.estimate(plan).costs)
        found[label] = kernel_seconds(work, units, 0.0, workload.run.duration)
    return found


def contenders(space: PlanSpace) -> tuple[str, ...]:
    """The labels of the plans that run: the fastest ones, the best, the worst, some between."""
    ranked = space.rank(space.objective("seconds"))
    labels = [c.label for c in ranked.candidates if space.objectives[0].eligible(c.label)]
    if isinstance(space, Schedules):
        return (labels[0],)
    places = np.linspace(0, len(labels) - 1, PLANS - 4).round().astype(int)
    named = [space.rank(top=1).best, *labels[:3], *(labels[place] for place in places)]
    return tuple(dict.fromkeys(named))


def with_span(workload: Workload, seconds: float) -> Workload:
    """The workload run as long as a plan of so many seconds per second of stream needs."""
    rate = sum(stream.rate or 0.0 for stream in workload.streams)
    duration = np.clip(SECONDS / seconds, LEAST_TUPLES / rate, MOST_TUPLES / rate)
    return replace(workload, run=replace(workload.run, duration=round(float(duration), 3)))


def summary(records: Sequence[Record]) -> Record:
    """How good the choices were, and the predicted seconds of all plans."""
    errors = [
        q_error(record["predicted"][label], took)
        for record in records
        for label, took in record["measured"].items()
    ]
    found: Record = {
        "settings": len(records),
        "plans": len(errors),
        "q-error of seconds": spread([error for error in errors if error is not None]),
    }
    if all(len(record["measured"]) == 1 for record in records):
        return found
    return {**found, "chosen by": {by: _choices(records, by) for by in records[0]["regret"]}}


def _choices(records: Sequence[Record], by: str) -> Record:
    worst = max(records, key=lambda record: float(record["regret"][by]))
    near = sum(record["regret"][by] <= NEAR for record in records)
    return {
        "within 10% of the fastest": near / len(records),
        "regret, worst": worst["regret"][by],
        "worst": worst["number"],
    }
