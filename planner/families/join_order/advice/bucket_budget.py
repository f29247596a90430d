"""A budget split exactly: among the windows of one plan, and among those of every order at once.

What a window costs depends on its own choice alone, so that both are dynamic programs over what is
left of the budget. Nothing is asked of how costs fall: with `value mod b` they are not convex.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from planner.families.join_order.search import sets_by_size
from planner.joins.arrays import Floats, Ints

# A table's number takes as much room as this many sums take time.
_LEAST_COUNTED = 32


class PlanSplit:
    """The best choices for the windows of one plan; `least[r]` is the cost within r buckets."""

    def __init__(self, costs: Sequence[Floats], memory: Sequence[Ints], budget: int) -> None:
        self._costs, self._memory = costs, memory
        # Row j: the windows from j on.
        self._to_go = np.zeros((len(costs) + 1, budget + 1))
        for place in reversed(range(len(costs))):
            after = self._to_go[None, place + 1]
            self._to_go[place] = _with_window(costs[place][None], memory[place], after)[0]

    @property
    def least(self) -> Floats:
        """The least cost for every budget."""
        found: Floats = self._to_go[0]
        return found

    def choices(self, budget: int) -> list[int]:
        """The choice of every window within this budget, the fewest buckets among equals."""
        left = fewest(self.least[: budget + 1])
        chosen = []
        for costs, memory, after in zip(self._costs, self._memory, self._to_go[1:], strict=True):
            choice = int(np.argmin(_ways_on(costs, memory, after, left)))
            chosen.append(choice)
            left -= int(memory[choice])
        return chosen


class OrderSplit:
    """The best choices over all orders in which every source is appended once.

    `costs[j][P, c]` is appending source j after the set P with choice c. The program goes over the
    sets placed and the budget left, so that order and choices are found together.
    """

    def __init__(self, costs: Sequence[Floats], memory: Sequence[Ints], budget: int) -> None:
        self._costs, self._memory = costs, memory
        self._to_go = np.full((1 << len(costs), budget + 1), np.inf)
        self._to_go[-1] = 0.0
        for layer in reversed(sets_by_size(len(costs))[:-1]):
            for place, choices in enumerate(costs):
                without = layer[(layer >> place) & 1 == 0]
                after = self._to_go[without | (1 << place)]
                through = _with_window(choices[without], memory[place], after)
                self._to_go[without] = np.minimum(self._to_go[without], through)

    @staticmethod
    def work(memory: Sequence[Ints], budget: int) -> int:
        """How many sums such a search makes; tables count too where the budget is small."""
        choices = sum(len(taken) for taken in memory)
        return choices * max(budget + 1, _LEAST_COUNTED) << (len(memory) - 1)

    @property
    def least(self) -> Floats:
        """The least cost for every budget."""
        found: Floats = self._to_go[0]
        return found

    def choices(self, budget: int) -> list[int]:
        """The choice of every source within this budget, the fewest buckets among equals."""
        left, placed = fewest(self.least[: budget + 1]), 0
        chosen = [0] * len(self._costs)
        open_places = list(range(len(self._costs)))
        while open_places:
            steps = []
            for place in open_places:
                after = self._to_go[placed | (1 << place)]
                ways = _ways_on(self._costs[place][placed], self._memory[place], after, left)
                choice = int(np.argmin(ways))
                steps.append((float(ways[choice]), place, choice))
            _, place, chosen[place] = min(steps)
            left -= int(self._memory[place][chosen[place]])
            placed |= 1 << place
            open_places.remove(place)
        return chosen


def fewest(least: Floats) -> int:
    """The smallest budget that reaches what the largest does, up to the last bits of a sum."""
    return int(np.argmax(least <= least[-1] * (1 + 1e-12)))


def _with_window(choices: Floats, memory: Ints, after: Floats) -> Floats:
    """One more window: for every row and budget the best of its choices and what is left."""
    budget = after.shape[1]
    best = np.full_like(after, np.inf)
    for choice, taken in enumerate(memory.tolist()):
        if taken >= budget:
            break
        through = choices[:, choice, None] + after[:, : budget - taken]
        np.minimum(best[:, taken:], through, out=best[:, taken:])
    return best


def _ways_on(costs: Floats, memory: Ints, after: Floats, left: int) -> Floats:
    """The cost of every choice that fits, with the best for what it leaves."""
    fitting = memory[memory <= left]
    return np.asarray(costs[: len(fitting)] + after[left - fitting])
