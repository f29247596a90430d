"""Plan diagrams: which plan wins in every cell of two axes, and what it and the next best cost.

1. Where costs are smooth, the parts of all cells are interpolated (`smooth_grid`) and the best
   plans found from them at once. Cells in which two plans are so close that this could decide
   wrongly are planned by themselves.
2. Otherwise every cell is planned; where these are too many, first those at the corners of blocks,
   and inside a block only where its corners have different winners.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Literal

import numpy as np

from planner.families.grid_pricing import GridPrices, GridPricing
from planner.joins.arrays import Floats, Ints
from planner.plan.objective import Objective
from planner.whatif.axes import Axis
from planner.whatif.cells import Cells, Values
from planner.whatif.diagrams.smooth_grid import interpolated

Method = Literal["all cells planned", "interpolated", "refined at borders"]

# So few cells are planned one by one at once; up to so many where costs are not smooth.
FEW_CELLS = 100
MOST_ALONE = 400
# Interpolating asks for so many cells at most.
_MOST_NODES = 1_500
# Costs that differ by less might be interpolated in the wrong order.
_CLOSE = 1e-5
# Two plans whose costs never differ by more are the same everywhere.
_SAME = 1e-6
# So many close cells are planned. In others either plan is named: they differ by less than _CLOSE.
_MOST_CLOSE = 32
# A block of cells with one winner at its corners is taken to have it inside.
_BLOCK = 8
# Of so many cells that were planned until the time was over, a quarter is priced.
_MOST_LATE = 200


@dataclass(frozen=True, slots=True, eq=False)
class PlanDiagram:
    """The best plan of every cell, in row-major order, as a place in `plans`.

    `score` is what it scores and `second` what the next best plan does. `cost` has a row for each
    of `plans`: those that win somewhere, and the baseline. `planned` cells were planned one by one.
    `second` is exact where all plans of every cell were compared; else it is the best of `plans`.
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

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.axes[0].values), len(self.axes[1].values)

    @property
    def second_is_exact(self) -> bool:
        return self.method != "refined at borders"

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


def ratio(worse: Floats, better: Floats, by: Objective) -> Floats:
    """How many times worse these scores are: 1 where they are the same."""
    larger, smaller = (worse, better) if by.is_lowest else (better, worse)
    with np.errstate(divide="ignore", invalid="ignore"):
        found = np.where(larger == smaller, 1.0, larger / smaller)
    return np.asarray(np.maximum(found, 1.0))


def plan_diagram(cells: Cells, seconds: float) -> PlanDiagram:
    """The diagram of cells along two axes.

    Beyond MOST_ALONE those that must be planned one by one may take so many seconds.
    """
    places = list(product(*(axis.values for axis in cells.axes)))
    by = cells.by
    begun = time.monotonic()
    prices = _priced(cells, by, begun + seconds / 2) if len(places) > FEW_CELLS else None
    if prices is not None:
        return _from_prices(cells, places, prices, by)
    if len(places) > MOST_ALONE:
        return _refined(cells, by, begun + seconds)
    winners = [cells.winner(place) for place in places]
    return _planned(cells, places, winners, by)


# --- interpolated ---------------------------------------------------------------------------------


def _priced(cells: Cells, by: Objective, deadline: float) -> GridPrices | None:
    """The prices of all cells; None where costs are not smooth, or plans change their names, or
    where too few cells are known in time."""
    one, other = (axis.values for axis in cells.axes)
    space = cells.space((one[0], other[0]))
    pricing = space.capability(GridPricing)
    first = pricing.price_parts(by) if pricing is not None else None
    if pricing is None or first is None:
        return None
    known: dict[tuple[int, int], Floats | None] = {}

    def at(i: int, j: int) -> Floats | None:
        if (i, j) not in known:
            if time.monotonic() > deadline:
                return None
            here = cells.space((one[i], other[j])).capability(GridPricing)
            parts = here.price_parts(by) if here is not None else None
            same = parts is not None and parts.structure == first.structure
            known[i, j] = parts.values if parts is not None and same else None
        return known[i, j]

    found = interpolated((one, other), at, min(_MOST_NODES, len(one) * len(other)))
    return None if found is None else pricing.combined(found, by)


def _from_prices(
    cells: Cells, places: Sequence[Values], prices: GridPrices, by: Objective
) -> PlanDiagram:
    margin = ratio(prices.second, prices.score, by)
    winner = [prices.labels[place] for place in prices.best.tolist()]
    settled: dict[tuple[int, int], str] = {}
    planned = 0
    for at in np.flatnonzero(margin - 1 < _CLOSE).tolist():
        pair = (int(prices.best[at]), int(prices.runner_up[at]))
        if pair in settled:
            winner[at] = settled[pair]
            continue
        if planned == _MOST_CLOSE:
            break
        winner[at] = cells.winner(places[at])
        planned += 1
        if pair[1] >= 0 and _are_same(prices, pair):
            # They cost the same in every cell: what decides between them does so everywhere.
            settled[pair] = winner[at]
    plans = _with_baseline(cells, places[0], winner)
    return PlanDiagram(
        _two(cells.axes),
        plans,
        _places(winner, plans),
        prices.score,
        prices.second,
        np.array([prices.scores(label) for label in plans]),
        by,
        planned,
        "interpolated",
    )


def _are_same(prices: GridPrices, pair: tuple[int, int]) -> bool:
    one, other = (prices.scores(prices.labels[place]) for place in pair)
    return bool(np.allclose(one, other, rtol=_SAME, atol=0.0))


