"""A diagram by planning few cells: those at the corners of blocks, more where these differ.

A block is split where its corners have different winners, and a large one in any case. Cells that
were not planned have the winner and the costs of the nearest that was.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

import numpy as np

from planner.joins.arrays import Floats, Ints
from planner.plan.objective import Objective
from planner.whatif.cells import Cells, Values
from planner.whatif.diagrams.plan_diagram import PlanDiagram, baseline, doubtful, two

# A block of cells with one winner at its corners is taken to have it inside.
_BLOCK = 8
# Of so many cells that were planned until the time was over, a quarter is priced.
_MOST_LATE = 200


def refined(cells: Cells, by: Objective, deadline: float) -> PlanDiagram:
    """Corners of the whole first, then of its parts, until all is known or the time is over."""
    rows, columns = (len(axis.values) for axis in cells.axes)
    found: dict[tuple[int, int], str] = {}

    def winner(i: int, j: int) -> str:
        if (i, j) not in found:
            found[i, j] = cells.winner(_at(cells, (i, j)))
        return found[i, j]

    grid = np.full((rows, columns), -1)
    plans: dict[str, int] = {}
    blocks = [(0, rows - 1, 0, columns - 1)]
    while blocks and (time.thread_time() < deadline or not found):
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
    # Time is over: a cell that nothing is known of has the plan of the nearest.
    known = list(found)
    near = _nearest((rows, columns), known)
    for i, j in np.argwhere(grid < 0).tolist():
        grid[i, j] = plans.setdefault(found[known[near[i, j]]], len(plans))
    for (i, j), label in found.items():
        grid[i, j] = plans.setdefault(label, len(plans))
    first = (cells.axes[0].values[0], cells.axes[1].values[0])
    names = tuple(dict.fromkeys([*plans, baseline(cells, first)]))
    cost, unsure = _spread_costs(cells, list(found), names, (rows, columns), deadline)
    own = grid.reshape(-1)
    score = cost[own, np.arange(rows * columns)]
    others = np.where(
        np.arange(len(names))[:, None] == own, np.inf, cost if by.is_lowest else -cost
    )
    second = others.min(axis=0)
    return PlanDiagram(
        two(cells.axes),
        names,
        own,
        score,
        second if by.is_lowest else -second,
        cost,
        by,
        len(found),
        "refined at borders",
        unsure,
    )


def _at(cells: Cells, place: tuple[int, int]) -> Values:
    return cells.axes[0].values[place[0]], cells.axes[1].values[place[1]]


def _halves(low: int, middle: int, high: int) -> list[tuple[int, int]]:
    return [(low, middle), (middle, high)] if low < middle < high else [(low, high)]


def _spread_costs(
    cells: Cells,
    known: Sequence[tuple[int, int]],
    plans: Sequence[str],
    shape: tuple[int, int],
    deadline: float,
) -> tuple[Floats, float | None]:
    """The plans' costs, and in what share of the cells chance decides. Where a cell was not priced
    it has the costs of the nearest cell that was.

    Cells are priced in the order in which they were planned, which is from coarse to fine: all of
    them, or a quarter at least if that takes longer than until the deadline.
    """
    values = [axis.values for axis in cells.axes]
    priced: list[tuple[float, ...]] = []
    for i, j in known:
        if time.thread_time() > deadline and 4 * len(priced) >= min(len(known), _MOST_LATE):
            break
        priced.append(cells.scores((values[0][i], values[1][j]), plans))
    done = known[: len(priced)]
    spread = np.array(priced).T[:, _nearest(shape, done).reshape(-1)]
    return spread, doubtful(cells, [_at(cells, place) for place in done], plans)


def _nearest(shape: tuple[int, int], places: Sequence[tuple[int, int]]) -> Ints:
    """For every cell the nearest of these places, counted in steps, by its number."""
    rows, columns = np.array(places).T
    across = np.abs(np.arange(shape[1])[:, None] - columns)
    return np.array([(across + np.abs(row - rows)).argmin(axis=1) for row in range(shape[0])])
