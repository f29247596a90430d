"""The best chains of many workloads at once: the parts are the costs of all slices.

A chain is a path over the boundaries, so its cheapest is found in all cells together: from end to
end the best and the second best way, each with the places that lie on it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from planner.families.grid_pricing import SAME, GridPrices, PriceParts
from planner.families.sliced_chain.labels import STRATEGIES
from planner.joins.arrays import Floats, Ints
from planner.plan.objective import Objective

if TYPE_CHECKING:
    from planner.families.sliced_chain.chain_search.chains import GroupChains
    from planner.families.sliced_chain.space import ChainPlans

# With more boundaries the slices between them are too many to price in every cell.
MOST_BOUNDARIES = 48


def price_parts(space: ChainPlans) -> PriceParts | None:
    """The scores of the strategies, then of each group the costs of its slices."""
    if any(chains.edges.last > MOST_BOUNDARIES for chains in space.chains):
        return None
    strategies = space.strategies_planned
    boundaries = tuple(chains.model.group.boundaries for chains in space.chains)
    values = [
        np.array([space.score(label) for label in strategies]),
        *(_slices(chains) for chains in space.chains),
    ]
    return PriceParts((strategies, boundaries), np.concatenate(values))


def combined(space: ChainPlans, parts: Floats, by: Objective) -> GridPrices:
    """The cheapest of the strategies and of all chains, in every cell."""
    strategies = space.strategies_planned
    columns = {label: parts[:, place] for place, label in enumerate(strategies)}
    searches: list[_GridSearch] = []
    at = len(strategies)
    for chains in space.chains:
        search = _GridSearch(chains.edges.last, parts[:, at:])
        searches.append(search)
        at += search.width
    score = np.sum([search.best for search in searches], axis=0)
    # The second best chain differs from the best in one group.
    second = score + np.min([search.second - search.best for search in searches], axis=0)
    ends = np.concatenate([search.on_path for search in searches], axis=1)
    paths, places = np.unique(ends, axis=0, return_inverse=True)
    labels = [*strategies, *(space.label(_split(searches, path)) for path in paths)]
    best = len(strategies) + places.reshape(-1)
    runner_up = np.full(len(parts), -1)
    for place, label in enumerate(strategies):
        own = columns[label]
        wins, follows = own < score, own < second
        runner_up = np.where(wins, best, np.where(follows, place, runner_up))
        second = np.where(wins, score, np.where(follows, own, second))
        best, score = np.where(wins, place, best), np.where(wins, own, score)

    def scores(label: str) -> Floats:
        if label in columns:
            return columns[label]
        if label in STRATEGIES:
            raise KeyError(label)
        pairs = zip(searches, space.places(space.meant(label)), strict=True)
        return np.asarray(sum(search.along(own) for search, own in pairs))

    assert by.is_lowest
    return GridPrices(tuple(labels), best, score, runner_up, second, scores)


def _slices(chains: GroupChains) -> Floats:
    """What every slice adds, by start and end; what comes before them is in the first ones."""
    last = chains.edges.last
    starts, ends = np.triu_indices(last + 1, k=1)
    costs = chains.cost(starts, ends)
    first = starts == 0
    costs[first] = chains.first[ends[first]] + chains.edges.beforehand
    return costs


def _split(searches: Sequence[_GridSearch], path: Ints) -> tuple[tuple[int, ...], ...]:
    found, at = [], 0
    for search in searches:
        own = path[at : at + search.last]
        found.append(tuple((np.flatnonzero(own) + 1).tolist()))
        at += search.last
    return tuple(found)


class _GridSearch:
    """The cheapest and the second cheapest chain of one group, in every cell."""

    def __init__(self, last: int, parts: Floats) -> None:
        self.last = last
        starts, ends = np.triu_indices(last + 1, k=1)
        self.width = len(starts)
        pairs = zip(starts.tolist(), ends.tolist(), strict=True)
        self._column = {edge: at for at, edge in enumerate(pairs)}
        # One row a slice: then all cells of a slice are read at once.
        self._costs = np.ascontiguousarray(parts[:, : self.width].T)
        cells = len(parts)
        best = np.full((last + 1, cells), np.inf)
        second = np.full((last + 1, cells), np.inf)
        before = np.zeros((last + 1, cells), dtype=np.int64)
        best[0] = 0.0
        for end in range(1, last + 1):
            for start in range(end):
                cost = self._costs[self._column[start, end]]
                reached = best[start] + cost
                # Chains that cost the same are many: the noise of parts must not choose.
                better = reached < best[end] * (1 - SAME)
                beaten = np.where(better, best[end], reached)
                second[end] = np.minimum(np.minimum(second[end], beaten), second[start] + cost)
                best[end] = np.where(better, reached, best[end])
                before[end] = np.where(better, start, before[end])
        self.best, self.second = best[last], second[last]
        self.on_path = self._traced(before)

    def _traced(self, before: Ints) -> Ints:
        """For each cell and each boundary but the first whether a slice ends there."""
        cells = before.shape[1]
        every = np.arange(cells)
        found = np.zeros((cells, self.last), dtype=np.int64)
        at = np.full(cells, self.last)
        while np.any(at > 0):
            inside = at > 0
            found[every[inside], at[inside] - 1] = 1
            at = np.where(inside, before[at, every], 0)
        return found

    def along(self, places: Sequence[int]) -> Floats:
        """What the chain with these ends costs, in every cell."""
        edges = zip((0, *places[:-1]), places, strict=True)
        return np.asarray(sum(self._costs[self._column[edge]] for edge in edges))
