"""Plans priced by walking their loops: for join graphs on which a table of sets does not hold."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from planner.families.join_order.loops import Loops, Order, multiway
from planner.families.join_order.table import COMPARISONS, Weights
from planner.joins.accesses import ACCESSES, access_of
from planner.joins.arrays import Floats
from planner.joins.model import JoinModel


class Walker:
    """Prices loops one level at a time; what orders have in common is priced once."""

    def __init__(self, model: JoinModel, weights: Weights = COMPARISONS) -> None:
        self._model = model
        self._weights = weights
        self._nests: dict[tuple[int, Order], float] = {}
        # A loop's cost depends on the set joined above it, not on its order.
        self._levels: dict[tuple[int, frozenset[int], int], float] = {}

    def score(self, loops: Loops) -> float:
        """The score of one plan's loops, and of the filters before them."""
        pairs = zip(self._model.origins, loops.orders, strict=True)
        filtering = self._weights.filter * self._model.filtering
        return filtering + sum(self._nest(origin, order) for origin, order in pairs)

    def price(self, orders: Sequence[Sequence[int]]) -> Floats:
        """The score of every multiway order."""
        return np.array([self.score(multiway(self._model, order)) for order in orders])

    def _nest(self, origin: int, order: Order) -> float:
        """The first loop is free; each further one costs by what is joined above it."""
        if len(order) == 1:
            return 0.0
        found = self._nests.get((origin, order))
        if found is None:
            above, target = order[:-1], order[-1]
            level = (origin, frozenset(above), target)
            if level not in self._levels:
                self._levels[level] = self._level(origin, above, target)
            found = self._nest(origin, above) + self._levels[level]
            self._nests[origin, order] = found
        return found

    def _level(self, origin: int, joined: Order, target: int) -> float:
        model, weights = self._model, self._weights
        comparison, look_up = weights.comparison, 0.0
        if weights.accesses is not None:
            access = ACCESSES.index(access_of(model, origin, joined, target))
            comparison, look_up = weights.accesses[access]
        work = comparison * model.comparisons(origin, joined, target)
        if weights.worths:
            work *= model.graph.worth(joined, target)
        if look_up:
            work += look_up * model.matches(origin, joined)
        if weights.row:
            work += weights.row * model.matches(origin, (*joined, target))
        return work
