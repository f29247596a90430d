"""The exact best choices for plans with an order per origin, by branch and bound.

Such plans share the windows' choices among origins, which no table of sets can follow. A box holds
all choices between two corners; the best loops at prices that no choice in it undercuts bound it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from planner.families.join_order.search import cost_to_go
from planner.families.join_order.table import StepTable
from planner.joins.arrays import Floats, Ints

# Boxes priced at once: more would not be faster, and take memory.
_TOGETHER = 2048
# A box that promises less than this share more is not worth a look: sums end in such digits.
_NEARLY = 1e-12


class BoxSearch:
    """`costs[i][j][P, c]` for each origin; `keeping[j][c]` is paid whatever the loops are."""

    def __init__(
        self,
        costs: Sequence[Sequence[Floats]],
        keeping: Sequence[Floats],
        memory: Sequence[Ints],
    ) -> None:
        self._costs, self._keeping, self._memory = costs, keeping, memory
        # The least that any choice up to this one costs.
        self._floors = [[np.minimum.accumulate(c, axis=1) for c in rows] for rows in costs]

    def best(self, budget: int, known: list[int], most_boxes: int) -> tuple[list[int], bool]:
        """The best choices, at least as good as the known ones; and whether they are proved so."""
        chosen, least = known, float(self._priced(np.array([known]))[0])
        low = np.zeros((1, len(known)), dtype=np.int64)
        high = np.array([[len(taken) - 1 for taken in self._memory]])
        waiting, seen = [(low, high)], 0
        while waiting:
            low, high = self._fitted(*waiting.pop(), budget)
            seen += len(low)
            if seen > most_boxes:
                return chosen, False
            hopeful = self._bound(low, high) < least * (1 - _NEARLY)
            low, high = low[hopeful], high[hopeful]
            single = (low == high).all(axis=1)
            if single.any():
                prices = self._priced(low[single])
                place = int(np.argmin(prices))
                if prices[place] < least * (1 - _NEARLY):
                    chosen, least = low[single][place].tolist(), float(prices[place])
            low, high = _halved(low[~single], high[~single])
            waiting += [
                (low[start : start + _TOGETHER], high[start : start + _TOGETHER])
                for start in range(0, len(low), _TOGETHER)
            ]
        return chosen, True

    def _fitted(self, low: Ints, high: Ints, budget: int) -> tuple[Ints, Ints]:
        """The boxes that hold something within the budget, without what is beyond it."""
        taken = np.stack([m[low[:, j]] for j, m in enumerate(self._memory)], axis=1)
        spare = budget - taken.sum(axis=1)
        inside = spare >= 0
        low, high, taken, spare = low[inside], high[inside], taken[inside], spare[inside]
        for place, memory in enumerate(self._memory):
            fits = np.searchsorted(memory, taken[:, place] + spare, side="right") - 1
            high[:, place] = np.minimum(high[:, place], fits)
        return low, high

    def _bound(self, low: Ints, high: Ints) -> Floats:
        """No choice of a box costs less: loops at their least, upkeep at the fewest buckets."""
        return self._loops(self._floors, high) + self._kept(low)

    def _priced(self, choices: Ints) -> Floats:
        return self._loops(self._costs, choices) + self._kept(choices)

    def _kept(self, choices: Ints) -> Floats:
        kept = [paid[choices[:, place]] for place, paid in enumerate(self._keeping)]
        return np.asarray(np.sum(kept, axis=0))

    def _loops(self, costs: Sequence[Sequence[Floats]], choices: Ints) -> Floats:
        total = np.zeros(len(choices))
        for rows in costs:
            steps = np.stack([row[:, choices[:, j]] for j, row in enumerate(rows)])
            total += cost_to_go(StepTable(steps))[0]
        return total


def _halved(low: Ints, high: Ints) -> tuple[Ints, Ints]:
    """Each box as two, cut where its buckets differ most: costs fall with their ratio."""
    side = np.argmax((high + 1) / (low + 1), axis=1)
    rows = np.arange(len(low))
    middle = (low[rows, side] + high[rows, side]) // 2
    below, above = high.copy(), low.copy()
    below[rows, side], above[rows, side] = middle, middle + 1
    return np.concatenate([low, above]), np.concatenate([below, high])
