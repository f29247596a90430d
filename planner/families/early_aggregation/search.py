"""The cheapest pipelines: for each origin, and for every choice of sets, the exact best order.

A probe's cost depends on the state before it alone, so that one pass over the states of an origin
finds the best order under all plans at once: O(m 3^m) for an origin, no order is listed.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from planner.families.early_aggregation.model import AggregationModel
from planner.families.early_aggregation.states import StateArrays, state_arrays, state_of
from planner.joins.arrays import Floats, Ints
from planner.time_limit import check

Order = tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Pipelines:
    """The cheapest way of one origin to each of its states, and what its probes do on that way.

    Comparisons decide alone: whatever the order, the same composites reach the output.
    """

    origin: int
    comparisons: Floats
    rows: Floats
    # The source that is joined last on that way.
    last: Ints

    def order(self, mask: int, count: int) -> Order:
        """The sources in the order in which they are joined under this plan; the origin first."""
        members = (1 << count) - 1
        order: list[int] = []
        while members != 1 << self.origin:
            place = int(self.last[state_of(mask, members, self.origin)])
            order.append(place)
            members ^= 1 << place
        return (self.origin, *reversed(order))


def _pipelines(arrays: StateArrays, origin: int) -> Pipelines:
    count = arrays.model.count
    states = 3**count
    comparisons, rows = np.full(states, np.inf), np.zeros(states)
    comparisons[3**origin] = 0.0
    last = np.full(states, -1, dtype=np.int64)
    others = [place for place in range(count) if place != origin]
    passed = arrays.passed(origin)
    digits = {place: arrays.digit(place) for place in others}
    joined = sum((digits[place] > 0 for place in others), np.zeros(states, dtype=np.int64))
    own = arrays.digit(origin) == 1
    examined = {
        (place, is_set): arrays.comparisons(origin, place, is_set)
        for place in others
        for is_set in (False, True)
    }
    for size in range(count - 1):
        layer = np.flatnonzero(own & (joined == size))
        for (place, is_set), work in examined.items():
            check()
            before = layer[digits[place][layer] == 0]
            after = before + (2 if is_set else 1) * 3**place
            through = comparisons[before] + work[before]
            # A way must be clearly cheaper: the last bits of a sum decide nothing.
            better = through < comparisons[after] * (1 - 1e-12)
            chosen, came = after[better], before[better]
            comparisons[chosen] = through[better]
            rows[chosen] = rows[came] + passed[chosen]
            last[chosen] = place
    return Pipelines(origin, comparisons, rows, last)


@lru_cache(maxsize=4)
def pipelines(model: AggregationModel) -> tuple[Pipelines, ...]:
    """The cheapest pipelines of every origin, in FROM order."""
    arrays = state_arrays(model)
    return tuple(_pipelines(arrays, origin) for origin in model.origins)


def orders(model: AggregationModel, mask: int) -> tuple[Order, ...]:
    """The order of every origin's pipeline under a plan."""
    return tuple(found.order(mask, model.count) for found in pipelines(model))


def final_states(model: AggregationModel, origin: int) -> Ints:
    """The state that joins all sources, for the origin and every mask of `model.masks`."""
    everything = (1 << model.count) - 1
    return np.array([state_of(mask, everything, origin) for mask in model.masks], dtype=np.int64)
