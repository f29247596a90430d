"""The graph of mergings: an edge from boundary i to j is the slice between them, priced in O(1).

Everything a slice costs follows from what enters at its start and from sums over the windows below
its two ends, so any number of edges is priced as arrays.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from planner.families.sliced_chain.groups import BOTH, Condition
from planner.families.sliced_chain.model import GroupModel
from planner.joins.arrays import Bools, Floats, Ints

# One value for all boundaries, or one for each.
Values = float | Floats


class Edges:
    """The slices of one group by the places of their ends among the boundaries."""

    def __init__(self, model: GroupModel) -> None:
        group = model.group
        self.lengths = np.array(group.boundaries) / (1.0 if group.unit == "rows" else 1e6)
        self.last = len(self.lengths) - 1
        self._model = model
        self._sides = [_Side(model, side, self.lengths) for side in BOTH]
        self.is_even = all(side.distinct == self.last for side in self._sides)
        parts = [_Part([side], side.ends, side.windows_below) for side in self._sides]
        if self.is_even:
            # Both ways have the same slices and windows: their costs are added up beforehand.
            parts = [_Part(self._sides, self.lengths, np.arange(-1, self.last))]
        self._parts = parts

    def comparisons(self, start: Ints, end: Ints) -> Floats:
        """Purge, probe, route and select of these slices."""
        found = self._parts[0].comparisons(start, end)
        for part in self._parts[1:]:
            found = found + part.comparisons(start, end)
        return found

    @cached_property
    def unions(self) -> Floats:
        """Comparisons per second of unions by the end of the first slice.

        A query whose windows end within the first slice needs no union.
        """
        longest = np.sort([self._model.length(m.longest) for m in self._model.group.members])
        beyond = len(longest) - np.searchsorted(longest, self.lengths, side="right")
        return np.asarray(self._model.entering_chain * beyond)

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
    def dense_from(self) -> float:
        """From this length on a slice is hardly ever found empty: one more window to route costs
        more than what a longer slice adds to the looks of purges. Infinite where none is."""
        if not self.is_even:
            return float("inf")
        return max(side.dense_from for side in self._sides)

    @cached_property
    def same_state(self) -> bool:
        """Whether all mergings hold the same tuples: where what enters never changes."""
        return self.is_even and all(side.is_steady for side in self._sides)


class _Side:
    """One way of all slices: what enters at each boundary, and the windows below it."""

    def __init__(self, model: GroupModel, side: int, lengths: Floats) -> None:
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
        windows = np.unique([model.length(m.windows[side]) for m in model.group.members])
        self.distinct = len(windows)
        self.windows_up_to = np.searchsorted(windows, lengths, side="right")
        self.windows_below = np.searchsorted(windows, self.ends, side="left")
        self.selecting = _Selecting(model, side, lengths)

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
    def dense_from(self) -> float:
        found = 0.0
        for share in np.unique(self.stored[self.stored > 0]):
            low, high = 1.0, 1e15
            if self._rises(float(share), high):
                return float("inf")
            while high / low > 1.001:
                middle = (low * high) ** 0.5
                low, high = (middle, high) if self._rises(float(share), middle) else (low, middle)
            found = max(found, high / self.way.per_length)
        return found

    def _rises(self, share: float, arrived: float) -> bool:
        """Whether one arrival more adds more to the looks of a purge than a window to route."""
        looks = self.way.finds_one(np.array(share), np.array([arrived - 1, arrived]))
        return bool(looks[1] - looks[0] > share * self.way.selectivity)


class _Part:
    """Ways with the same slices, their costs as one value for each start where they can be."""

    def __init__(self, sides: Sequence[_Side], ends: Floats, below: Ints) -> None:
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
        self._selecting = [s.selecting for s in sides if s.selecting.is_needed]

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
        for selecting in self._selecting:
            found += selecting.looks(start, end)
        return np.asarray(found)


def _even(values: Floats) -> Values:
    """One value where it is the same at every boundary but the last, at which no slice starts."""
    return float(values[0]) if np.all(values[:-1] == values[0]) else values


def _at(values: Values, places: Ints) -> Values:
    return values if isinstance(values, float) else values[places]


class _Selecting:
    """Looks of selections on one way's results: sums over the conditions that are looked at.

    What is looked at in a slice ends where the slice or the largest window of its queries does; so
    its sum over [start, end) is a difference of two sums.
    """

    def __init__(self, model: GroupModel, side: int, lengths: Floats) -> None:
        self._model, self._side, self._lengths = model, side, lengths
        stored, probing = model.stored[side], model.probing[side]
        way = model.ways[side]
        per_pair = way.probing_rate * way.per_length * way.selectivity
        self._all = per_pair * stored * probing
        # Of the results whose first member passes, those are left that have any second member.
        self._rest = per_pair * (probing if side == 0 else stored)
        looked = [_looked(model, stream) for stream in BOTH]
        self._variant = looked[0] * 2 + looked[1]
        self._sums = {
            variant: self._summed(bool(variant & 2), bool(variant & 1))
            for variant in set(self._variant.tolist())
            if variant
        }

    @property
    def is_needed(self) -> bool:
        """Whether any slice has selections."""
        return bool(self._sums)

    def looks(self, start: Ints, end: Ints) -> Floats:
        found = np.zeros(np.broadcast(start, end).shape)
        variants = np.broadcast_to(self._variant[start], found.shape)
        for variant, (whole, rest) in self._sums.items():
            cost = self._all[start] * (whole[end] - whole[start])
            cost = cost + self._rest[start] * (rest[end] - rest[start])
            found = found + np.where(variants == variant, cost, 0.0)
        return found

    def _summed(self, first: bool, second: bool) -> tuple[Floats, Floats]:
        """Lengths looked at up to each boundary: of all results, and by the share that is left."""
        furthest: dict[tuple[Condition, Condition], float] = {}
        for member in self._model.group.members:
            pair = (
                member.conditions[0] if first else Condition(),
                member.conditions[1] if second else Condition(),
            )
            window = self._model.length(member.windows[self._side])
            furthest[pair] = max(furthest.get(pair, 0.0), window)
        whole, rest = np.zeros(len(self._lengths)), np.zeros(len(self._lengths))
        for (one, other), window in furthest.items():
            up_to = np.minimum(self._lengths, window)
            if not one.is_open:
                whole += up_to
            if not other.is_open and one.is_open:
                whole += up_to
            elif not other.is_open:
                rest += up_to * self._model.shares[0].of(one)
        return whole, rest


def _looked(model: GroupModel, stream: int) -> Bools:
    """For each boundary whether conditions on a stream are looked at in slices that start there."""
    group = model.group
    found = np.zeros(len(group.boundaries), dtype=np.bool_)
    if not group.conditions(stream):
        return found
    by_length = sorted(group.members, key=lambda member: -member.longest)
    beyond: set[Condition] = set()
    place = 0
    for boundary in range(len(group.boundaries) - 1, -1, -1):
        length = group.boundaries[boundary]
        while place < len(by_length) and by_length[place].longest > length:
            beyond.add(by_length[place].conditions[stream])
            place += 1
        found[boundary] = len(beyond) > 1
    return found
