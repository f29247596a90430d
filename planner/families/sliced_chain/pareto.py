"""The trade-off between memory and CPU: the chains of which none is better in both.

Labels (cost, state) go along the graph of mergings; a label that another one beats in both is
dropped. Where a place has more labels than are kept, those whose states differ by less than a
factor stand for one another, and the result says how far off it may be.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from planner.families.sliced_chain.search import EdgeCost
from planner.joins.arrays import Floats, Ints

MOST_POINTS = 1_000
# Labels times edges that are gone through: with more boundaries fewer labels are kept.
_MOST_STEPS = 30_000_000


@dataclass(frozen=True, slots=True)
class Point:
    """A chain by the places of its slices' ends, its cost and the tuples it holds."""

    ends: tuple[int, ...]
    cost: float
    state: float


@dataclass(frozen=True, slots=True)
class Front:
    """Points by rising cost and falling state. Exact where `epsilon` is 0.

    Else no chain has less state than (1 - epsilon) times that of a point that costs no more.
    """

    points: tuple[Point, ...]
    epsilon: float


@dataclass(frozen=True, slots=True)
class _Labels:
    """The labels of one place: costs, states, how often thinned, and where each came from."""

    cost: Floats
    state: Floats
    thinned: Ints
    before: Ints
    label: Ints


def front(cost: EdgeCost, state: EdgeCost, first: Floats) -> Front:
    """The front of all chains; `first` are the costs of the edges from 0 by their ends."""
    last = len(first) - 1
    most = max(8, min(MOST_POINTS, _MOST_STEPS // max(1, last * last)))
    factor = _factor(last)
    zero = np.zeros(1, dtype=np.int64)
    labels = [_Labels(np.zeros(1), np.zeros(1), zero, zero, zero)]
    for end in range(1, last + 1):
        at = np.array([end])
        costs, states = [first[end : end + 1]], [state(zero, at)]
        thinned, before, label = [zero], [zero], [zero]
        if end > 1:
            starts = np.arange(1, end)
            ends = np.full(end - 1, end)
            sizes = np.array([len(labels[start].cost) for start in range(1, end)])
            costs.append(_joined(labels, "cost", end) + np.repeat(cost(starts, ends), sizes))
            states.append(_joined(labels, "state", end) + np.repeat(state(starts, ends), sizes))
            thinned.append(_joined(labels, "thinned", end).astype(np.int64))
            before.append(np.repeat(starts, sizes))
            label.append(np.concatenate([np.arange(size) for size in sizes]))
        found = _Labels(
            np.concatenate(costs),
            np.concatenate(states),
            np.concatenate(thinned),
            np.concatenate(before),
            np.concatenate(label),
        )
        labels.append(_kept(found, most, factor))
    return _told(labels, factor)


def _factor(last: int) -> float:
    """By how much states may differ that stand for one another at one place."""
    return 1 + 0.01 / last


def _joined(labels: list[_Labels], name: str, end: int) -> Floats:
    return np.concatenate([getattr(one, name) for one in labels[1:end]])


def _kept(found: _Labels, most: int, factor: float) -> _Labels:
    """The labels that no other beats; thinned where there are too many."""
    order = np.lexsort((found.state, found.cost))
    states = found.state[order]
    # Sums in another order may differ in their last bit: that is no trade-off.
    least = np.minimum.accumulate(states)
    better = np.concatenate(([True], states[1:] < least[:-1] * (1 - 1e-12)))
    kept = order[better]
    thinned = found.thinned[kept]
    step = factor
    while len(kept) > most:
        group = np.floor(np.log(np.maximum(found.state[kept], 1e-300)) / math.log(step))
        # The cheapest of those with about the same state.
        chosen = np.concatenate(([True], np.diff(group) != 0))
        chosen[-1] = True
        kept = kept[chosen]
        # What is dropped may have been thinned more often than what stands for it.
        times = int(thinned.max()) + round(math.log(step) / math.log(factor))
        thinned = np.full(len(kept), times)
        step = step**2
    return _Labels(
        found.cost[kept], found.state[kept], thinned, found.before[kept], found.label[kept]
    )


def _told(labels: list[_Labels], factor: float) -> Front:
    last = labels[-1]
    points = []
    for label in range(len(last.cost)):
        ends, place, at = [], len(labels) - 1, label
        while place:
            ends.append(place)
            place, at = int(labels[place].before[at]), int(labels[place].label[at])
        points.append(
            Point(tuple(reversed(ends)), float(last.cost[label]), float(last.state[label]))
        )
    thinned = int(last.thinned.max())
    return Front(tuple(points), 1 - factor**-thinned if thinned else 0.0)
