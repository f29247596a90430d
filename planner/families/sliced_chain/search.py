"""The cheapest path through the graph of mergings, exact: the CPU-Opt chain.

The cost of an edge comes as a function over arrays of starts and ends. Where edges satisfy the
quadrangle inequality, cost(i, j) + cost(i', j') <= cost(i, j') + cost(i', j) for i < i' < j < j',
the best start never moves back as the end moves on, and O(N log^2 N) edges are enough; else all
N (N + 1) / 2 of them are priced. Edges from 0 come apart, by their ends: they decide on unions.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from planner.joins.arrays import Floats, Ints

EdgeCost = Callable[[Ints, Ints], Floats]

# From so many boundaries on, looking whether the inequality holds is worth its time.
WORTH_CHECKING = 256
MOST_CHECKED = 60_000_000
_LEAF = 64


@dataclass(frozen=True, slots=True)
class Path:
    """The places of the slices' ends, and what the path costs."""

    ends: tuple[int, ...]
    cost: float


def shortest(cost: EdgeCost, first: Floats) -> Path:
    """The cheapest path from 0 to the last place, every edge priced."""
    best, before = first.copy(), np.zeros(len(first), dtype=np.int64)
    every = np.arange(len(first))
    for start in range(1, len(first) - 1):
        ends = every[start + 1 :]
        reached = cost(every[start : start + 1], ends)
        reached += best[start]
        better = reached < best[start + 1 :]
        np.copyto(best[start + 1 :], reached, where=better)
        before[start + 1 :][better] = start
    return _path(best, before)


def shortest_monotone(cost: EdgeCost, first: Floats) -> Path:
    """The same where the quadrangle inequality holds among edges that do not start at 0."""
    best, before = first.copy(), np.zeros(len(first), dtype=np.int64)
    # Halves in turn: the first is solved, passed on to the second, and then that is solved.
    todo: list[tuple[str, int, int]] = [("solve", 1, len(first))]
    while todo:
        step, low, high = todo.pop()
        middle = (low + high) // 2
        if step == "pass on":
            _pass_on(cost, best, before, (low, middle, high))
        elif high - low <= _LEAF:
            _solve(cost, best, before, low, high)
        else:
            todo += [("solve", middle, high), ("pass on", low, high), ("solve", low, middle)]
    return _path(best, before)


def _solve(cost: EdgeCost, best: Floats, before: Ints, low: int, high: int) -> None:
    """All edges among a few places."""
    places = np.arange(low, high)
    starts, ends = np.triu_indices(high - low, 1)
    costs = np.full((high - low, high - low), np.inf)
    costs[starts, ends] = cost(places[starts], places[ends])
    for end in range(1, high - low):
        reached = best[low : low + end] + costs[:end, end]
        start = int(reached.argmin())
        if reached[start] < best[low + end]:
            best[low + end], before[low + end] = reached[start], low + start


def _pass_on(cost: EdgeCost, best: Floats, before: Ints, places: tuple[int, int, int]) -> None:
    """Edges from the first half to the second: the best starts rise with the ends."""
    low, middle, high = places
    count = high - middle
    found = np.full(count, -1, dtype=np.int64)
    step = 1 << (count - 1).bit_length()
    while step >= 1:
        rows = np.arange(step - 1, count, 2 * step) if step > 1 else np.flatnonzero(found < 0)
        if len(rows):
            _best_starts(cost, best, before, (low, middle), rows, found)
        step //= 2


def _best_starts(
    cost: EdgeCost,
    best: Floats,
    before: Ints,
    places: tuple[int, int],
    rows: Ints,
    found: Ints,
) -> None:
    """The best starts of some ends, between those of the ends beside them that are known."""
    low, middle = places
    known = np.flatnonzero(found >= 0)
    at = np.searchsorted(known, rows)
    first = np.full(len(rows), low)
    first[at > 0] = found[known[at[at > 0] - 1]]
    last = np.full(len(rows), middle - 1)
    last[at < len(known)] = found[known[at[at < len(known)]]]
    # Sums that are equal but for their last bit may cross.
    last = np.maximum(last, first)
    counts = last - first + 1
    offsets = np.concatenate(([0], np.cumsum(counts)[:-1]))
    starts = np.arange(counts.sum()) - np.repeat(offsets - first, counts)
    reached = best[starts] + cost(starts, np.repeat(middle + rows, counts))
    least = np.minimum.reduceat(reached, offsets)
    hits = np.flatnonzero(reached == np.repeat(least, counts))
    chosen = starts[hits[np.searchsorted(hits, offsets)]]
    found[rows] = chosen
    ends = middle + rows
    better = least < best[ends]
    best[ends[better]], before[ends[better]] = least[better], chosen[better]


def is_monotone(cost: EdgeCost, lengths: Floats, dense_from: float) -> bool:
    """Whether the quadrangle inequality holds for edges that do not start at 0.

    It holds everywhere if it does for neighbours, i' = i + 1 and j' = j + 1. These are looked at as
    far as the inner slice [i', j) is shorter than `dense_from`: beyond it holds in any case.
    """
    last = len(lengths) - 1
    checked = 0
    every = np.arange(last + 1)
    # Costs of slices over one boundary, two, and so on.
    inner, middle = cost(every[1:-1], every[2:]), cost(every[1:-2], every[3:])
    for distance in range(2, last - 1):
        starts = every[1 : last - distance]
        short = lengths[distance + 1 : -1] - lengths[2 : last - distance + 1] < dense_from
        if not short.any():
            return True
        outer = cost(starts, every[distance + 2 :])
        left, right = middle[:-1] + middle[1:], outer + inner[1:-1]
        if np.any(short & (left > right * (1 + 1e-12))):
            return False
        checked += len(starts)
        if checked > MOST_CHECKED:
            return False
        inner, middle = middle, outer
    return True


def _path(best: Floats, before: Ints) -> Path:
    last = len(best) - 1
    ends = [last]
    while before[ends[-1]]:
        ends.append(int(before[ends[-1]]))
    return Path(tuple(reversed(ends)), float(best[last]))
