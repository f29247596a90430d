"""Late and early aggregation in the two-way hash setting of the paper's Figure 6, in turns.

The unit costs by which seconds are predicted come from other settings than the one that is checked.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from bench.measure import plans_in_turns
from planner.experiments.tran.curves import Row, grouped_join
from planner.families.early_aggregation import NAME
from planner.families.registry import family
from planner.plan.cost import UnitCosts, Units, q_error
from planner.workload.execution import Execution
from planner.workload.workload import Workload
from runtime.calibration.calibrate import observed
from runtime.calibration.fitting import FittedKernel, Observation, fitted

ROUNDS = 5
SEED = 1
SECONDS = 100.0
# Tuples per second, tuples of the window, groups, and values of the key, of both streams.
STREAMS = (Row(300, 5000, 150, 10), Row(300, 5000, 1, 10))
LABELS = ("LAP", "EAP-11")
# How far the measured ratio may be from the predicted one.
WITHIN = 1.3

_HASH, _FIVE, _NESTED = Execution(join="hash"), Execution(join="hash", buckets=5), Execution()
# Windows, groups of both streams, values of the key, how windows are probed, and seconds: none is
# the setting above, and together they separate the kinds of work.
_DESIGN = (
    (500, (15, 1), 10, _HASH, 60.0),
    (500, (50, 5), 50, _HASH, 100.0),
    (500, (20, 20), 5, _HASH, 20.0),
    (1000, (300, 1), 20, _HASH, 60.0),
    (1000, (40, 1), 100, _HASH, 100.0),
    (2000, (60, 1), 10, _HASH, 30.0),
    (2000, (100, 3), 40, _FIVE, 30.0),
    (2000, (400, 1), 25, _HASH, 40.0),
    (500, (30, 1), 100, _NESTED, 30.0),
    (1000, (10, 10), 500, _NESTED, 20.0),
    (1000, (100, 1), 50, _FIVE, 30.0),
    (3000, (20, 1), 100, _HASH, 60.0),
)


def aggregation() -> dict[str, Any]:
    """Tuples per second of both plans, and their ratio beside the predicted ones."""
    fit = measured_units()
    units = UnitCosts(Units(), "measured by python -m bench aggregation", fit.kinds)
    workload = _workload(STREAMS, _HASH, SECONDS)
    rounds = plans_in_turns(workload, NAME, LABELS, SEED, ROUNDS)
    best = {label: min(samples, key=lambda s: s.seconds) for label, samples in rounds.items()}
    rates = {label: sample.rate for label, sample in best.items()}
    known = family(NAME)
    late, early = known.space(workload).scores(LABELS)
    in_seconds = {label: _seconds(known.space(workload, units).rank(), label) for label in LABELS}
    measured = rates["EAP-11"] / rates["LAP"]
    by_seconds = in_seconds["LAP"] / in_seconds["EAP-11"]
    return {
        "tuples": best["LAP"].tuples,
        "same answer": len({sample.answer for sample in best.values()}) == 1,
        "tuples per second": rates,
        "processor seconds of all rounds": {
            label: [sample.seconds for sample in samples] for label, samples in rounds.items()
        },
        "EAP-11 over LAP, measured": measured,
        "EAP-11 over LAP, predicted": by_seconds,
        "EAP-11 over LAP, predicted in operations": late / early,
        "within 30% of predicted": (q_error(by_seconds, measured) or 0.0) <= WITHIN,
        "unit costs in nanoseconds": _unit_costs(fit),
        "seconds per second of stream time": {
            label: {
                "predicted": in_seconds[label],
                "measured": best[label].seconds / best[label].span,
            }
            for label in LABELS
        },
    }


def measured_units() -> FittedKernel:
    """Unit costs of the aggregation kernel, from all plans of the designed runs."""
    return fitted("aggregation", list(_observations()))


def _observations() -> Iterator[Observation]:
    for window, groups, values, execution, seconds in _DESIGN:
        rows = [Row(300, window, own, values) for own in groups]
        workload = _workload(rows, execution, seconds)
        labels = ("LAP", "EAP-10", "EAP-01", "EAP-11")
        for label, samples in plans_in_turns(workload, NAME, labels, SEED, rounds=2).items():
            best = min(samples, key=lambda s: s.seconds)
            plan = family(NAME).space(workload).plan(label)
            yield observed(plan, workload, best)


def _workload(rows: Sequence[Row], execution: Execution, seconds: float) -> Workload:
    workload = grouped_join("two-way", rows, execution)
    return replace(workload, run=replace(workload.run, seed=SEED, duration=seconds))


def _seconds(ranking: Any, label: str) -> float:
    return next(float(c.seconds) for c in ranking.candidates if c.label == label)


def _unit_costs(fit: FittedKernel) -> dict[str, Any]:
    return {
        "each": {name: 1e9 * figure.value for name, figure in fit.figures.items()},
        "standard error": {name: 1e9 * figure.spread for name, figure in fit.figures.items()},
        "q-error of the runs": {"median": fit.fit.median, "worst": fit.fit.worst},
    }
