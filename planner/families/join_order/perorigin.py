"""The best general plan: for each origin the exact best loop order, new tuples at any depth."""

from __future__ import annotations

from functools import lru_cache

from planner.cost import rounded
from planner.families.join_order.loops import Loops, Order, general
from planner.families.join_order.search import cost_to_go
from planner.families.join_order.table import SCORE, StepTable, Weights, origin_costs
from planner.joins.arrays import Floats
from planner.joins.model import JoinModel
from planner.joins.sets import set_arrays

# On one attribute multiway orders are near the best; beyond this other searches take seconds.
MOST_STREAMS = 14


@lru_cache(maxsize=4)
def best_general(model: JoinModel, weights: Weights = SCORE) -> tuple[Loops, float]:
    """The cheapest loops of every origin and what they score: O(n^2 2^n), no order is listed."""
    sets = set_arrays(model)
    orders, score = [], weights.filter * model.filtering
    for origin in model.origins:
        costs = origin_costs(sets, origin, weights)
        to_go = cost_to_go(StepTable(costs))
        orders.append(_walk(costs, to_go, origin))
        score += float(to_go[0])
    return general(model, orders), score


def is_ranked(model: JoinModel) -> bool:
    """Whether the best general plan is ranked beside multiway and naive orders.

    Not where all sources join eagerly on one attribute: there the paper's plans are global orders,
    and what an order per origin would save is told beside.
    """
    if not model.is_single:
        return True
    return model.timing.evaluate is not None and len(model.windows) <= MOST_STREAMS


def _walk(costs: Floats, to_go: Floats, origin: int) -> Order:
    """The order behind the least cost; among equals new tuples come first, then FROM order."""
    order: list[int] = []
    joined, count = 0, len(costs)
    while len(order) < count:
        left = [place for place in range(count) if not joined >> place & 1]
        through = {p: float(costs[p, joined] + to_go[joined | 1 << p]) for p in left}
        place = min(left, key=lambda p: (rounded(through[p]), p != origin, p))
        order.append(place)
        joined |= 1 << place
    return tuple(order)
