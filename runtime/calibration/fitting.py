"""Unit costs from runs: how many seconds a unit of each kind of work takes, by regression.

What a tuple entering a slice costs, in comparisons (`execution.c_sys`), is found over chains of the
same queries, merged otherwise: they probe and return the same, and differ in what is compared to
route and purge, and in how many slices tuples enter.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from math import hypot
from pathlib import Path
from typing import Any

import numpy as np

from planner.files.safe_yaml import read_yaml
from planner.plan.cost import UNIT_FIELDS, Units
from planner.seconds.calibration import CalibratedFigure, Fit
from planner.seconds.kernel_work import Kernel, Work

# A kind of operator without its kernel, and the unit: what is distinguished, what is not.
Term = tuple[str, str]

# Beside rows that sum up to 1; larger ones bend the figures, without any some are lost to others.
_SHRINK = 0.1
_COUNTS = {
    "compare": "comparisons",
    "insert": "inserts",
    "expire": "expirations",
    "group_update": "group_updates",
    "output": "rows_out",
}


@cache
def quantities() -> dict[Kernel, dict[str, list[Term]]]:
    """What is distinguished by kernel, each with the terms that are alike in it."""
    listed: Any = read_yaml(Path(__file__).with_name("quantities.yaml").read_bytes())
    return {
        kernel: {
            name: [(kind, unit) for kind, _, unit in (term.rpartition(" ") for term in terms)]
            for name, terms in own.items()
        }
        for kernel, own in listed.items()
    }


@dataclass(frozen=True, slots=True)
class Observation:
    """What a run did in all, and the processor's seconds that it took."""

    work: tuple[Work, ...]
    seconds: float


@dataclass(frozen=True, slots=True)
class FittedKernel:
    """Units by kind of operator; the figures they are made of; how near they come to the runs."""

    kinds: Mapping[str, Units]
    figures: Mapping[str, CalibratedFigure]
    fit: Fit


def fitted(kernel: Kernel, runs: Sequence[Observation]) -> FittedKernel:
    """The units that come nearest to all runs, each run's error taken relative to its seconds.

    No kind of work takes less than no time; what no run does is left out.
    """
    amounts = np.array([amounts_of(kernel, run.work) for run in runs])
    seconds = np.array([run.seconds for run in runs])
    per_second = amounts / seconds[:, None]
    found = least_squares(per_second, _SHRINK)
    left_out = (np.delete(per_second, n, axis=0) for n in range(len(runs)))
    without = np.array([least_squares(others, _SHRINK) for others in left_out])
    spread = np.sqrt((len(runs) - 1) * np.var(without, axis=0))
    errors = _errors(per_second @ found)
    held_out = _errors((per_second * without).sum(axis=1))
    names = list(quantities()[kernel])
    done = [bool(column.any()) for column in amounts.T]
    figures = {
        name: CalibratedFigure(float(found[n]), float(spread[n]))
        for n, name in enumerate(names)
        if done[n]
    }
    fit = Fit(len(runs), float(np.median(errors)), float(errors.max()), float(np.median(held_out)))
    return FittedKernel(kinds_of(kernel, figures), figures, fit)


def amounts_of(kernel: Kernel, work: Sequence[Work]) -> list[float]:
    """How much there is of each quantity of a kernel."""
    by_kind: dict[Term, float] = {}
    for done in work:
        kind = done.kind.removeprefix(f"{kernel} ")
        for unit, count in _COUNTS.items():
            by_kind[kind, unit] = by_kind.get((kind, unit), 0.0) + getattr(done.cost, count)
        by_kind[kind, "given"] = by_kind.get((kind, "given"), 0.0) + done.given
    own = quantities()[kernel].values()
    return [sum(by_kind.get(term, 0.0) for term in terms) for terms in own]


def kinds_of(kernel: Kernel, figures: Mapping[str, CalibratedFigure]) -> dict[str, Units]:
    """The units of a kernel's operators, made of these figures."""
    values: dict[str, dict[str, float]] = {}
    for name, terms in quantities()[kernel].items():
        for kind, unit in terms:
            value = figures[name].value if name in figures else 0.0
            values.setdefault(f"{kernel} {kind}", {})[unit] = value
    assert all(unit in UNIT_FIELDS for units in values.values() for unit in units)
    return {kind: Units(**units) for kind, units in values.items()}


def _errors(relative: np.ndarray) -> np.ndarray:
    return np.maximum(relative, 1 / np.maximum(relative, 1e-12))


def least_squares(per_second: np.ndarray, shrink: float = 0.0) -> np.ndarray:
    """Non-negative weights with which each row sums up as near to 1 as can be.

    Kinds whose weight comes out negative are left out, the most negative first, until none does.
    `shrink` keeps weights small: of kinds that always come together, each then has its part.
    """
    kept = [n for n in range(per_second.shape[1]) if per_second[:, n].any()]
    weights = np.zeros(per_second.shape[1])
    while kept:
        scale = np.abs(per_second[:, kept]).max(axis=0)
        rows = np.vstack([per_second[:, kept] / scale, shrink * np.eye(len(kept))])
        wanted = np.concatenate([np.ones(len(per_second)), np.zeros(len(kept))])
        solved, *_ = np.linalg.lstsq(rows, wanted, rcond=None)
        if solved.min() >= 0:
            weights[kept] = solved / scale
            break
        del kept[int(solved.argmin())]
    return weights


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
    errors = _errors(weighed @ found)
    return Overhead(
        float(found[0]),
        float(found[1]),
        float(found[1] / found[0]),
        float(np.sqrt((len(runs) - 1) * np.var(ratios))),
        float(np.median(errors)),
        float(errors.max()),
    )


def c_sys_of(
    runs: Sequence[ChainRun], figures: Mapping[str, CalibratedFigure]
) -> CalibratedFigure | None:
    """C_sys by the chains; where they do not tell it, what a slice takes to store a tuple over what
    it takes to compare two, by the figures of its kernel."""
    text = fitted_overhead(runs) if runs else None
    if text is not None:
        return CalibratedFigure(text.c_sys, text.spread)
    enter, compare = figures.get("insert"), figures.get("comparison, nested probe")
    if enter is None or compare is None or enter.value <= 0 or compare.value <= 0:
        return None
    relative = hypot(enter.spread / enter.value, compare.spread / compare.value)
    return CalibratedFigure(enter.value / compare.value, relative * enter.value / compare.value)


def _per_second(runs: Sequence[ChainRun]) -> np.ndarray:
    """By run, over its seconds: what it compared and what entered more than the least of its
    queries' chains, and one for the set of queries it belongs to."""
    sets = list(dict.fromkeys(run.queries for run in runs))
    counts = np.array([[run.comparisons, run.entering] for run in runs])
    belongs = np.array([[run.queries == name for name in sets] for run in runs])
    for of_set in belongs.T:
        counts[of_set] -= counts[of_set].min(axis=0)
    return np.hstack([counts, belongs]) / np.array([[run.seconds] for run in runs])
