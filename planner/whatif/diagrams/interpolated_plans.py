"""A diagram from the plans that win in some cells, each of them priced in all.

1. Cells on a coarse lattice are planned: the winners are the plans that are compared.
2. What each of them costs is interpolated (`smooth_grid`), and the best one named in every cell.
3. Cells beside borders, and some others, are planned. Winners that were not known join the others,
   and all is done again until no new one is found.

A plan that wins in none of the cells that were planned is not seen.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np

from planner.families.grid_pricing import GridPrices, of_listed
from planner.joins.arrays import Bools, Floats, Ints
from planner.whatif.cells import Cells, Values
from planner.whatif.diagrams.plan_diagram import PlanDiagram, baseline, places_of, two
from planner.whatif.diagrams.smooth_grid import interpolated

# The lattice has so many cells along each axis, and costs are worked out in so many at most.
_LATTICE = 9
_MOST_NODES = 400
# In each round so many cells beside borders are planned, and a quarter as many others.
_CHECKED = 48
_MOST_ROUNDS = 12
_MOST_COMPARED = 60
# A plan that is better by less is no new one: costs are interpolated.
_BETTER = 1e-6

Place = tuple[int, int]


def from_plans(cells: Cells, deadline: float) -> PlanDiagram | None:
    """The diagram; None where costs are not smooth, or chance decides, or time is over."""
    if cells.is_simulated:
        return None
    search = _PlanSearch(cells)
    prices = search.priced(deadline)
    for number in range(_MOST_ROUNDS):
        if prices is None or not search.learns(prices, number):
            break
        if len(search.compared) > _MOST_COMPARED:
            return None
        prices = search.priced(deadline)
    return None if prices is None else search.diagram(prices)


class _PlanSearch:
    """The cells that were planned, and the plans that won in them."""

    def __init__(self, cells: Cells) -> None:
        self._cells = cells
        self._values = tuple(axis.values for axis in cells.axes)
        self._shape = len(self._values[0]), len(self._values[1])
        self._winners: dict[Place, str] = {}
        self.compared: dict[str, None] = {baseline(cells, self._at((0, 0))): None}
        self.compared |= dict.fromkeys(map(self._winner, self._lattice()))

    def _at(self, place: Place) -> Values:
        return self._values[0][place[0]], self._values[1][place[1]]

    def _lattice(self) -> list[Place]:
        """Cells evenly apart, the corners among them."""
        rows, columns = (
            np.unique(np.linspace(0, count - 1, _LATTICE).round().astype(int)).tolist()
            for count in self._shape
        )
        return [(i, j) for i in rows for j in columns]

    def _winner(self, place: Place) -> str:
        if place not in self._winners:
            self._winners[place] = self._cells.winner(self._at(place))
        return self._winners[place]

    def priced(self, deadline: float) -> GridPrices | None:
        """What the plans that are compared cost in every cell."""
        labels = tuple(self.compared)

        def at(i: int, j: int) -> Floats | None:
            if time.thread_time() > deadline:
                return None
            return np.array(self._cells.scores(self._at((i, j)), labels))

        most = min(_MOST_NODES, self._shape[0] * self._shape[1])
        found = interpolated(self._values, at, most)
        return None if found is None else of_listed(labels, found, self._cells.by)

    def learns(self, prices: GridPrices, number: int) -> bool:
        """Plan cells on both sides of borders, and some others; whether plans win there that were
        not compared. They are from now on."""
        border = _beside_borders(prices.best.reshape(self._shape))
        rng = np.random.default_rng(number)
        places = [*self._drawn(border, rng, _CHECKED), *self._drawn(~border, rng, _CHECKED // 4)]
        found = [self._winner(place) for place in places if self._is_new(prices, place)]
        self.compared |= dict.fromkeys(found)
        return bool(found)

    def _drawn(self, wanted: Bools, rng: np.random.Generator, count: int) -> Iterator[Place]:
        places = np.argwhere(wanted)
        for i, j in places[rng.permutation(len(places))][:count].tolist():
            if (i, j) not in self._winners:
                yield i, j

    def _is_new(self, prices: GridPrices, place: Place) -> bool:
        label = self._winner(place)
        if label in self.compared:
            return False
        best = float(prices.score[place[0] * self._shape[1] + place[1]])
        (own,) = self._cells.scores(self._at(place), [label])
        return not self._cells.by.within(best, own, 1 + _BETTER)

    def diagram(self, prices: GridPrices) -> PlanDiagram:
        """The plans that win somewhere, and the baseline, by the prices of all cells."""
        won = [prices.labels[place] for place in np.unique(prices.best).tolist()]
        plans = tuple(sorted({*won, baseline(self._cells, self._at((0, 0)))}))
        winners = [prices.labels[place] for place in prices.best.tolist()]
        return PlanDiagram(
            two(self._cells.axes),
            plans,
            places_of(winners, plans),
            prices.score,
            prices.second,
            np.array([prices.scores(label) for label in plans]),
            self._cells.by,
            len(self._winners),
            "plans interpolated",
        )


def _beside_borders(grid: Ints) -> Bools:
    """The cells that have a neighbour with another winner."""
    found = np.zeros(grid.shape, dtype=np.bool_)
    across, down = grid[1:] != grid[:-1], grid[:, 1:] != grid[:, :-1]
    found[1:] |= across
    found[:-1] |= across
    found[:, 1:] |= down
    found[:, :-1] |= down
    return found
