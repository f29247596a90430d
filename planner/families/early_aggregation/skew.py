"""Keys that are not uniform: a set has one entry for many tuples with a frequent key, or with none.

So keys of entries are spread more evenly than those of tuples, and fewer pairs of them are equal;
and of entries more have a key than of tuples, where it may be missing.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from planner.families.early_aggregation.model import AggregationModel
from planner.families.early_aggregation.window_sizes import Content, filled, grid_of, on_grid
from planner.joins.arrays import Bools, Floats, Ints
from planner.joins.graph import Key, KeyClass


def skewed_classes(model: AggregationModel) -> tuple[ClassMasses, ...]:
    """The classes of equal attributes whose sets and windows have other spreads of keys."""
    return tuple(
        ClassMasses(model, known)
        for known in model.join.graph.classes
        if known.declared is None and any(key.zipf or key.present < 1 for key in known.keys)
    )


class ClassMasses:
    """For every state, how likely one key is the same in all that it joins."""

    def __init__(self, model: AggregationModel, known: KeyClass) -> None:
        self.known = known
        self._model = model
        self._grid = grid_of(key.spread for key in known.keys)

    @cached_property
    def masses(self) -> Floats:
        """The chance that all that is joined has one key; 1 where it has nothing to be equal to."""
        return np.where(self._alone, 1.0, self._sums)

    @cached_property
    def _sums(self) -> Floats:
        """The sum over keys of the product of their shares in the contents that are joined."""
        half = self._model.count // 2
        left = self._products(range(half))
        right = self._products(range(half, self._model.count))
        # Of both halves each state of the one meets each of the other.
        return ((right * np.diff(self._grid)) @ left.T).ravel()

    @cached_property
    def _alone(self) -> Bools:
        """The states with one source of the class."""
        states = np.arange(3**self._model.count)
        members = sum((states // 3**key.place % 3 > 0).astype(np.int64) for key in self.known.keys)
        return np.asarray(members == 1)

    @cached_property
    def correction(self) -> Floats:
        """How many more or fewer combinations match than if all were tuples of windows."""
        as_windows = self.masses[self._as_windows]
        found = np.ones(len(self.masses))
        np.divide(self.masses, as_windows, out=found, where=as_windows > 0)
        return found

    def met(self, target: int, is_set: bool, part: Floats) -> Floats:
        """The part of the target that is looked through, given that of windows by windows.

        What is met beside equal keys lies in the same bucket by chance; so does what has no key.
        """
        states = np.arange(len(self.masses))
        equal = self._equal(states, target, 2 if is_set else 1)
        in_windows = self._equal(self._as_windows, target, 1)
        # `part` is of tuples that have a key.
        in_windows = _ratio(in_windows, self._keyed(self._as_windows, target))
        beside = np.maximum(part - in_windows, 0.0) / np.maximum(1 - in_windows, 1e-12)
        return equal + beside * (1 - equal)

    def _keyed(self, states: Ints, target: int) -> Floats:
        """The chance that a composite and a tuple of the target's window both have a key."""
        composite = np.where(self._alone[states], self._sums[states], 1.0)
        return np.asarray(composite * self._sums[3**target])

    def _equal(self, states: Ints, target: int, digit: int) -> Floats:
        """The chance that an entry of the target has the key of a composite."""
        step = np.where(states // 3**target % 3 == 0, digit * 3**target, 0)
        return _ratio(self.masses[states + step], self.masses[states])

    @cached_property
    def _as_windows(self) -> Ints:
        states = np.zeros(1, dtype=np.int64)
        for place in range(self._model.count):
            states = np.concatenate([states, states + 3**place, states + 3**place])
        return states

    def _products(self, places: range) -> Floats:
        products = np.ones((1, len(self._grid) - 1))
        for place in places:
            key = self.known.key(place)
            if key is None:
                products = np.concatenate([products] * 3)
                continue
            window, entries = self._shares(key, self._model.contents[place])
            products = np.concatenate([products, products * window, products * entries])
        return products

    def _shares(self, key: Key, content: Content) -> tuple[Floats, Floats]:
        """The share of each key in the window, and in the set."""
        values = on_grid(key.spread, self._grid)
        attributes = [column.attribute for column in self._model.rules[key.place].joined]
        beside = content.beside(attributes.index(key.attribute))
        tuples, window = content.mean(is_set=False), key.present * values.shares
        entries = filled(np.outer(window, beside.shares), tuples, content.varying) @ beside.counts
        without = filled((1 - key.present) * beside.shares, tuples, content.varying) @ beside.counts
        whole = float(entries @ values.counts + without)
        return window, entries / whole if whole else np.zeros(len(entries))


def _ratio(above: Floats, below: Floats) -> Floats:
    """The one over the other; 0 where that is 0."""
    found = np.zeros(len(above))
    np.divide(above, below, out=found, where=below > 0)
    return found
