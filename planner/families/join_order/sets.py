"""The model over all sets of sources at once, in arrays: bit i of a set is source i.

It says nothing of its own: every figure is the one that the model gives for a single set.
"""

from __future__ import annotations

from functools import cached_property, lru_cache

import numpy as np

from planner.families.join_order.arrays import Bools, Floats, Ints
from planner.families.join_order.graph import KeyClass
from planner.families.join_order.keys import mass
from planner.families.join_order.model import JoinModel


class SetArrays:
    """Composites, scans and links of every set of sources of one join."""

    def __init__(self, model: JoinModel) -> None:
        self.model = model
        self.count = len(model.windows)
        self._kinds: dict[KeyClass, tuple[Bools, list[list[int]], Ints]] = {}

    @cached_property
    def _share(self) -> Floats:
        shares = np.ones(1 << self.count)
        for known in self.model.graph.classes:
            shares *= self._class_share(known)
        for link in self.model.graph.links:
            self._with(shares, link.left, link.right)[...] *= link.share
        return shares

    @cached_property
    def sizes(self) -> Floats:
        """Results that the windows of each set hold, copies in a self-join left out."""
        return self._product([w.tuples for w in self.model.windows]) * self._share

    @cached_property
    def held(self) -> Floats:
        """Composites that one evaluation builds of what is stored, above the new tuples' loop."""
        if all(w.examined == w.tuples for w in self.model.windows):
            held = self.sizes
        else:
            held = self._product([w.examined for w in self.model.windows]) * self._share
        twins = self.model.graph.twins
        return held if twins is None else self._with_copies(held, twins.longer)

    def joined(self, origin: int) -> Floats:
        """Results that a tuple of the origin finds its part of, for every set that holds it."""
        twins = self.model.graph.twins
        if twins is None or origin == twins.earlier:
            return self.sizes
        left_out = twins.earlier if origin == twins.later else twins.longer
        return self._with_copies(self.sizes, left_out)

    def looked_through(self, target: int) -> Floats:
        """The part of the target's window that a composite of each set looks through."""
        part = np.ones(1 << self.count)
        if self.model.windows[target].access == "scan":
            return part
        # The first class that links decides, so that the last one is filled in first.
        for known in reversed(self.model.graph.classes):
            if known.key(target) is not None:
                linked, kinds, kind_of = self._spreads(known)
                found = [self.model.looked_up(known, example, target) for example in kinds]
                part[linked] = np.array(found)[kind_of]
        return part

    def copies(self, origin: int, target: int) -> tuple[int, float] | None:
        """Which source's tuples find how many copies of themselves in the target."""
        twins = self.model.graph.twins
        if twins is None or target not in (twins.earlier, twins.later):
            return None
        other = twins.earlier if target == twins.later else twins.later
        return other, self.model.copies(origin, (other,), target)

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
            each[key.place] = 1 / mass(key.spread)
        shares = self._product(each)
        linked, kinds, kind_of = self._spreads(known)
        alike = [mass(known.spread(example)) for example in kinds]
        shares[linked] *= np.array(alike)[kind_of]
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


@lru_cache(maxsize=1)
def set_arrays(model: JoinModel) -> SetArrays:
    """The arrays of one join: several searches work on them."""
    return SetArrays(model)
