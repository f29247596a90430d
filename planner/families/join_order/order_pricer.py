"""What it costs to append a source after a set of sources, for all sets at once, in arrays.

The cost of a loop depends on the set joined above it alone. So a naive order adds up w(P, j), the
cost of appending source j after the set P for all origins; so does a multiway order on one
attribute, where every origin outside P brings its own tuple along.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from planner.families.join_order.plans import LoopOrders, Order, multiway
from planner.joins.arrays import Floats, Ints
from planner.joins.model import JoinModel
from planner.joins.probes import ACCESSES, EACH, access_of
from planner.joins.sets import SetArrays, set_arrays, with_member
from planner.time_limit import check


@dataclass(frozen=True, slots=True)
class Weights:
    """What a comparison of a probe, a row passed down and a comparison of a filter are worth.

    With `worths` a comparison counts as much as the dearest predicate it has to check. `accesses`
    has by access what a comparison and a look-up are worth there; else look-ups are worth nothing.
    """

    comparison: float = 1.0
    row: float = 0.0
    filter: float = 1.0
    worths: bool = False
    accesses: tuple[tuple[float, float], ...] | None = None

    def at(self, access: Ints | int) -> tuple[Floats | float, Floats | float]:
        """What a comparison and a look-up are worth with this access."""
        if self.accesses is None:
            return self.comparison, 0.0
        worth = np.array(self.accesses)[access]
        return worth[..., 0], worth[..., 1]


COMPARISONS = Weights()
SCORE = Weights(worths=True)


@dataclass(frozen=True, slots=True, eq=False)
class StepTable:
    """`costs[j, P]`: appending source j after the set P (bit i of P: source i); j not in P.

    It is infinite where no predicate links j with P.
    """

    costs: Floats

    @property
    def count(self) -> int:
        return int(self.costs.shape[0])

    def price(self, orders: Sequence[Sequence[int]] | Ints) -> Floats:
        """The score of every order, one order a row."""
        places = np.asarray(orders, dtype=np.int64).reshape(-1, self.count)
        prefix = np.zeros(len(places), dtype=np.int64)
        total = np.zeros(len(places))
        for step in range(self.count):
            following = places[:, step]
            total += self.costs[following, prefix]
            prefix |= np.left_shift(1, following)
        return total


# Two tables of twenty streams fill 340 MB; more would not serve a page that shows one workload.
@lru_cache(maxsize=2)
def step_table(model: JoinModel, weights: Weights = COMPARISONS) -> StepTable:
    """The multiway table of a join on one attribute."""
    sets = set_arrays(model)
    costs = np.empty((sets.count, 1 << sets.count))
    for target in range(sets.count):
        costs[target] = multiway_costs(sets, target, sets.looked_through(target), weights)
    return _with_filters(costs, model, weights)


def multiway_costs(sets: SetArrays, target: int, part: Floats, weights: Weights) -> Floats:
    """Appending the target after every set, where composites look through `part` of its window."""
    costs = np.zeros(1 << sets.count)
    work = None
    for origin in sets.model.origins:
        if origin == target:
            continue
        if work is None or sets.model.graph.twins is not None or sets.model.is_changing:
            work = _below(sets, origin, target, part, weights)
        # Whether or not the set holds the origin, its own tuple is part of the composite.
        halves = work.reshape(-1, 2, 1 << origin)[:, 1:, :]
        costs.reshape(-1, 2, 1 << origin)[...] += halves * sets.model.windows[origin].per_second
    return costs


@lru_cache(maxsize=2)
def naive_table(model: JoinModel, weights: Weights = COMPARISONS) -> StepTable:
    """The table of one loop order for all origins."""
    sets = set_arrays(model)
    costs = np.zeros((sets.count, 1 << sets.count))
    for origin in model.origins:
        costs += origin_costs(sets, origin, weights)
    return _with_filters(costs, model, weights)


def _with_filters(costs: Floats, model: JoinModel, weights: Weights) -> StepTable:
    """Every order starts after the empty set once: there it pays for the filters."""
    costs[:, 0] += weights.filter * model.filtering
    return StepTable(costs)


def origin_costs(sets: SetArrays, origin: int, weights: Weights) -> Floats:
    """`costs[j, P]` for the loops of one origin, its new tuples at any depth."""
    costs = np.empty((sets.count, 1 << sets.count))
    for target in range(sets.count):
        costs[target] = loop_costs(sets, origin, target, sets.looked_through(target), weights)
    return costs


def loop_costs(sets: SetArrays, origin: int, target: int, part: Floats, weights: Weights) -> Floats:
    """The target's loop below every set, where composites look through `part` of its window."""
    check()
    model = sets.model
    per_second = model.windows[origin].per_second
    above = sets.held * model.evaluations(origin)
    if target == origin:
        worth = sets.worth(target) if weights.worths else 1.0
        comparison, look_up = weights.at(ACCESSES.index(EACH))
        work = above * ((comparison * model.new_tuples(origin)) * worth + look_up)
        if weights.row:
            work += weights.row * with_member(sets.joined(origin) * per_second, origin)
    else:
        work = above * _scan(sets, target, part, weights, sets.met(target))
        if weights.row:
            work += weights.row * with_member(above, target)
        copies = sets.copies(origin, target)
        if copies is not None:
            work += above * _own_copies(sets, target, part, copies, weights)
        below = _below(sets, origin, target, part, weights) * per_second
        work = np.where(sets.has(origin), below, work)
    work[~sets.linked(target)] = np.inf
    # The outermost loop is free: nothing is compared in it.
    work[0] = 0.0
    return work


