"""Plans that win only between two cells: the values between cells that must be planned too.

Where costs are smooth (`GridPricing`) the plans of many values are priced at once: those next to
which another plan wins are planned. Otherwise every interval is planned at a few values.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np

from planner.families.grid_pricing import GridPrices, GridPricing
from planner.joins.arrays import Floats
from planner.whatif.axes import Axis
from planner.whatif.cells import Cells
from planner.whatif.diagrams.smooth_grid import interpolated_line

# So many values are priced where costs are smooth, and so many are planned where they are not.
MOST_PRICED = 4_000
MOST_PLANNED = 120
# In an interval so many are.
_MOST_EACH = 64
_MOST_INSIDE = 7
# Interpolating asks for so many values at most.
_MOST_NODES = 400
# Of so many values next to a change each is planned.
_MOST_CHANGES = 400
# Plans whose prices differ by less are the same: prices are interpolated.
_SAME = 1e-6

Between = Callable[[float, float], tuple[float, ...]]


def dips(cells: Cells) -> Between:
    """A function that gives the values to plan between two neighbouring cells."""
    (axis,) = cells.axes
    count = len(axis.values) - 1
    if count < 1:
        return lambda _low, _high: ()
    fine = _fine(cells, axis, min(_MOST_EACH, max(2, MOST_PRICED // count)))
    prices = _priced(cells, fine)
    if prices is not None:
        changes = _changes(fine, prices)
        upwards = sorted(changes)
        return lambda low, high: _within(upwards, low, high)
    inside = 1
    if not cells.is_simulated:
        inside = min(_MOST_INSIDE, max(1, MOST_PLANNED // count))
    return lambda low, high: tuple(
        value for value in _spread(cells, axis, low, high, inside + 1)[1:-1]
    )


def _within(upwards: Sequence[float], low: float, high: float) -> tuple[float, ...]:
    """Those of these values that are between two others, in their direction."""
    one, other = sorted((low, high))
    found = upwards[bisect_right(upwards, one) : bisect_left(upwards, other)]
    return tuple(found) if low <= high else tuple(reversed(found))


def _fine(cells: Cells, axis: Axis, parts: int) -> tuple[float, ...]:
    values = [axis.values[0]]
    for low, high in pairwise(axis.values):
        values += _spread(cells, axis, low, high, parts)[1:]
    return tuple(values)


def _spread(cells: Cells, axis: Axis, low: float, high: float, parts: int) -> list[float]:
    """Values from one to another on the scale of the axis; whole ones where it takes no others."""
    shares = [step / parts for step in range(1, parts)]
    # A number that is rounded may be 0 at one end.
    if axis.is_log and low > 0 and high > 0:
        inner = [low * math.exp(share * math.log(high / low)) for share in shares]
    else:
        inner = [low + share * (high - low) for share in shares]
    if cells.axis_is_whole(axis):
        inner = [float(round(value)) for value in inner]
    return list(dict.fromkeys([low, *inner, high]))


def _priced(cells: Cells, values: Sequence[float]) -> GridPrices | None:
    """The prices at all values; None where costs are not smooth."""
    by = cells.by
    pricing = cells.space((values[0],)).capability(GridPricing)
    first = pricing.price_parts(by) if pricing is not None and not cells.is_simulated else None
    if pricing is None or first is None:
        return None
    known: dict[int, Floats | None] = {}

    def at(i: int) -> Floats | None:
        if i not in known:
            here = cells.space((values[i],)).capability(GridPricing)
            parts = here.price_parts(by) if here is not None else None
            same = parts is not None and parts.structure == first.structure
            known[i] = parts.values if parts is not None and same else None
        return known[i]

    found = interpolated_line(values, at, min(_MOST_NODES, len(values)))
    return None if found is None else pricing.combined(found, by)


def _changes(values: Sequence[float], prices: GridPrices) -> list[float]:
    """The values on both sides of each change of the best plan."""
    found: dict[float, None] = {}
    for place in np.flatnonzero(np.diff(prices.best)).tolist()[:_MOST_CHANGES]:
        one, other = (prices.scores(prices.labels[prices.best[at]]) for at in (place, place + 1))
        beside = slice(place, place + 2)
        if not np.allclose(one[beside], other[beside], rtol=_SAME, atol=0.0):
            found |= dict.fromkeys(values[beside])
    return list(found)
