"""Unit costs from runs: how many seconds a unit of each kind of work takes, by regression."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from planner.cost import Cost, UnitCosts

KINDS = ("comparisons", "inserts", "expirations", "group_updates")


@dataclass(frozen=True, slots=True)
class Observation:
    """What a run counted in all, and the processor's seconds that it took."""

    work: Cost
    seconds: float


@dataclass(frozen=True, slots=True)
class FittedUnits:
    """Unit costs; by kind of work how far they move when a run is left out (standard error of the
    jackknife); and how far the runs themselves are from them (q-errors)."""

    units: UnitCosts
    spread: dict[str, float]
    median_error: float
    worst_error: float


def fitted_units(observations: Sequence[Observation], source: str) -> FittedUnits:
    """The unit costs that come nearest to all runs, each run's error taken relative to its seconds.

    No kind of work takes less than no time. What leaves an operator costs nothing by itself here:
    it is counted where it is probed, or where a group is updated.
    """
    counts = np.array([[getattr(o.work, kind) for kind in KINDS] for o in observations])
    seconds = np.array([o.seconds for o in observations])
    per_second = counts / seconds[:, None]
    found = least_squares(per_second)
    without = [least_squares(np.delete(per_second, n, axis=0)) for n in range(len(seconds))]
    spread = np.sqrt((len(seconds) - 1) * np.var(without, axis=0))
    relative = per_second @ found
    errors = np.maximum(relative, 1 / np.maximum(relative, 1e-12))
    compare, insert, expire, group_update = found.tolist()
    return FittedUnits(
        UnitCosts({"default": compare}, insert, expire, group_update, 0.0, source),
        dict(zip(KINDS, spread.tolist(), strict=True)),
        float(np.median(errors)),
        float(errors.max()),
    )


def least_squares(per_second: np.ndarray) -> np.ndarray:
    """Non-negative weights with which each row sums up as near to 1 as can be.

    Kinds whose weight comes out negative are left out, the most negative first, until none does.
    """
    kept = list(range(per_second.shape[1]))
    weights = np.zeros(per_second.shape[1])
    while kept:
        scale = np.maximum(np.abs(per_second[:, kept]).max(axis=0), 1e-300)
        solved, *_ = np.linalg.lstsq(
            per_second[:, kept] / scale, np.ones(len(per_second)), rcond=None
        )
        solved /= scale
        if solved.min() >= 0:
            weights[kept] = solved
            break
        del kept[int(solved.argmin())]
    return weights
