"""Robust choice: the plan to take where numbers are known as ranges only.

Workloads are drawn from the ranges: evenly, in strata (a Latin hypercube), on the scale of each
axis; and their corners. Every plan that wins in one of them is priced in all. Chosen are the plan
whose worst regret is least, and the one whose expected score is best. Of the expected score the
error of sampling is stated; the worst regret is that of the workloads drawn, a lower bound.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from planner.families.capabilities import FluctuatingOnTop
from planner.families.protocol import Family
from planner.joins.arrays import Floats
from planner.plan.cost import UnitCosts
from planner.plan.objective import Objective
from planner.whatif.axes import Axis
from planner.whatif.cells import About, Cells, Values
from planner.whatif.diagrams.plan_diagram import ratio
from planner.whatif.sweep_paths import path_in, streams_of
from planner.workload.workload import Workload

SAMPLES = 200
MOST_SAMPLES = 2_000
# The corners of so many ranges are among what is drawn.
_MOST_CORNERED = 6
# Of a normal distribution so many standard deviations hold 95%.
_WIDE = 1.96


@dataclass(frozen=True, slots=True)
class RobustPlan:
    """A plan over the ranges: its regret at worst and on average, and its expected score.

    `error` is half the width of the 95% interval of the expected score. `worst_at` are the values
    at which its regret is worst.
    """

    plan: str
    worst: float
    mean: float
    expected: float
    error: float
    wins: int
    worst_at: Values


@dataclass(frozen=True, slots=True)
class RobustChoice:
    """All plans that were compared, least worst regret first.

    `safest` has the least worst regret, `expected` the best expected score, `nominal` is best where
    the workload is as it is declared; `rule` places streams that fluctuate on top.
    """

    axes: tuple[Axis, ...]
    by: Objective
    plans: tuple[RobustPlan, ...]
    safest: str
    expected: str
    nominal: str
    rule: str | None
    samples: int
    about: About

    def of(self, label: str) -> RobustPlan:
        return next(own for own in self.plans if own.plan == label)


def robust_choice(
    workload: Workload,
    axes: Sequence[Axis],
    family: Family,
    by: str | None = None,
    samples: int = SAMPLES,
    units: UnitCosts | None = None,
) -> RobustChoice:
    """Compare plans over ranges: each axis goes from its least to its largest value."""
    cells = Cells(workload, axes, family, by, samples, units)
    places = _drawn(workload, axes, samples)
    corners = []
    if len(axes) <= _MOST_CORNERED:
        corners = list(product(*((min(axis.values), max(axis.values)) for axis in axes)))
    space, objective = family.space(workload, units), cells.by
    nominal = cells.named(space.best(objective).label, places[0])
    ruler = space.capability(FluctuatingOnTop)
    fluctuating = streams_of(workload, [axis.path for axis in axes])
    rule = ruler.fluctuating_on_top(fluctuating) if ruler is not None and fluctuating else None
    every = [*places, *corners]
    winners = [cells.winner(place) for place in every]
    others = [label for label in (nominal, rule) if label is not None]
    plans = tuple(dict.fromkeys([*winners, *others]))
    scores = np.array([cells.scores(place, plans) for place in every]).T
    best = scores.min(axis=0) if objective.is_lowest else scores.max(axis=0)
    regret = np.array([ratio(own, best, objective) for own in scores])
    found = [
        _summed(plan, scores[at, : len(places)], regret[at], winners, every)
        for at, plan in enumerate(plans)
    ]
    found.sort(key=lambda own: (own.worst, own.mean, own.plan))
    expected = min(found, key=lambda own: (objective.signed(own.expected), own.plan))
    return RobustChoice(
        tuple(axes),
        objective,
        tuple(found),
        found[0].plan,
        expected.plan,
        nominal,
        rule,
        len(places),
        cells.about,
    )


def _summed(
    plan: str, scores: Floats, regret: Floats, winners: Sequence[str], places: Sequence[Values]
) -> RobustPlan:
    error = _WIDE * float(scores.std(ddof=1)) / len(scores) ** 0.5 if len(scores) > 1 else 0.0
    return RobustPlan(
        plan,
        float(regret.max()),
        float(regret[: len(scores)].mean()),
        float(scores.mean()),
        error,
        winners.count(plan),
        places[int(regret.argmax())],
    )


def _drawn(workload: Workload, axes: Sequence[Axis], samples: int) -> list[Values]:
    """Values from every range: of each, one in every stratum, in random order."""
    rng = np.random.default_rng(7)
    columns = []
    for axis in axes:
        shares = (rng.permutation(samples) + rng.random(samples)) / samples
        low, high = min(axis.values), max(axis.values)
        values = low * (high / low) ** shares if axis.is_log else low + shares * (high - low)
        if path_in(workload, axis.path).integer:
            values = np.round(values)
        columns.append(values.tolist())
    return list(zip(*columns, strict=True))
