"""A diagram from the prices of all cells at once, where costs are smooth (`smooth_grid`).

Cells in which two plans are so close that interpolating could decide wrongly are planned.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from itertools import product

import numpy as np

from planner.families.grid_pricing import GridPrices, GridPricing
from planner.joins.arrays import Floats
from planner.plan.objective import Objective
from planner.whatif.cells import Cells, Values
from planner.whatif.diagrams.plan_diagram import PlanDiagram, of_prices, ratio
from planner.whatif.diagrams.smooth_grid import interpolated

# Interpolating asks for so many cells at most.
_MOST_NODES = 1_500
# Costs that differ by less might be interpolated in the wrong order.
CLOSE = 1e-5
# Two plans whose costs never differ by more are the same everywhere.
_SAME = 1e-6
# So many close cells are planned. In others either plan is named: they differ by less than CLOSE.
_MOST_CLOSE = 32


def from_prices(cells: Cells, deadline: float) -> PlanDiagram | None:
    """The diagram; None where costs are not smooth, or too few cells are known in time."""
    prices = _priced(cells, cells.by, deadline)
    if prices is None:
        return None
    places = list(product(*(axis.values for axis in cells.axes)))
    return _from_prices(cells, places, prices, cells.by)


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
            if time.thread_time() > deadline:
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
    for at in np.flatnonzero(margin - 1 < CLOSE).tolist():
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
    return of_prices(cells, prices, winner, planned, "interpolated")


def _are_same(prices: GridPrices, pair: tuple[int, int]) -> bool:
    one, other = (prices.scores(prices.labels[place]) for place in pair)
    return bool(np.allclose(one, other, rtol=_SAME, atol=0.0))
