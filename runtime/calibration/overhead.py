"""What a tuple entering a slice costs on this machine, in comparisons: `execution.c_sys`.

Found by regression over chains of the same queries, merged otherwise: they probe and return the
same, and differ in what is compared to route and purge, and in how many slices tuples enter.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import hypot

import numpy as np

from planner.seconds.calibration import Figure
from runtime.calibration.fitting import least_squares


@dataclass(frozen=True, slots=True)
class ChainRun:
    """What one chain of some queries counted in all, and the processor's seconds it took."""

    queries: str
    comparisons: float
    entering: float
    seconds: float


@dataclass(frozen=True, slots=True)
class Overhead:
    """Seconds per comparison and per tuple that enters a slice; their ratio is `c_sys`.

    `spread` is how far the ratio moves when a run is left out (standard error of the jackknife);
    the errors are how far the runs themselves are from what is fitted (q-errors).
    """

    compare: float
    enter: float
    c_sys: float
    spread: float
    median_error: float
    worst_error: float


def fitted_overhead(runs: Sequence[ChainRun]) -> Overhead | None:
    """What comes nearest to all runs, each run's error taken relative to its seconds.

    Every set of queries has seconds of its own that all its chains take. None where the runs do not
    tell what a comparison takes.
    """
    weighed = _per_second(runs)
    found = least_squares(weighed)
    if found[0] <= 0:
        return None
    without = [least_squares(np.delete(weighed, n, axis=0)) for n in range(len(runs))]
    ratios = [units[1] / units[0] for units in without if units[0] > 0]
    if len(ratios) < len(runs):
        return None
    relative = weighed @ found
    errors = np.maximum(relative, 1 / np.maximum(relative, 1e-12))
    return Overhead(
        float(found[0]),
        float(found[1]),
        float(found[1] / found[0]),
        float(np.sqrt((len(runs) - 1) * np.var(ratios))),
        float(np.median(errors)),
        float(errors.max()),
    )


def c_sys_of(runs: Sequence[ChainRun], figures: Mapping[str, Figure]) -> Figure | None:
    """C_sys by the chains; where they do not tell it, what a slice takes to store a tuple over what
    it takes to compare two, by the figures of its kernel."""
    told = fitted_overhead(runs) if runs else None
    if told is not None:
        return Figure(told.c_sys, told.spread)
    enter, compare = figures.get("insert"), figures.get("comparison, nested probe")
    if enter is None or compare is None or enter.value <= 0 or compare.value <= 0:
        return None
    relative = hypot(enter.spread / enter.value, compare.spread / compare.value)
    return Figure(enter.value / compare.value, relative * enter.value / compare.value)


def _per_second(runs: Sequence[ChainRun]) -> np.ndarray:
    """By run, over its seconds: what it compared and what entered more than the least of its
    queries' chains, and one for the set of queries it belongs to."""
    sets = list(dict.fromkeys(run.queries for run in runs))
    least = {
        name: [
            min(getattr(run, field) for run in runs if run.queries == name)
            for field in ("comparisons", "entering")
        ]
        for name in sets
    }
    rows = [
        [
            run.comparisons - least[run.queries][0],
            run.entering - least[run.queries][1],
            *(float(run.queries == name) for name in sets),
        ]
        for run in runs
    ]
    return np.array(rows) / np.array([[run.seconds] for run in runs])
