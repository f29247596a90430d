"""The cheapest path through the graph of mergings, exact: the CPU-Opt chain.

The cost of an edge comes as a function over arrays of starts and ends. Where edges satisfy the
quadrangle inequality, cost(i, j) + cost(i', j') <= cost(i, j') + cost(i', j) for i < i' < j < j',
the best start never moves back as the end moves on. It holds among edges that are long enough: for
each start it is given from which end on. Shorter edges are all priced, of longer ones few.
Edges from 0 come apart, by their ends: they decide on unions.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from planner.joins.arrays import Floats, Ints

EdgeCost = Callable[[Ints, Ints], Floats]

# Places among which all edges are priced: fewer would cost more in calls than in edges.
_LEAF = 48
# Edges that are priced at once, whatever the inequality could spare; and at most.
_FEW = 4_096
_MOST = 65_536


@dataclass(frozen=True, slots=True)
class SlicePath:
    """The places of the slices' ends, and what the path costs."""

    ends: tuple[int, ...]
    cost: float


def shortest(cost: EdgeCost, first: Floats, long_from: Ints) -> SlicePath:
    """The cheapest path from 0 to the last place.

    `long_from` rises: start i satisfies the inequality with all starts from 1 on before it, for
    all ends from long_from[i] on.
    """
    search = _PathSearch(cost, first, long_from)
    search.run()
    return _path(search.best, search.before)


class _PathSearch:
    """The cheapest way to every place, and the place before it on that way."""

    def __init__(self, cost: EdgeCost, first: Floats, long_from: Ints) -> None:
        self._cost, self._long_from = cost, long_from
        self._every = np.arange(len(first))
        self.best, self.before = first.copy(), np.zeros(len(first), dtype=np.int64)

    def run(self) -> None:
        """Places in blocks, each as long as the starts before it that may still be best."""
        low, middle, last = 1, 1, len(self.best)
        while middle < last:
            low = self._still_best(low, middle)
            high = min(last, middle + max(_LEAF, middle - low))
            self._pass_on(low, middle, high)
            self._solve(middle, high)
            middle = high

    def _solve(self, low: int, high: int) -> None:
        """Edges among these places: in the first half, from it to the second, and in that."""
        if high - low <= _LEAF:
            self._solve_few(low, high)
            return
        middle = (low + high) // 2
        self._solve(low, middle)
        self._pass_on(self._still_best(low, middle), middle, high)
        self._solve(middle, high)

    def _solve_few(self, low: int, high: int) -> None:
        places = self._every[low:high]
        costs = self._cost(places, places[:, None])
        best, before = self.best[low:high], self.before[low:high]
        for end in range(1, high - low):
            reached = costs[end, :end] + best[:end]
            start = reached.argmin()
            if reached[start] < best[end]:
                best[end], before[end] = reached[start], low + start

    def _still_best(self, low: int, end: int) -> int:
        """The first start from which an edge to this end or a later one may be best.

        Of the starts with long edges to this end, those before the best one are never better.
        """
        long = self._every[low : self._first_short(low, end, end)]
        return low + int(self._reached(long, end).argmin()) if len(long) > 1 else low

    def _first_short(self, low: int, high: int, end: int) -> int:
        return low + int(np.searchsorted(self._long_from[low:high], end, side="right"))

    def _reached(self, starts: Ints, ends: Ints | int) -> Floats:
        return self._cost(starts, np.asarray(ends)) + self.best[starts]

    def _pass_on(self, low: int, middle: int, high: int) -> None:
        """Edges from starts in [low, middle) to ends in [middle, high)."""
        short = self._first_short(low, middle, middle)
        self._pass_on_long(low, short, middle, high)
        if short < middle:
            far = min(int(self._long_from[middle - 1]), high)
            self._price(short, middle, middle, far)
            self._pass_on_long(short, middle, far, high)

    def _pass_on_long(self, low: int, high: int, begin: int, stop: int) -> None:
        """Starts in [low, high) and ends in [begin, stop): the best starts rise with the ends."""
        if low < high and begin < stop and (high - low) * (stop - begin) > _FEW:
            low += int(self._reached(self._every[low:high], begin).argmin())
            high = low + int(self._reached(self._every[low:high], stop - 1).argmin()) + 1
        if (high - low) * (stop - begin) <= _FEW:
            self._price(low, high, begin, stop)
            return
        count = stop - begin
        found = np.full(count, -1, dtype=np.int64)
        step = 1 << (count - 1).bit_length()
        while step >= 1:
            rows = np.arange(step - 1, count, 2 * step) if step > 1 else np.flatnonzero(found < 0)
            if len(rows):
                self._best_starts((low, high), begin, rows, found)
            step //= 2

    def _price(self, low: int, high: int, begin: int, stop: int) -> None:
        """All edges from starts in [low, high) to ends in [begin, stop)."""
        if low >= high or begin >= stop:
            return
        at_once = max(1, _MOST // (high - low))
        for first in range(begin, stop, at_once):
            ends = self._every[first : min(stop, first + at_once)]
            reached = self._reached(self._every[low:high], ends[:, None])
            chosen = reached.argmin(axis=1)
            self._keep(ends, reached[np.arange(len(ends)), chosen], low + chosen)

    def _best_starts(self, within: tuple[int, int], begin: int, rows: Ints, found: Ints) -> None:
        """The best starts of some ends, between those of the ends beside them that are known."""
        low, high = within
        known = np.flatnonzero(found >= 0)
        at = np.searchsorted(known, rows)
        first = np.full(len(rows), low)
        first[at > 0] = found[known[at[at > 0] - 1]]
        last = np.full(len(rows), high - 1)
        last[at < len(known)] = found[known[at[at < len(known)]]]
        # Sums that are equal but for their last bit may cross.
        last = np.maximum(last, first)
        counts = last - first + 1
        offsets = np.concatenate(([0], np.cumsum(counts)[:-1]))
        starts = np.arange(counts.sum()) - np.repeat(offsets - first, counts)
        reached = self._reached(starts, np.repeat(begin + rows, counts))
        least = np.minimum.reduceat(reached, offsets)
        hits = np.flatnonzero(reached == np.repeat(least, counts))
        found[rows] = starts[hits[np.searchsorted(hits, offsets)]]
        self._keep(begin + rows, least, found[rows])

    def _keep(self, ends: Ints, reached: Floats, starts: Ints) -> None:
        better = reached < self.best[ends]
        self.best[ends[better]], self.before[ends[better]] = reached[better], starts[better]


def _path(best: Floats, before: Ints) -> SlicePath:
    last = len(best) - 1
    ends = [last]
    while before[ends[-1]]:
        ends.append(int(before[ends[-1]]))
    return SlicePath(tuple(reversed(ends)), float(best[last]))