# --- planned --------------------------------------------------------------------------------------


def _planned(
    cells: Cells, places: Sequence[Values], winners: Sequence[str], by: Objective
) -> PlanDiagram:
    plans = _with_baseline(cells, places[0], winners)
    cost = np.array([cells.scores(place, plans) for place in places]).T
    winner = _places(winners, plans)
    second = np.array([_second(cells, place, by) for place in places])
    score = cost[winner, np.arange(len(places))]
    return PlanDiagram(
        _two(cells.axes), plans, winner, score, second, cost, by, len(places), "all cells planned"
    )


def _second(cells: Cells, place: Values, by: Objective) -> float:
    """What the next best plan scores; infinitely bad where there is none."""
    ranking = cells.space(place).rank(by, top=3)
    others = (c for c in ranking.candidates if c.label != ranking.best and by.eligible(c.label))
    return by.top([*(c.score for c in others), math.inf if by.is_lowest else -math.inf], float)


def _refined(cells: Cells, by: Objective, deadline: float) -> PlanDiagram:
    """Corners of the whole first. Blocks are split: large ones, and those whose corners differ."""
    rows, columns = (len(axis.values) for axis in cells.axes)
    found: dict[tuple[int, int], str] = {}

    def winner(i: int, j: int) -> str:
        if (i, j) not in found:
            found[i, j] = cells.winner((cells.axes[0].values[i], cells.axes[1].values[j]))
        return found[i, j]

    grid = np.full((rows, columns), -1)
    plans: dict[str, int] = {}
    blocks = [(0, rows - 1, 0, columns - 1)]
    while blocks and (time.monotonic() < deadline or not found):
        top, bottom, left, right = blocks.pop(0)
        corners = [winner(i, j) for i in (top, bottom) for j in (left, right)]
        is_small = bottom - top <= 1 and right - left <= 1
        is_few = bottom - top <= _BLOCK and right - left <= _BLOCK
        if is_small or (is_few and len(set(corners)) == 1):
            label = corners[0]
            inside = grid[top : bottom + 1, left : right + 1]
            inside[inside < 0] = plans.setdefault(label, len(plans))
            continue
        mid_row, mid_column = (top + bottom) // 2, (left + right) // 2
        blocks += [
            (one, other, begin, end)
            for one, other in _halves(top, mid_row, bottom)
            for begin, end in _halves(left, mid_column, right)
        ]
    spots = np.array(list(found))
    for i, j in np.argwhere(grid < 0).tolist():
        # Time is over: a cell that nothing is known of has the plan of the nearest.
        near = found[tuple(spots[np.argmin(np.abs(spots - (i, j)).sum(axis=1))].tolist())]
        grid[i, j] = plans.setdefault(near, len(plans))
    for (i, j), label in found.items():
        grid[i, j] = plans.setdefault(label, len(plans))
    first = (cells.axes[0].values[0], cells.axes[1].values[0])
    names = tuple(dict.fromkeys([*plans, _baseline(cells, first)]))
    cost = _spread_costs(cells, list(found), names, (rows, columns), deadline)
    own = grid.reshape(-1)
    score = cost[own, np.arange(rows * columns)]
    others = np.where(
        np.arange(len(names))[:, None] == own, np.inf, cost if by.is_lowest else -cost
    )
    second = others.min(axis=0)
    return PlanDiagram(
        _two(cells.axes),
        names,
        own,
        score,
        second if by.is_lowest else -second,
        cost,
        by,
        len(found),
        "refined at borders",
    )


def _halves(low: int, middle: int, high: int) -> list[tuple[int, int]]:
    return [(low, middle), (middle, high)] if low < middle < high else [(low, high)]


def _spread_costs(
    cells: Cells,
    known: Sequence[tuple[int, int]],
    plans: Sequence[str],
    shape: tuple[int, int],
    deadline: float,
) -> Floats:
    """The plans' costs: where a cell was not priced, those of the nearest cell that was.

    Cells are priced in the order in which they were planned, which is from coarse to fine: all of
    them, or a quarter at least if that takes longer than until the deadline.
    """
    values = [axis.values for axis in cells.axes]
    priced: list[tuple[float, ...]] = []
    for i, j in known:
        if time.monotonic() > deadline and 4 * len(priced) >= min(len(known), _MOST_LATE):
            break
        priced.append(cells.scores((values[0][i], values[1][j]), plans))
    cost, spots = np.array(priced), np.array(known[: len(priced)])
    found = np.empty((len(plans), shape[0] * shape[1]))
    for place, (i, j) in enumerate(product(range(shape[0]), range(shape[1]))):
        nearest = np.argmin(np.abs(spots - (i, j)).sum(axis=1))
        found[:, place] = cost[nearest]
    return found


def _with_baseline(cells: Cells, first: Values, winners: Sequence[str]) -> tuple[str, ...]:
    return tuple(sorted({*winners, _baseline(cells, first)}))


def _baseline(cells: Cells, first: Values) -> str:
    return cells.named(cells.space(first).rank(top=1).baseline, first)


def _two(axes: Sequence[Axis]) -> tuple[Axis, Axis]:
    one, other = axes
    return one, other


def _places(winners: Sequence[str], plans: Sequence[str]) -> Ints:
    known = {label: place for place, label in enumerate(plans)}
    return np.array([known[label] for label in winners])
