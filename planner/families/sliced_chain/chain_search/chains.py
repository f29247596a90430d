"""The chains of one group of queries: priced by their slices, searched, and traded off."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, combinations, pairwise

import numpy as np

from planner.families.sliced_chain.chain_search import pareto, shortest_path
from planner.families.sliced_chain.chain_search.edges import Edges
from planner.families.sliced_chain.model import GroupModel
from planner.joins.arrays import Floats, Ints
from planner.joins.shared.query_groups import Unit
from planner.plan.cost import Cost

MOST_NEIGHBOURS = 100
# With more windows the slices between them are too many to distinguish in a picture.
MOST_DRAWN = 12

# The places of the ends of a group's slices among its boundaries.
Places = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class MergedSlice:
    """A slice from one boundary to another, by their places, and what it adds to the score.

    `apart` is what the slices it merges would add.
    """

    start: int
    end: int
    cost: float
    apart: float

    @property
    def merged(self) -> int:
        """How many slices it stands for."""
        return self.end - self.start


@dataclass(frozen=True, slots=True)
class Mergings:
    """The boundaries of one group, all slices between them where they are few, and two chains.

    `ahead` is what every chain costs before its slices: conditions evaluated on arrival.
    """

    group: int
    unit: Unit
    boundaries: tuple[float, ...]
    every: tuple[MergedSlice, ...]
    cheapest: tuple[MergedSlice, ...]
    chosen: tuple[MergedSlice, ...]
    ahead: float


class GroupChains:
    """The chains of one group: priced by their slices, searched, and traded off."""

    def __init__(self, model: GroupModel, c_sys: float) -> None:
        self.model = model
        self.edges = Edges(model)
        self._c_sys = c_sys

    def cost(self, start: Ints, end: Ints) -> Floats:
        """What slices add to a chain's score."""
        found = self.edges.comparisons(start, end)
        if self._c_sys:
            found = found + self._c_sys * self.edges.entering(start)
        return found

    @cached_property
    def first(self) -> Floats:
        """What the first slice adds, by its end: unions are decided by it."""
        every = np.arange(self.edges.last + 1)
        return self.cost(np.zeros_like(every), every) + self.edges.unions

    @cached_property
    def cheapest(self) -> Places:
        """The CPU-Opt chain."""
        return shortest_path.shortest(self.cost, self.first, self.edges.long_from).ends

    @property
    def every(self) -> Places:
        """The Mem-Opt chain: a slice between every two boundaries."""
        return tuple(range(1, self.edges.last + 1))

    @cached_property
    def front(self) -> pareto.Front:
        """The chains of which none is better in both cost and state."""
        if self.edges.same_state:
            point = self.cheapest
            return pareto.Front(
                (pareto.ParetoPoint(point, self.score(point), self.state(point)),), 0.0
            )
        found = pareto.front(self.cost, self.edges.state, self.first)
        points = (pareto.ParetoPoint(p.ends, self.score(p.ends), p.state) for p in found.points)
        return pareto.Front(tuple(points), found.epsilon)

    def score(self, places: Places) -> float:
        """Comparisons per second of a chain, and what its slices' overhead is worth."""
        starts, ends = _edges(places)
        cost = self.cost(starts, ends).sum() + self.edges.unions[places[0]]
        return float(cost) + self.edges.beforehand

    def state(self, places: Places) -> float:
        return float(self.edges.state(*_edges(places)).sum())

    def work(self, places: Places) -> Cost:
        """The cost of a chain but for the rows it returns."""
        starts, ends = _edges(places)
        comparisons = self.edges.comparisons(starts, ends).sum() + self.edges.unions[places[0]]
        return Cost(
            comparisons=float(comparisons) + self.edges.beforehand,
            inserts=float(self.edges.inserts(starts).sum()),
            state_tuples=self.state(places),
        )

    def neighbours(self, places: Places) -> Iterator[Places]:
        """Chains with one end less or one more, the cheapest of them."""
        less = (places[:k] + places[k + 1 :] for k in range(len(places) - 1))
        own = set(places)
        more = (tuple(sorted((*places, end))) for end in self.every if end not in own)
        found = list(chain(less, more))
        if len(found) > MOST_NEIGHBOURS:
            found.sort(key=self.score)
        yield from found[:MOST_NEIGHBOURS]

    def mergings(self, chosen: Places) -> Mergings:
        """The graph of mergings as a picture needs it."""
        group, last = self.model.group, self.edges.last
        every = combinations(range(last + 1), 2) if last <= MOST_DRAWN else ()
        return Mergings(
            group.number,
            group.unit,
            tuple(map(self.model.length, group.boundaries)),
            tuple(self._merging(*edge) for edge in every),
            tuple(self._merging(*edge) for edge in pairwise((0, *self.cheapest))),
            tuple(self._merging(*edge) for edge in pairwise((0, *chosen))),
            self.edges.beforehand,
        )

    def _merging(self, start: int, end: int) -> MergedSlice:
        apart = sum(self._added(place, place + 1) for place in range(start, end))
        return MergedSlice(start, end, self._added(start, end), apart)

    def _added(self, start: int, end: int) -> float:
        """What a slice adds to the score; the first one decides on unions."""
        if not start:
            return float(self.first[end])
        return float(self.cost(np.array([start]), np.array([end]))[0])


def _edges(places: Places) -> tuple[Ints, Ints]:
    return np.array((0, *places[:-1])), np.array(places)
