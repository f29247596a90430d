"""The join graph: classes of equal attributes, other predicates, and what they make of sizes."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cached_property

from planner.joins.keys import Spread, mass
from planner.time_limit import check


@dataclass(frozen=True, slots=True)
class Key:
    """An attribute of a class of equal ones: whose it is, which values, how they are spread."""

    place: int
    attribute: str
    distinct: int
    zipf: float = 0.0
    # The lowest rank that passes the source's filters.
    first: int = 1
    # The share of tuples that have a value: others join nothing.
    present: float = 1.0

    @property
    def spread(self) -> Spread:
        return self.first, self.first + self.distinct - 1, self.zipf


@dataclass(frozen=True, slots=True)
class KeyClass:
    """Attributes linked by `=`, at most one of each source. `declared` prices a class of two.

    `by_rank`: values are listed, not alike for all; the first of each is taken to be equal, and
    so on.
    """

    keys: tuple[Key, ...]
    declared: float | None = None
    by_rank: bool = False

    def key(self, place: int) -> Key | None:
        """The attribute of this source, where it has one here."""
        return next((key for key in self.keys if key.place == place), None)

    def inside(self, members: Collection[int]) -> tuple[Key, ...]:
        return tuple(key for key in self.keys if key.place in members)

    def spread(self, members: Collection[int]) -> Spread:
        """The keys of a composite: the ranks that all have, and the exponents' sum."""
        firsts, lasts, exponents = zip(*(k.spread for k in self.inside(members)), strict=True)
        return max(firsts), min(lasts), sum(exponents)

    def share(self, members: Collection[int]) -> float:
        """The share of combinations of these sources whose attributes are all equal."""
        keys = self.inside(members)
        if len(keys) < 2:
            return 1.0
        if self.declared is not None:
            return self.declared
        each = math.prod(key.present / mass(key.spread) for key in keys)
        return mass(self.spread(members)) * each


@dataclass(frozen=True, slots=True)
class Link:
    """Predicates between two sources that are not plain equalities, as one share of pairs."""

    left: int
    right: int
    share: float


@dataclass(frozen=True, slots=True)
class Twins:
    """One stream under two aliases, equal on one attribute: a tuple meets its own copy.

    `later` is the alias that arrives second, `longer` the one whose window holds more.
    """

    earlier: int
    later: int
    longer: int
    shorter: int
    # The part of the longer window's tuples that the shorter one holds too.
    shared: float

    def other(self, place: int) -> int | None:
        """The other alias of this source's stream; None for another source."""
        return {self.earlier: self.later, self.later: self.earlier}.get(place)


@dataclass(frozen=True)
class JoinGraph:
    """How the sources of one join are linked. Sources are known by their place in FROM."""

    classes: tuple[KeyClass, ...]
    links: tuple[Link, ...] = ()
    twins: Twins | None = None
    # Declared costs above 1 of predicates, by the two sources they link.
    worths: tuple[tuple[int, int, float], ...] = ()

    def is_single(self, count: int) -> bool:
        """Whether all sources join on one attribute, and on nothing else."""
        return len(self.classes) == 1 and not self.links and len(self.classes[0].keys) == count

    def share(self, members: Collection[int]) -> float:
        """The share of combinations of these sources that satisfy every predicate among them."""
        check()
        asked = frozenset(members)
        if asked not in self._shares:
            equal = math.prod(known.share(asked) for known in self.classes)
            self._shares[asked] = equal * math.prod(link.share for link in self.inner(asked))
        return self._shares[asked]

    @cached_property
    def _shares(self) -> dict[frozenset[int], float]:
        """What was worked out: plans ask for the same sources over and over."""
        return {}

    def inner(self, members: Collection[int]) -> Iterator[Link]:
        """The other predicates among these sources."""
        return (li for li in self.links if li.left in members and li.right in members)

    def linking(self, joined: Collection[int], target: int) -> KeyClass | None:
        """The first class of equal attributes by which a composite can look the target up."""
        return next((c for c in self.classes if c.key(target) and c.inside(joined)), None)

    def connected(self, joined: Collection[int], target: int) -> bool:
        """Whether some predicate links the target with what is joined; anything may come first."""
        return not joined or not self._neighbours[target].isdisjoint(joined)

    @cached_property
    def _neighbours(self) -> dict[int, set[int]]:
        """The sources that a predicate links with each."""
        groups = [{key.place for key in known.keys} for known in self.classes]
        groups += [{link.left, link.right} for link in self.links]
        found: dict[int, set[int]] = {}
        for group in groups:
            for place in group:
                found.setdefault(place, set()).update(group - {place})
        return found

    def worth(self, joined: Collection[int], target: int) -> float:
        """What a comparison is worth where this source is probed: the dearest predicate's cost."""
        worth = 1.0
        for left, right, cost in self.worths:
            if (left == target and right in joined) or (right == target and left in joined):
                worth = max(worth, cost)
        return worth