def _scan(
    sets: SetArrays, target: int, part: Floats, weights: Weights, met: Floats | float
) -> Floats:
    """What one composite pays to look through a part of the target's tuples that it meets."""
    worth = sets.worth(target) if weights.worths else 1.0
    if weights.accesses is None:
        return part * (weights.comparison * met) * worth
    comparison, look_up = weights.at(sets.access(target))
    return np.asarray(part * (comparison * met) * worth + look_up)


def _below(sets: SetArrays, origin: int, target: int, part: Floats, weights: Weights) -> Floats:
    """What the target costs below the loop of new tuples, per result that holds such a tuple."""
    passed, examined = sets.joined(origin), sets.model.windows[target].examined
    work = passed * _scan(sets, target, part, weights, examined)
    copies = sets.copies(origin, target)
    if copies is not None:
        work += passed * _own_copies(sets, target, part, copies, weights)
    if weights.row:
        work += weights.row * with_member(passed, target)
    return work


def _own_copies(
    sets: SetArrays, target: int, part: Floats, copies: tuple[int, float], weights: Weights
) -> Floats:
    """In a self-join, what a tuple pays for its own copy in the bucket it looks through."""
    other, count = copies
    worth = sets.worth(target) if weights.worths else 1.0
    comparison, _ = weights.at(sets.access(target) if weights.accesses is not None else 0)
    rest = (1 - part) * (comparison * count) * worth
    return np.where(sets.has(other), rest, 0.0)


class Walker:
    """Prices loops one level at a time; what orders have in common is priced once."""

    def __init__(self, model: JoinModel, weights: Weights = COMPARISONS) -> None:
        self._model = model
        self._weights = weights
        self._nests: dict[tuple[int, Order], float] = {}
        # A loop's cost depends on the set joined above it, not on its order.
        self._levels: dict[tuple[int, frozenset[int], int], float] = {}

    def score(self, loops: LoopOrders) -> float:
        """The score of one plan's loops, and of the filters before them."""
        pairs = zip(self._model.origins, loops.orders, strict=True)
        filtering = self._weights.filter * self._model.filtering
        return filtering + sum(self._nest(origin, order) for origin, order in pairs)

    def price(self, orders: Sequence[Sequence[int]]) -> Floats:
        """The score of every multiway order."""
        return np.array([self.score(multiway(self._model, order)) for order in orders])

    def _nest(self, origin: int, order: Order) -> float:
        """The first loop is free; each further one costs by what is joined above it."""
        if len(order) == 1:
            return 0.0
        found = self._nests.get((origin, order))
        if found is None:
            above, target = order[:-1], order[-1]
            level = (origin, frozenset(above), target)
            if level not in self._levels:
                self._levels[level] = self._level(origin, above, target)
            found = self._nest(origin, above) + self._levels[level]
            self._nests[origin, order] = found
        return found

    def _level(self, origin: int, joined: Order, target: int) -> float:
        model, weights = self._model, self._weights
        comparison, look_up = weights.comparison, 0.0
        if weights.accesses is not None:
            access = ACCESSES.index(access_of(model, origin, joined, target))
            comparison, look_up = weights.accesses[access]
        work = comparison * model.comparisons(origin, joined, target)
        if weights.worths:
            work *= model.graph.worth(joined, target)
        if look_up:
            work += look_up * model.matches(origin, joined)
        if weights.row:
            work += weights.row * model.matches(origin, (*joined, target))
        return work


# What scores multiway orders.
Pricer = StepTable | Walker
