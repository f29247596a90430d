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

from planner.families.join_order.arrays import Floats, Ints
from planner.families.join_order.model import JoinModel
from planner.families.join_order.sets import SetArrays, set_arrays


@dataclass(frozen=True, slots=True)
class Weights:
    """What a comparison of a probe, a row passed down and a comparison of a filter are worth.

    With `worths` a comparison counts as much as the dearest predicate it has to check.
    """

    comparison: float = 1.0
    row: float = 0.0
    filter: float = 1.0
    worths: bool = False


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
        """How many sources are joined."""
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
    costs = np.zeros((sets.count, 1 << sets.count))
    for target in range(sets.count):
        scan = _scan(sets, target, weights)
        work = None
        for origin in model.origins:
            if origin == target:
                continue
            if work is None or model.graph.twins is not None:
                work = _below(sets, origin, target, scan, weights)
            # Whether or not the set holds the origin, its own tuple is part of the composite.
            halves = work.reshape(-1, 2, 1 << origin)[:, 1:, :]
            costs[target].reshape(-1, 2, 1 << origin)[...] += (
                halves * model.windows[origin].per_second
            )
    return _with_filters(costs, model, weights)


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
    model = sets.model
    costs = np.empty((sets.count, 1 << sets.count))
    inside = sets.has(origin)
    rate, new = model.evaluations(origin), model.new_tuples(origin)
    per_second = model.windows[origin].per_second
    above = sets.held * rate
    for target in range(sets.count):
        scan = _scan(sets, target, weights)
        if target == origin:
            worth = sets.worth(target) if weights.worths else 1.0
            work = above * (weights.comparison * new) * worth
            if weights.row:
                work += weights.row * _with_member(sets.joined(origin) * per_second, origin)
        else:
            work = above * scan
            if weights.row:
                work += weights.row * _with_member(above, target)
            copies = sets.copies(origin, target)
            if copies is not None:
                work += above * _own_copies(sets, target, copies, weights)
            below = _below(sets, origin, target, scan, weights) * per_second
            work = np.where(inside, below, work)
        work[~sets.linked(target)] = np.inf
        # The outermost loop is free: nothing is compared in it.
        work[0] = 0.0
        costs[target] = work
    return costs


def _scan(sets: SetArrays, target: int, weights: Weights) -> Floats:
    """What one composite pays to look through the target."""
    worth = sets.worth(target) if weights.worths else 1.0
    examined = sets.model.windows[target].examined
    return sets.looked_through(target) * (weights.comparison * examined) * worth


def _below(sets: SetArrays, origin: int, target: int, scan: Floats, weights: Weights) -> Floats:
    """What the target costs below the loop of new tuples, per result that holds such a tuple."""
    passed = sets.joined(origin)
    work = passed * scan
    copies = sets.copies(origin, target)
    if copies is not None:
        work += passed * _own_copies(sets, target, copies, weights)
    if weights.row:
        work += weights.row * _with_member(passed, target)
    return work


def _own_copies(
    sets: SetArrays, target: int, copies: tuple[int, float], weights: Weights
) -> Floats:
    """In a self-join, what a tuple pays for its own copy in the bucket it looks through."""
    other, count = copies
    worth = sets.worth(target) if weights.worths else 1.0
    rest = (1 - sets.looked_through(target)) * (weights.comparison * count) * worth
    return np.where(sets.has(other), rest, 0.0)


def _with_member(values: Floats, place: int) -> Floats:
    """The value of each set with one source added."""
    halves = values.reshape(-1, 2, 1 << place)
    return np.repeat(halves[:, 1:, :], 2, axis=1).reshape(-1)
