"""The graph of mergings: an edge from boundary i to j is the slice between them, priced in O(1).

Everything a slice costs follows from what enters at its start and from sums over the windows below
its two ends, so any number of edges is priced as arrays.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

import numpy as np

from planner.families.sliced_chain.model import GroupModel
from planner.joins.arrays import Bools, Floats, Ints
from planner.joins.shared.query_groups import BOTH, Condition

# One value for all boundaries, or one for each.
Values = float | Floats


class Edges:
    """The slices of one group by the places of their ends among the boundaries."""

    def __init__(self, model: GroupModel) -> None:
        group = model.group
        unit = 1.0 if group.unit == "rows" else 1e6
        self.lengths = np.array(group.boundaries) / unit
        self.last = len(self.lengths) - 1
        self._model = model
        self._windows = np.array([member.windows for member in group.members]) / unit
        self._sides = [_SliceSide(model, side, self.lengths, self._windows) for side in BOTH]
        self.is_even = all(side.distinct == self.last for side in self._sides)
        if self.is_even:
            # Both ways have the same slices and windows: their costs are added up beforehand.
            self._parts = [_Part(self._sides, self.lengths, np.arange(-1, self.last))]
        else:
            self._parts = [_Part([side], side.ends, side.windows_below) for side in self._sides]
        self._selecting = _added_up(
            term for side in BOTH for term in _selecting(model, side, self.lengths)
        )

    def comparisons(self, start: Ints, end: Ints) -> Floats:
        """Purge, probe, route and select of these slices."""
        found = self._parts[0].comparisons(start, end)
        for part in self._parts[1:]:
            found = found + part.comparisons(start, end)
        for selecting in self._selecting:
            found += selecting.looks(start, end)
        return found

    @cached_property
    def unions(self) -> Floats:
        """Comparisons per second of unions by the end of the first slice.

        A query whose windows end within the first slice needs no union.
        """
        longest = np.sort(self._windows.max(axis=1))
        beyond = len(longest) - np.searchsorted(longest, self.lengths, side="right")
        return np.asarray(self._model.entering_chain.value * beyond)

    def entering(self, start: Ints) -> Floats:
        """Tuples per second that probe in slices with these starts."""
        return np.asarray(sum(side.entering[start] for side in self._sides))

    def inserts(self, start: Ints) -> Floats:
        """Tuples per second that are stored in slices with these starts."""
        return np.asarray(sum(side.inserted[start] for side in self._sides))

    def state(self, start: Ints, end: Ints) -> Floats:
        """What slices add to the tuples that a chain holds.

        A tuple waits in one slice for what purges it and comes later to the next: the wait is
        counted where it ends a slice.
        """
        return np.asarray(sum(side.state(start, end) for side in self._sides))

    @cached_property
    def beforehand(self) -> float:
        """Comparisons per second ahead of the slices: conditions that decide on survival."""
        rates = [way.rate for way in self._model.ways]
        return sum(
            rate * shares.survival_evaluations
            for rate, shares in zip(rates, self._model.shares, strict=True)
        )

    @cached_property
    def dense_from(self) -> Floats:
        """From this length on a slice is hardly ever found empty, by its start: one more window to
        route costs more than what a longer slice adds to the looks of purges, so that the
        quadrangle inequality holds. Infinite where none is, and where windows differ by stream."""
        if not self.is_even:
            return np.full(len(self.lengths), np.inf)
        # Ever less is stored from slice to slice, so that none is dense before an earlier one is.
        return np.maximum(*(side.dense_from for side in self._sides))

    @cached_property
    def long_from(self) -> Ints:
        """By start the first end of a slice that is dense; the number of places if none is."""
        found = np.searchsorted(self.lengths, self.lengths + self.dense_from)
        # No slice ends where it starts; and where nothing is stored any more, all are dense.
        return np.maximum.accumulate(np.maximum(found, np.arange(1, len(found) + 1)))

    @property
    def long(self) -> int:
        """How many slices that do not start at 0 are dense."""
        return int(np.sum(len(self.lengths) - self.long_from[1:]))

    @cached_property
    def same_state(self) -> bool:
        """Whether all mergings hold the same tuples: where what enters never changes."""
        return self.is_even and all(side.is_steady for side in self._sides)


class _SliceSide:
    """One way of all slices: what enters at each boundary, and the windows below it."""

    def __init__(self, model: GroupModel, side: int, lengths: Floats, members: Floats) -> None:
        self.way = model.ways[side]
        self.stored, self.probing = model.stored[side], model.probing[side]
        self._lengths = lengths
        self.ends = np.minimum(lengths, model.length(model.group.largest[side]))
        leaves = {g: self.way.leaves(g) for g in set(self.probing.tolist())}
        waits = {g: self.way.waits(g) for g in leaves}
        arriving = np.full(len(lengths), leaves[float(self.probing[0])])
        arriving[0] = 1.0
        self.entering = self.way.probing_rate * self.probing
        self.inserted = self.way.rate * self.stored * arriving
        self._arriving = arriving
        self.purged = self.way.rate * self.stored * [leaves[g] for g in self.probing.tolist()]
        self._waits = np.array([waits[g] for g in self.probing.tolist()])
        windows = np.unique(members[:, side])
        self.distinct = len(windows)
        self.windows_up_to = np.searchsorted(windows, lengths, side="right")
        self.windows_below = np.searchsorted(windows, self.ends, side="left")

    def state(self, start: Ints, end: Ints) -> Floats:
        waiting = self.way.rate * self._waits[start] * (self.stored[start] - self.stored[end])
        length = np.maximum(self.ends[end] - self._lengths[start], 0.0)
        arrived = self._arriving[start] * self.way.per_length * length
        return np.asarray(self.stored[start] * arrived + waiting)

    @property
    def is_steady(self) -> bool:
        """Whether every slice stores the same share of what arrives."""
        return bool(np.ptp(self.stored[:-1]) == 0 and np.ptp(self._arriving) < 1e-6)

    @property
    def dense_from(self) -> Floats:
        shares, places = np.unique(self.stored, return_inverse=True)
        # Arrivals, by bisection; where nothing is stored, no purge looks at anything.
        low, high = np.ones(len(shares)), np.full(len(shares), 1e15)
        never = self._rises(shares, high)
        while np.any(high / low > 1.001):
            middle = np.sqrt(low * high)
            rises = self._rises(shares, middle)
            low, high = np.where(rises, middle, low), np.where(rises, high, middle)
        found = np.where(never, np.inf, np.where(shares > 0, high / self.way.per_length, 0.0))
        return np.asarray(found[places])

    def _rises(self, shares: Floats, arrived: Floats) -> Bools:
        """Whether one arrival more adds more to the looks of a purge than a window to route."""
        looks = self.way.finds_one(shares, arrived) - self.way.finds_one(shares, arrived - 1)
        return np.asarray(looks > shares * self.way.selectivity)


class _Part:
    """Ways with the same slices, their costs as one value for each start where they can be."""

    def __init__(self, sides: Sequence[_SliceSide], ends: Floats, below: Ints) -> None:
        self._lengths = sides[0]._lengths
        self._ends = ends
        self._below, self._up_to = below, sides[0].windows_up_to
        pairs = [s.way.per_length * s.entering * s.stored for s in sides]
        sums = list(zip(sides, pairs, strict=True))
        self._purged = _even(np.asarray(sum(s.purged for s in sides)))
        self._probed = _even(np.asarray(sum(p * s.way.scanned for s, p in sums)))
        self._routed = _even(np.asarray(sum(p * s.way.selectivity for s, p in sums)))
        self._stops = [
            (s.way, _even(s.way.per_length * s.stored), _even(s.stored), _even(s.entering))
            for s in sides
        ]

    def comparisons(self, start: Ints, end: Ints) -> Floats:
        length = np.maximum(self._ends[end] - self._lengths[start], 0.0)
        windows = np.maximum(self._below[end] - self._up_to[start], 0)
        found = _at(self._routed, start) * windows
        found += _at(self._probed, start)
        found *= length
        found += _at(self._purged, start)
        for way, per_length, stored, entering in self._stops:
            if way.is_plain:
                looks = np.expm1(-_at(per_length, start) * length)
                looks *= -_at(entering, start)
            else:
                arrived = way.per_length * length
                looks = way.finds_one(np.asarray(_at(stored, start)), arrived)
                looks = looks * _at(entering, start)
            found += looks
        return np.asarray(found)


def _even(values: Floats) -> Values:
    """One value where it is the same at every boundary but the last, at which no slice starts."""
    return float(values[0]) if np.all(values[:-1] == values[0]) else values


def _at(values: Values, places: Ints) -> Values:
    return values if isinstance(values, float) else values[places]


class _Looked:
    """Looks of selections: for each start how many per length, times the lengths looked at.

    What is looked at in a slice ends where the slice or the largest window of its queries does; so
    its sum over [start, end) is a difference of two sums.
    """

    def __init__(self, per_length: Floats, lengths: Floats) -> None:
        self.per_length, self.lengths = per_length, lengths

    def looks(self, start: Ints, end: Ints) -> Floats:
        found = self.lengths[end] - self.lengths[start]
        found *= self.per_length[start]
        return np.asarray(found)


def _added_up(terms: Iterable[_Looked]) -> list[_Looked]:
    """The same looks by fewer terms: those with the same lengths are one."""
    found: list[_Looked] = []
    for term in terms:
        for known in found:
            if np.array_equal(known.lengths, term.lengths):
                known.per_length = known.per_length + term.per_length
                break
        else:
            found.append(term)
    return found


def _selecting(model: GroupModel, side: int, lengths: Floats) -> Iterator[_Looked]:
    """Looks of selections on one way's results, by which streams' conditions are looked at."""
    stored, probing = model.stored[side], model.probing[side]
    way = model.ways[side]
    per_pair = way.probing_rate * way.per_length * way.selectivity
    # Of the results whose first member passes, those are left that have any second member.
    left_over = per_pair * (probing if side == 0 else stored)
    looked = [_looked(model, stream) for stream in BOTH]
    for first, second in ((True, True), (True, False), (False, True)):
        here = (looked[0] == first) & (looked[1] == second)
        if not here.any():
            continue
        whole, rest = _summed(model, side, lengths, first, second)
        yield _Looked(np.where(here, per_pair * stored * probing, 0.0), whole)
        if rest.any():
            yield _Looked(np.where(here, left_over, 0.0), rest)


def _summed(
    model: GroupModel, side: int, lengths: Floats, first: bool, second: bool
) -> tuple[Floats, Floats]:
    """Lengths looked at up to each boundary: of all results, and by the share that is left."""
    furthest: dict[tuple[Condition, Condition], float] = {}
    for (one, other), windows in model.group.furthest.items():
        pair = (one if first else Condition(), other if second else Condition())
        furthest[pair] = max(furthest.get(pair, 0.0), model.length(windows[side]))
    whole, rest = np.zeros(len(lengths)), np.zeros(len(lengths))
    for (one, other), window in furthest.items():
        up_to = np.minimum(lengths, window)
        if not one.is_open:
            whole += up_to
        if not other.is_open and one.is_open:
            whole += up_to
        elif not other.is_open:
            rest += up_to * model.shares[0].of(one)
    return whole, rest


def _looked(model: GroupModel, stream: int) -> Bools:
    """For each boundary whether conditions on a stream are looked at in slices that start there.

    They are where queries with different ones have windows beyond it.
    """
    far: dict[Condition, int] = {}
    for conditions, windows in model.group.furthest.items():
        condition = conditions[stream]
        far[condition] = max(far.get(condition, 0), *windows)
    second = sorted(far.values())[-2] if len(far) > 1 else 0
    return np.asarray(np.array(model.group.boundaries) < second)
