"""Search over global orders: all of them, the exact best of many streams, and best-first."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import permutations
from math import inf

import numpy as np

from planner.families.join_order.order_pricer import SCORE, StepTable, Weights, origin_costs
from planner.families.join_order.plans import LoopOrders, Order, general
from planner.joins.arrays import Floats, Ints
from planner.joins.model import JoinModel
from planner.joins.sets import set_arrays
from planner.plan.cost import rounded
from planner.time_limit import check


@lru_cache(maxsize=4)
def all_orders(count: int) -> Ints:
    """Every order of `count` streams, one a row. For few streams: there are count! of them."""
    flat = np.fromiter((p for order in permutations(range(count)) for p in order), dtype=np.int64)
    orders = flat.reshape(-1, count)
    orders.flags.writeable = False
    return orders


def cost_to_go(table: StepTable, worst: bool = False) -> Floats:
    """For every set of streams placed, the least (or most) cost of appending all the others.

    The exact dynamic program over subsets, from the full set down, one size of set at a time.
    A table may hold many costs side by side, along a last axis.
    """
    count = table.count
    better = np.maximum if worst else np.minimum
    to_go = np.full(table.costs.shape[1:], -np.inf if worst else np.inf)
    to_go[-1] = 0.0
    for layer in reversed(sets_by_size(count)[:-1]):
        for place in range(count):
            check()
            without = layer[(layer >> place) & 1 == 0]
            through = table.costs[place, without] + to_go[without | (1 << place)]
            to_go[without] = better(to_go[without], through)
    return to_go


@lru_cache(maxsize=2)
def sets_by_size(count: int) -> list[Ints]:
    """All sets of `count` sources, the smallest first, those of one size together."""
    sizes = np.zeros(1, dtype=np.int8)
    for _ in range(count):
        sizes = np.concatenate([sizes, sizes + 1])
    ends = np.cumsum(np.bincount(sizes))[:-1]
    return np.split(np.argsort(sizes, kind="stable"), ends)


def best_first(
    table: StepTable, to_go: Floats, names: Sequence[str]
) -> Iterator[tuple[float, Order]]:
    """Every linked order with its score, lazily, cheapest first; ties come in order of labels.

    A* with the exact cost-to-go: no prefix is opened before a cheaper order has been yielded.
    """
    count = table.count
    # With its comma an alias sorts among aliases as its label does among labels.
    by_name = sorted(range(count), key=lambda place: names[place] + ",")
    # Views give plain floats: reading one number of an array at a time is several times slower.
    costs, ahead = table.costs.data, to_go.data
    opened: list[tuple[float, Order, int, float]] = [(rounded(ahead[0]), (), 0, 0.0)]
    while opened:
        check()
        bound, ranks, placed, spent = heapq.heappop(opened)
        if len(ranks) == count:
            yield bound, tuple(by_name[rank] for rank in ranks)
            continue
        for rank, place in enumerate(by_name):
            bit = 1 << place
            if placed & bit:
                continue
            reached = spent + costs[place, placed]
            bound = rounded(reached + ahead[placed | bit])
            if bound == inf:
                continue
            heapq.heappush(opened, (bound, (*ranks, rank), placed | bit, reached))


# On one attribute multiway orders are near the best; beyond this other searches take seconds.
MOST_STREAMS = 14


@lru_cache(maxsize=4)
def best_general(model: JoinModel, weights: Weights = SCORE) -> tuple[LoopOrders, float]:
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
    and what an order per origin would save is shown beside.
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
