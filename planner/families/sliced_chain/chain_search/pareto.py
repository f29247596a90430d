"""The trade-off between memory and CPU: the chains of which none is better in both.

Labels (cost, state) go along the graph of mergings; a label that another one beats in both is
dropped. Where a place has more labels than are kept, those whose states differ by less than a
factor stand for one another, and the result says how far off it may be.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from planner.families.sliced_chain.chain_search.shortest_path import EdgeCost
from planner.joins.arrays import Floats, Ints

MOST_POINTS = 1_000
# Labels times edges that are gone through: with more boundaries fewer labels are kept.
_MOST_STEPS = 30_000_000


@dataclass(frozen=True, slots=True)
class ParetoPoint:
    """A chain by the places of its slices' ends, its cost and the tuples it holds."""

    ends: tuple[int, ...]
    cost: float
    state: float


@dataclass(frozen=True, slots=True)
class Front:
    """Points by rising cost and falling state. Exact where `epsilon` is 0.

    Else no chain has less state than (1 - epsilon) times that of a point that costs no more.
    """

    points: tuple[ParetoPoint, ...]
    epsilon: float


class _Labels:
    """All labels, place after place: cost, state, how often thinned, and the one each came from."""

    def __init__(self) -> None:
        self.count = 1
        self.cost, self.state = np.zeros(1_024), np.zeros(1_024)
        self.thinned, self.place, self.before = np.zeros((3, 1_024), dtype=np.int64)

    def add(self, place: int, cost: Floats, state: Floats, thinned: int, before: Ints) -> None:
        """The labels of one place."""
        until = self.count + len(cost)
        while until > len(self.cost):
            for name in ("cost", "state", "thinned", "place", "before"):
                values = getattr(self, name)
                setattr(self, name, np.concatenate((values, np.zeros_like(values))))
        added = slice(self.count, until)
        self.cost[added], self.state[added] = cost, state
        self.thinned[added], self.place[added], self.before[added] = thinned, place, before
        self.count = until


def front(cost: EdgeCost, state: EdgeCost, first: Floats) -> Front:
    """The front of all chains; `first` are the costs of the edges from 0 by their ends."""
    last = len(first) - 1
    most = max(8, min(MOST_POINTS, _MOST_STEPS // max(1, last * last)))
    # By how much states may differ that stand for one another at one place.
    factor = 1 + 0.01 / last
    labels = _Labels()
    begun = 1
    for end in range(1, last + 1):
        begun = labels.count
        starts = np.arange(end)
        ends = np.full(end, end)
        # Label 0 stands at 0, from where edges have their own costs.
        costs, states = cost(starts, ends), state(starts, ends)
        costs[0] = first[end]
        places = labels.place[:begun]
        reached = labels.cost[:begun] + costs[places], labels.state[:begun] + states[places]
        kept, thinnings = _kept(*reached, most, factor)
        times = int(labels.thinned[:begun].max()) + thinnings
        labels.add(end, reached[0][kept], reached[1][kept], times, kept)
    return _told(labels, range(begun, labels.count), factor)


def _kept(cost: Floats, state: Floats, most: int, factor: float) -> tuple[Ints, int]:
    """The labels that no other beats; thinned where there are too many, and how often."""
    order = np.lexsort((state, cost))
    states = state[order]
    # Sums in another order may differ in their last bit: that is no trade-off.
    least = np.minimum.accumulate(states)
    better = np.concatenate(([True], states[1:] < least[:-1] * (1 - 1e-12)))
    kept, times, power = order[better], 0, 1
    while len(kept) > most:
        width = power * math.log(factor)
        group = np.floor(np.log(np.maximum(state[kept], 1e-300)) / width)
        # The cheapest of those with about the same state.
        kept = kept[np.concatenate(([True], np.diff(group) != 0))]
        times, power = times + power, 2 * power
    return kept, times


def _told(labels: _Labels, final: range, factor: float) -> Front:
    points = []
    for label in final:
        ends, at = [], label
        while at:
            ends.append(int(labels.place[at]))
            at = int(labels.before[at])
        cost, state = float(labels.cost[label]), float(labels.state[label])
        points.append(ParetoPoint(tuple(reversed(ends)), cost, state))
    times = int(labels.thinned[final.start])
    return Front(tuple(points), 1 - factor**-times if times else 0.0)
