"""The best join orders of many workloads at once: the parts are the scores of all orders.

Where every stream may have an order of its own, the parts are also what each loop of each stream
costs below every set: the cheapest loops of each stream then make up the best general plan.
"""

from __future__ import annotations

from itertools import permutations
from typing import TYPE_CHECKING

import numpy as np

from planner.families.grid_pricing import MOST_LISTED, SAME, GridPrices, PriceParts, of_listed
from planner.families.join_order import plan_space
from planner.families.join_order.order_pricer import origin_costs
from planner.families.join_order.plans import general, loops_of
from planner.families.join_order.search import is_ranked
from planner.joins.arrays import Floats, Ints
from planner.joins.sets import set_arrays
from planner.plan.objective import Objective

if TYPE_CHECKING:
    from planner.families.join_order.space import JoinOrders
    from planner.joins.model import JoinModel

# With more streams a workload has too many orders to price each in every cell.
MOST_STREAMS = 5
# What an order that no predicate links costs: nothing finite, which arrays of parts are.
_NEVER = 1e300


def price_parts(space: JoinOrders, by: Objective) -> PriceParts | None:
    """The scores of all orders, then what the loops of each stream cost."""
    model = space.model
    if len(model.windows) > MOST_STREAMS or not plan_space.lists_naive(model):
        return None
    if by.name != space.objectives[0].name and is_ranked(model):
        # By seconds and state the best general plan is one of those cheapest by their probes.
        return None
    labels = order_labels(model)
    if len(labels) > MOST_LISTED:
        return None
    scores = np.array(space.scores(labels, by))
    if not is_ranked(model):
        return PriceParts(labels, scores)
    tables = [_loops(model, origin) for origin in model.origins]
    linked = tuple(np.isfinite(table).tobytes() for table in tables)
    ahead = np.array([plan_space.score_weights(model).filter * model.filtering])
    values = [scores, ahead, *(np.nan_to_num(table, posinf=_NEVER).reshape(-1) for table in tables)]
    return PriceParts((labels, linked), np.concatenate(values))


def combined(space: JoinOrders, parts: Floats, by: Objective) -> GridPrices:
    """The cheapest order in every cell, or the best general plan where that is cheaper."""
    model = space.model
    labels = order_labels(model)
    found = of_listed(labels, parts[:, : len(labels)], by)
    if not is_ranked(model):
        return found
    plans = _General(model, parts[:, len(labels) :])
    # It is ranked only where it is cheaper than every order, which may be the same loops.
    wins = plans.score < found.score * (1 - SAME)
    next_best = wins & (found.score < plans.second)

    def scores(label: str) -> Floats:
        return plans.scores(label) if label.startswith("general:") else found.scores(label)

    return GridPrices(
        (*labels, *plans.labels),
        np.where(wins, len(labels) + plans.best, found.best),
        np.where(wins, plans.score, found.score),
        np.where(next_best, found.best, np.where(wins, -1, found.runner_up)),
        np.where(wins, np.minimum(found.score, plans.second), found.second),
        scores,
    )


def order_labels(model: JoinModel) -> tuple[str, ...]:
    """Every multiway and naive order that can be run."""
    listed = (e.label for e in plan_space.plans_by_cost(model) if not e.is_general)
    return tuple(sorted(listed))


def _loops(model: JoinModel, origin: int) -> Floats:
    return origin_costs(set_arrays(model), origin, plan_space.score_weights(model))


class _General:
    """The cheapest loops of every stream, in every cell."""

    def __init__(self, model: JoinModel, parts: Floats) -> None:
        self._model, self._filtering = model, parts[:, 0]
        count = len(model.windows)
        self._orders = list(permutations(range(count)))
        size = count << count
        starts = (1 + at * size for at in range(len(model.origins)))
        self._costs = [self._priced(parts[:, at : at + size], count) for at in starts]
        chosen = np.stack([costs.argmin(axis=1) for costs in self._costs], axis=1)
        pairs = [np.partition(costs, 1, axis=1)[:, :2] for costs in self._costs]
        self.score: Floats = self._filtering + sum(pair[:, 0] for pair in pairs)
        self.second = self.score + np.min([pair[:, 1] - pair[:, 0] for pair in pairs], axis=0)
        plans, places = np.unique(chosen, axis=0, return_inverse=True)
        self.best: Ints = places.reshape(-1)
        named = (general(model, [self._orders[at] for at in plan]) for plan in plans.tolist())
        self.labels = tuple(loops.label for loops in named)

    def _priced(self, parts: Floats, count: int) -> Floats:
        """What every order of one stream's loops costs, one column an order."""
        table = parts.reshape(len(parts), count, 1 << count)
        found = np.zeros((len(parts), len(self._orders)))
        for at, order in enumerate(self._orders):
            above = 0
            for place in order:
                found[:, at] += table[:, place, above]
                above |= 1 << place
        return found

    def scores(self, label: str) -> Floats:
        orders = loops_of(self._model, label).orders
        columns = zip(self._costs, map(self._orders.index, orders), strict=True)
        return self._filtering + sum(costs[:, at] for costs, at in columns)
