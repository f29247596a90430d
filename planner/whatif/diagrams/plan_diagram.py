"""A plan diagram: which plan wins in every cell of two axes, and what it and the next best cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from planner.families.grid_pricing import GridPrices
from planner.joins.arrays import Floats, Ints
from planner.plan.objective import Objective
from planner.whatif.axes import Axis
from planner.whatif.cells import Cells, Values

Method = Literal[
    "all cells planned",
    "interpolated",
    "plans interpolated",
    "refined at borders",
    "simulated in some cells",
]


@dataclass(frozen=True, slots=True, eq=False)
class PlanDiagram:
    """The best plan of every cell, in row-major order, as a place in `plans`.

    `score` is what it scores and `second` what the next best plan does. `cost` has a row for each
    of `plans`: those that win somewhere, and the baseline. `planned` cells were planned one by one.
    `second` is exact where all plans of every cell were compared; else it is of `plans` alone.
    Where scores are simulated, `doubtful` is the share of the cells in which the two best plans are
    closer than chance can tell: of the cells that were priced, or of all where they are fitted.
    Where they are fitted, `errors` are the standard errors of simulated scores, as shares of them:
    in the median cell and in the worst one, such as the one that is nearest to full load.
    """

    axes: tuple[Axis, Axis]
    plans: tuple[str, ...]
    winner: Ints
    score: Floats
    second: Floats
    cost: Floats
    by: Objective
    planned: int
    method: Method
    doubtful: float | None = None
    errors: tuple[float, float] | None = None

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.axes[0].values), len(self.axes[1].values)

    @property
    def second_is_exact(self) -> bool:
        return self.method in ("all cells planned", "interpolated", "simulated in some cells")

    @property
    def winners(self) -> tuple[str, ...]:
        """The plans that win somewhere, those that win most cells first."""
        counts = np.bincount(self.winner, minlength=len(self.plans))
        order = sorted(range(len(self.plans)), key=lambda at: (-counts[at], self.plans[at]))
        return tuple(self.plans[at] for at in order if counts[at])

    @property
    def margin(self) -> Floats:
        """How many times worse the next best plan is than the best; infinite without one."""
        return ratio(self.second, self.score, self.by)


def of_prices(
    cells: Cells,
    prices: GridPrices,
    winner: Sequence[str],
    planned: int,
    method: Method,
    doubtful: float | None = None,
    errors: tuple[float, float] | None = None,
) -> PlanDiagram:
    """The diagram of cells that are all priced at once, and of which each winner is known."""
    axes = two(cells.axes)
    plans = with_baseline(cells, (axes[0].values[0], axes[1].values[0]), winner)
    return PlanDiagram(
        axes,
        plans,
        places_of(winner, plans),
        prices.score,
        prices.second,
        np.array([prices.scores(label) for label in plans]),
        cells.by,
        planned,
        method,
        doubtful,
        errors,
    )


def ratio(worse: Floats, better: Floats, by: Objective) -> Floats:
    """How many times worse these scores are: 1 where they are the same."""
    larger, smaller = (worse, better) if by.is_lowest else (better, worse)
    with np.errstate(divide="ignore", invalid="ignore"):
        found = np.where(larger == smaller, 1.0, larger / smaller)
    return np.asarray(np.maximum(found, 1.0))


def doubtful(cells: Cells, places: Sequence[Values], plans: Sequence[str]) -> float | None:
    """In what share of these cells chance decides which of these plans is best; None where it
    decides nowhere."""
    if not cells.is_simulated:
        return None
    eligible = [label for label in plans if cells.by.eligible(label)]
    if len(eligible) < 2:
        return 0.0
    count = 0
    for place in places:
        scores = dict(zip(eligible, cells.scores(place, eligible), strict=True))
        one, other = cells.by.ordered(scores)[:2]
        count += cells.within_chance(place, one, other)
    return count / len(places)


def with_baseline(cells: Cells, first: Values, winners: Sequence[str]) -> tuple[str, ...]:
    """The plans that win somewhere, and the baseline of a cell."""
    return tuple(sorted({*winners, baseline(cells, first)}))


def baseline(cells: Cells, first: Values) -> str:
    """The baseline of a cell, under a name that every cell knows."""
    return cells.named(cells.space(first).rank(top=1).baseline, first)


def two(axes: Sequence[Axis]) -> tuple[Axis, Axis]:
    """The two axes of a diagram."""
    one, other = axes
    return one, other


def places_of(winners: Sequence[str], plans: Sequence[str]) -> Ints:
    """Where each winner is among the plans."""
    known = {label: place for place, label in enumerate(plans)}
    return np.array([known[label] for label in winners])
