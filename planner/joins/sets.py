"""The model over all sets of sources at once, in arrays: bit i of a set is source i.

It says nothing of its own: every figure is the one that the model gives for a single set.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property, lru_cache

import numpy as np

from planner.joins.arrays import Bools, Floats, Ints
from planner.joins.graph import KeyClass
from planner.joins.keys import mass
from planner.joins.model import JoinModel
from planner.joins.probes import ACCESSES, EACH, HASH, HASH_CHECKED, SCAN, SCAN_CHECKED
from planner.time_limit import check


class SetArrays:
    """Composites, scans and links of every set of sources of one join."""

    def __init__(self, model: JoinModel) -> None:
        self.model = model
        self.count = len(model.windows)
        self._active_with: dict[int, Floats] = {}
        self._kinds: dict[KeyClass, tuple[Bools, list[list[int]], Ints]] = {}

    @cached_property
    def shares(self) -> Floats:
        """The share of combinations of each set that satisfy every predicate among them."""
        shares = np.ones(1 << self.count)
        for known in self.model.graph.classes:
            check()
            if len(known.keys) == 2:
                # Most are of two sources: only sets with both of them have fewer results.
                left, right = (key.place for key in known.keys)
                self._with(shares, left, right)[...] *= known.share((left, right))
            else:
                shares *= self._class_share(known)
        for link in self.model.graph.links:
            self._with(shares, link.left, link.right)[...] *= link.share
        return shares

    @cached_property
    def sizes(self) -> Floats:
        """Results that the windows of each set hold, copies in a self-join left out."""
        return self._product([w.tuples for w in self.model.windows]) * self.shares

    @cached_property
    def held(self) -> Floats:
        """Composites that one evaluation builds of what is stored, above the new tuples' loop."""
        held = self._stored * self.shares
        twins = self.model.graph.twins
        held = held if twins is None else self._with_copies(held, twins.longer)
        return held * self._active_stored if self.model.is_changing else held

    @cached_property
    def _active_stored(self) -> Floats:
        windows = self.model.windows
        shares = self.model.activities[None].shares()
        there = [w.tuples / w.examined if w.is_relation and w.examined else 1.0 for w in windows]
        shares *= self._product(there)
        tuples = np.zeros(1 << self.count, dtype=np.bool_)
        for origin in self.model.origins:
            tuples |= self.has(origin)
        return np.where(tuples, shares, 1.0)

    @cached_property
    def _stored(self) -> Floats:
        """Combinations of all that is stored, on average over evaluations."""
        model = self.model
        if not model.varies:
            return self._product([w.examined for w in model.windows])
        stored = np.zeros(1 << self.count)
        for more, weight in model.timing.phases:
            stored += weight * self._product([w.stored(more) for w in model.windows])
        return stored

    def met(self, target: int) -> Floats | float:
        """The tuples of the target that a composite above the new tuples' loop finds there."""
        examined = self.model.windows[target].examined
        if not self.model.varies:
            return examined
        with_target = with_member(self._stored, target)
        found = np.full(len(with_target), examined)
        np.divide(with_target, self._stored, out=found, where=self._stored > 0)
        return found

    def joined(self, origin: int) -> Floats:
        """Results that a tuple of the origin finds its part of, for every set that holds it."""
        twins = self.model.graph.twins
        found = self.sizes
        if twins is not None and origin != twins.earlier:
            left_out = twins.earlier if origin == twins.later else twins.longer
            found = self._with_copies(found, left_out)
        return found * self._active(origin) if self.model.is_changing else found

    def _active(self, origin: int) -> Floats:
        """The share of composites whose rows were active at the arrival of all their tuples."""
        if origin not in self._active_with:
            self._active_with[origin] = self.model.activities[origin].shares()
        return self._active_with[origin]

    def looked_through(self, target: int) -> Floats:
        """The part of the target's window that a composite of each set looks through."""
        if self.model.windows[target].access == "scan":
            return np.ones(1 << self.count)
        way, ways = self.ways(target)
        found = [self.model.looked_up(known, example, target) for known, example in ways]
        return np.array([1.0, *found])[way]

    def ways(self, target: int) -> tuple[Ints, list[tuple[KeyClass, list[int]]]]:
        """How a composite of each set can look the target up: 0 is a scan, 1 the first way listed.

        A way is a class of equal attributes and an example of the sets that have the same keys.
        """
        way = np.zeros(1 << self.count, dtype=np.int64)
        ways: list[tuple[KeyClass, list[int]]] = []
        # The first class that links decides, so that the last one is filled in first.
        for known in reversed(self.model.graph.classes):
            if known.key(target) is not None:
                linked, kinds, kind_of = self._spreads(known)
                way[linked] = 1 + len(ways) + kind_of
                ways += [(known, example) for example in kinds]
        return way, ways

    def access(self, target: int) -> Ints:
        """How a composite of each set goes through the target's tuples, by place in ACCESSES."""
        graph = self.model.graph
        equal, others = np.zeros((2, 1 << self.count), dtype=np.int64)
        for known in graph.classes:
            if known.key(target) is not None:
                equal += self._holding({key.place for key in known.keys} - {target})
        for link in graph.links:
            if target in (link.left, link.right):
                others += self.has(link.left if link.right == target else link.right)
        kinds = (SCAN, SCAN_CHECKED)
        if self.model.windows[target].access == "hash":
            kinds = (HASH, HASH_CHECKED)
        plain, checked = (ACCESSES.index(kind) for kind in kinds)
        found = np.where(equal + others > 1, checked, plain)
        return np.where(equal > 0, found, ACCESSES.index(EACH))

    def _holding(self, places: Iterable[int]) -> Bools:
        """The sets that hold any of these sources."""
        found = np.zeros(1 << self.count, dtype=np.bool_)
        for place in places:
            found |= self.has(place)
        return found

    def copies(self, origin: int, target: int) -> tuple[int, float] | None:
        """Which source's tuples find how many copies of themselves in the target."""
        twins = self.model.graph.twins
        other = None if twins is None else twins.other(target)
        return None if other is None else (other, self.model.copies(origin, (other,), target))

    def linked(self, target: int) -> Bools:
        """The sets that some predicate links with the target, and the empty one."""
        graph = self.model.graph
        found = np.zeros(1 << self.count, dtype=np.bool_)
        found[0] = True
        for other in range(self.count):
            if other != target and graph.connected((other,), target):
                found.reshape(-1, 2, 1 << other)[:, 1, :] = True
        return found

    def worth(self, target: int) -> Floats | float:
        """What a comparison is worth at the target, after each set."""
        if not self.model.graph.worths:
            return 1.0
        found = np.ones(1 << self.count)
        for other in range(self.count):
            worth = self.model.graph.worth((other,), target)
            if other != target and worth != 1:
                half = found.reshape(-1, 2, 1 << other)[:, 1, :]
                np.maximum(half, worth, out=half)
        return found

    def has(self, place: int) -> Bools:
        """The sets that hold this source."""
        found = np.zeros((1 << self.count - place - 1, 2, 1 << place), dtype=np.bool_)
        found[:, 1, :] = True
        return found.reshape(-1)

    def _product(self, factors: list[float]) -> Floats:
        values = np.ones(1)
        for factor in factors:
            values = np.concatenate([values, values * factor])
        return values

    def _with(self, values: Floats, one: int, other: int) -> Floats:
        """The view on those sets that hold both."""
        low, high = sorted((one, other))
        shape = (-1, 2, 1 << (high - low - 1), 2, 1 << low)
        return values.reshape(shape)[:, 1, :, 1, :]

    def _with_copies(self, values: Floats, left_out: int) -> Floats:
        twins = self.model.graph.twins
        assert twins is not None
        both = np.flatnonzero(self.has(twins.earlier) & self.has(twins.later))
        found = values.copy()
        found[both] += values[both ^ (1 << left_out)]
        return found

    def _class_share(self, known: KeyClass) -> Floats:
        if known.declared is not None:
            shares = np.ones(1 << self.count)
            self._with(shares, *(key.place for key in known.keys))[...] = known.declared
            return shares
        each = [1.0] * self.count
        for key in known.keys:
            each[key.place] = key.present / mass(key.spread)
        shares = self._product(each)
        linked, kinds, kind_of = self._spreads(known)
        alike = [mass(known.spread(example)) for example in kinds]
        shares[linked] *= np.array(alike)[kind_of]
        # Values that are missing matter only where there is something to be equal to.
        members = sum(self.has(key.place).astype(np.int64) for key in known.keys)
        shares[members == 1] = 1.0
        return shares

    def _spreads(self, known: KeyClass) -> tuple[Bools, list[list[int]], Ints]:
        """The sets with a member of the class, an example of each kind of keys, each set's kind.

        Keys of a composite are known by the ranks all have and the sum of exponents alone.
        """
        if known not in self._kinds:
            self._kinds[known] = self._spread(known)
        return self._kinds[known]

    def _spread(self, known: KeyClass) -> tuple[Bools, list[list[int]], Ints]:
        firsts = np.zeros(1, dtype=np.int64)
        lasts = np.full(1, np.iinfo(np.int64).max)
        exponents = np.zeros(1)
        for place in range(self.count):
            check()
            key = known.key(place)
            first, last, zipf = key.spread if key else (0, int(lasts[0]), 0.0)
            firsts = np.concatenate([firsts, np.maximum(firsts, first)])
            lasts = np.concatenate([lasts, np.minimum(lasts, last)])
            exponents = np.concatenate([exponents, exponents + zipf])
        linked = firsts > 0
        kinds = np.zeros(int(linked.sum()), dtype=np.int64)
        for values in (firsts, lasts, exponents):
            different, which = np.unique(values[linked], return_inverse=True)
            kinds = kinds * len(different) + which
        _, examples_at, which = np.unique(kinds, return_index=True, return_inverse=True)
        sets = np.flatnonzero(linked)[examples_at].tolist()
        examples = [[p for p in range(self.count) if mask >> p & 1] for mask in sets]
        return linked, examples, which


def with_member(values: Floats, place: int) -> Floats:
    """The value of each set with one source added."""
    halves = values.reshape(-1, 2, 1 << place)
    return np.repeat(halves[:, 1:, :], 2, axis=1).reshape(-1)


@lru_cache(maxsize=1)
def set_arrays(model: JoinModel) -> SetArrays:
    """The arrays of one join: several searches work on them."""
    return SetArrays(model)
