"""How tuples of one stream meet the stored tuples of another: how many they examine and match.

A tuple examines each stored tuple with the same chance, or with one that depends on its key: a
frequent key meets more. Their moments say how much scans differ in length.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from planner.joins.arrays import Floats
from planner.joins.graph import KeyClass
from planner.joins.half_join import Way, pair_graph
from planner.joins.keys import Spread, in_buckets, mass
from planner.joins.query_groups import Group
from planner.workload.execution import Buckets
from planner.workload.workload import Workload


@dataclass(frozen=True, slots=True)
class Moments:
    """Over arriving tuples: the chance of a stored tuple to be examined, and to match.

    Means, means of squares, and the mean of their product.
    """

    examined: float
    matched: float
    examined_squared: float
    matched_squared: float
    product: float


@dataclass(frozen=True, slots=True)
class Meeting:
    """Arriving tuples with `keys`, stored ones with `values`; both None: all pairs are alike.

    `present` are the shares that have a key at all. `rest` is the chance that a pair with equal
    keys (any pair, without keys) satisfies the other predicates. `examined` and `matched` are means
    over all pairs. Where windows are not hashed, all of a window is examined.
    """

    keys: Spread | None
    values: Spread | None
    present: tuple[float, float]
    hashed: bool
    buckets: Buckets
    rest: float
    examined: float
    matched: float

    def moments(self) -> Moments:
        """Closed forms: shares of keys are powers of their ranks, and so are products of them."""
        a, b = self.examined, self.matched
        if self.keys is None or self.values is None:
            return Moments(a, b, a * a, b * b, a * b)
        squared = self._met(1, 2)
        matched_squared = self.rest**2 * squared
        if not self.hashed:
            return Moments(1.0, b, 1.0, matched_squared, b)
        if self.buckets == "per-value":
            return Moments(a, b, squared, matched_squared, self.rest * squared)
        here, there = (in_buckets(spread, self.buckets) for spread in (self.keys, self.values))
        both = self._shared(1, 1)
        product = 0.0
        if b:
            product = b * float(in_buckets(both, self.buckets) @ there)
        return Moments(a, b, float(here @ there**2), matched_squared, product)

    def reversed_moments(self) -> Moments:
        """The same over stored tuples: the chance of an arriving one to examine and match them."""
        turned = Meeting(
            self.values, self.keys, self.present[::-1], self.hashed, self.buckets, self.rest,
            self.examined, self.matched,
        )  # fmt: skip
        return turned.moments()

    def _shared(self, times: int, stored_times: int) -> Spread:
        """The ranks that both have, with exponents that count so often."""
        assert self.keys is not None
        assert self.values is not None
        first, last = max(self.keys[0], self.values[0]), min(self.keys[1], self.values[1])
        return first, last, times * self.keys[2] + stored_times * self.values[2]

    def _met(self, times: int, stored_times: int) -> float:
        """The sum over keys of products of their shares."""
        assert self.keys is not None
        assert self.values is not None
        ours = (self.present[0] / mass(self.keys)) ** times
        theirs = (self.present[1] / mass(self.values)) ** stored_times
        return mass(self._shared(times, stored_times)) * ours * theirs

    # --- a tuple at a time -----------------------------------------------------------------------

    def drawn_keys(self, random: np.random.Generator, count: int, stored: bool) -> Floats:
        """Keys of so many tuples by rank, 0 where a tuple has none."""
        spread, present = (self.values if stored else self.keys), self.present[int(stored)]
        assert spread is not None
        first, last, exponent = spread
        if exponent:
            upto = np.cumsum(np.arange(first, last + 1, dtype=np.float64) ** -exponent)
            ranks = first + np.searchsorted(upto, random.random(count) * upto[-1])
        else:
            ranks = random.integers(first, last + 1, count)
        missing = random.random(count) >= present
        return np.where(missing, 0, ranks).astype(np.float64)

    def chances(self, keys: Floats) -> tuple[Floats, Floats]:
        """By arriving tuple the chance of a stored one to be examined and to match."""
        assert self.values is not None
        first, last, exponent = self.values
        inside = (keys >= first) & (keys <= last)
        equal = np.where(inside, np.maximum(keys, 1) ** -exponent, 0.0)
        equal *= self.present[1] / mass(self.values)
        if not self.hashed:
            return np.ones(len(keys)), equal * self.rest
        if self.buckets == "per-value":
            return equal, equal * self.rest
        there = in_buckets(self.values, self.buckets)
        return there[keys.astype(np.int64) % self.buckets], equal * self.rest


def meeting_of(workload: Workload, group: Group, side: int, way: Way) -> Meeting:
    """How tuples of the other stream meet those of this side, which are stored."""
    graph, places = pair_graph(workload, group)
    stored, probing = places[group.streams[side]], places[group.streams[1 - side]]
    known = graph.linking([probing], stored)
    share = way.selectivity
    hashed = group.key is not None
    if known is None or known.declared is not None or not known.share((0, 1)):
        return Meeting(None, None, (1.0, 1.0), hashed, group.buckets, share, way.scanned, share)
    keys, present = zip(*_keys(known, (probing, stored)), strict=True)
    rest = share / known.share((0, 1))
    return Meeting(
        keys[0], keys[1], (present[0], present[1]), hashed, group.buckets, rest, way.scanned, share
    )


def _keys(known: KeyClass, places: Sequence[int]) -> list[tuple[Spread, float]]:
    found = []
    for place in places:
        key = known.key(place)
        assert key is not None, "the class links both"
        found.append((key.spread, key.present))
    return found
