"""The plans of a join, cheapest first: multiway and naive orders, and the best general plan."""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from functools import lru_cache
from itertools import chain, permutations
from math import factorial, isfinite
from typing import NamedTuple

from planner.families.join_order.heuristic import HeuristicTrace, trace
from planner.families.join_order.order_pricer import (
    COMPARISONS,
    SCORE,
    Pricer,
    StepTable,
    Walker,
    Weights,
    naive_table,
    step_table,
)
from planner.families.join_order.plans import (
    LoopOrders,
    Order,
    loops_of,
    multiway,
    naive,
    naive_label,
)
from planner.families.join_order.search import (
    all_orders,
    best_first,
    best_general,
    cost_to_go,
    is_ranked,
)
from planner.families.protocol import MOST_CANDIDATES
from planner.joins.model import JoinModel
from planner.plan.cost import rounded

# On a join graph with several attributes every order is walked; beyond this many sources only
# a few multiway orders are, and the exact plan is the general one.
MOST_WALKED = 7


class RankEntry(NamedTuple):
    """A plan in the order of ranks: by score, then multiway before naive, then by label.

    `order` is its global order; a general plan has none.
    """

    score: float
    is_naive: bool
    label: str
    order: Order

    @classmethod
    def of(cls, model: JoinModel, loops: LoopOrders) -> RankEntry:
        """The entry of a plan that is not scored."""
        order: Order = ()
        if loops.algorithm != "general":
            text = loops.label.removeprefix("naive:")
            order = tuple(model.aliases.index(alias) for alias in text.split(","))
        return cls(0.0, loops.algorithm == "naive", loops.label, order)

    @property
    def is_general(self) -> bool:
        """Whether every origin has an order of its own."""
        return not self.order

    def loops(self, model: JoinModel) -> LoopOrders:
        if self.is_general:
            return loops_of(model, self.label)
        return naive(model, self.order) if self.is_naive else multiway(model, self.order)


def score_weights(model: JoinModel) -> Weights:
    """How plans are scored: by comparisons, dearer where declared predicates are."""
    return SCORE if model.graph.worths else COMPARISONS


@lru_cache(maxsize=4)
def pricer(model: JoinModel, weights: Weights = COMPARISONS) -> Pricer:
    """What prices multiway orders: a table of sets where they join on one attribute."""
    return step_table(model, weights) if model.is_single else Walker(model, weights)


@lru_cache(maxsize=4)
def traced(model: JoinModel) -> HeuristicTrace:
    """The heuristic's way to an order."""
    weights = score_weights(model)
    return trace(model, pricer(model, weights), Walker(model, weights))


def _few_orders(model: JoinModel) -> tuple[Order, ...]:
    """The multiway orders that are priced where not all can be: FROM and the heuristics'."""
    found = traced(model)
    orders = (tuple(range(len(model.windows))), found.heuristic, found.augmented)
    return tuple(dict.fromkeys(orders))


def is_listed(model: JoinModel) -> bool:
    """Whether every order can be listed."""
    count = len(model.windows)
    return factorial(count) <= MOST_CANDIDATES if model.is_single else count <= MOST_WALKED


def lists_naive(model: JoinModel) -> bool:
    """Whether naive orders are listed beside multiway ones.

    In an eager join on one attribute a naive order costs no less than the multiway one of the same
    name, unless windows hold less than a tuple; without room for both only multiway is listed.
    """
    return is_ranked(model) or 2 * factorial(len(model.windows)) <= MOST_CANDIDATES


def considered(model: JoinModel) -> int:
    """How many multiway and naive orders are compared."""
    if model.is_single:
        return factorial(len(model.windows)) * (2 if lists_naive(model) else 1)
    if is_listed(model):
        return len(_every_multiway(model, COMPARISONS)) + len(_every_naive(model, COMPARISONS))
    return len(_few_orders(model)) + 1


def plans_by_cost(
    model: JoinModel, weights: Weights | None = None, others: Weights | None = None
) -> Iterator[RankEntry]:
    """All plans that can be listed, cheapest first; a general one where no order is as cheap.

    `others` are the weights of naive orders and the general plan, where they have their own.
    """
    weights = weights or score_weights(model)
    others = others or weights
    return _with_general(model, others, _orders(model, weights, others))


def best_plan(model: JoinModel, weights: Weights | None = None) -> RankEntry:
    """The first of `plans_by_cost`, found without listing the others."""
    weights = weights or score_weights(model)
    orders = _lazy_orders if model.is_single else _orders
    return next(_with_general(model, weights, orders(model, weights, weights)))


def _with_general(
    model: JoinModel, weights: Weights, listed: Iterator[RankEntry]
) -> Iterator[RankEntry]:
    first = next(listed)
    if is_ranked(model):
        loops, score = best_general(model, weights)
        if rounded(score) < first.score:
            yield RankEntry(rounded(score), False, loops.label, ())
    yield first
    yield from listed


def _orders(model: JoinModel, weights: Weights, others: Weights) -> Iterator[RankEntry]:
    """Multiway and naive orders, cheapest first; of a large join graph few and the best naive."""
    if is_listed(model) and not lists_naive(model):
        return iter(_every_multiway(model, weights))
    if is_listed(model):
        return heapq.merge(_every_multiway(model, weights), _every_naive(model, others))
    if model.is_single:
        return _lazy_orders(model, weights, others)
    few = _few_orders(model)
    scores = pricer(model, weights).price(few).tolist()
    listed = {
        RankEntry(rounded(score), False, model.label(order), order)
        for score, order in zip(scores, few, strict=True)
    }
    return iter(sorted(chain(listed, [best_naive(model, others)])))


def best_naive(model: JoinModel, weights: Weights) -> RankEntry:
    return next(_lazily(model, naive_table(model, weights), is_naive=True))


def _lazy_orders(model: JoinModel, weights: Weights, others: Weights) -> Iterator[RankEntry]:
    """Every order of a join on one attribute, found as it is asked for."""
    found = _lazily(model, step_table(model, weights), is_naive=False)
    if not lists_naive(model):
        return found
    return heapq.merge(found, _lazily(model, naive_table(model, others), is_naive=True))


def worst_multiway(model: JoinModel) -> tuple[float, Order | None] | None:
    """What the dearest multiway order scores, and which it is where orders are listed."""
    weights = score_weights(model)
    if is_listed(model):
        worst = _every_multiway(model, weights)[-1]
        return worst.score, worst.order
    if model.is_single:
        return float(cost_to_go(step_table(model, weights), worst=True)[0]), None
    return None


def worst_plan(model: JoinModel) -> tuple[float, str | None] | None:
    """What the dearest of all listed plans scores, naive ones too; its label where it is known."""
    found = worst_multiway(model)
    if not is_listed(model):
        return None if found is None else (found[0], None)
    weights = score_weights(model)
    every = [_every_multiway(model, weights)]
    if lists_naive(model):
        every.append(_every_naive(model, weights))
    worst = max(listed[-1] for listed in every if listed)
    return worst.score, worst.label


# Entries of eight streams fill some 10 MB.
@lru_cache(maxsize=4)
def _every_multiway(model: JoinModel, weights: Weights) -> list[RankEntry]:
    count = len(model.windows)
    if isinstance(prices := pricer(model, weights), StepTable):
        orders = all_orders(count)
        scores, places = prices.price(orders).tolist(), list(map(tuple, orders.tolist()))
    else:
        places = list(permutations(range(count)))
        scores = prices.price(places).tolist()
    listed = zip(map(rounded, scores), places, strict=True)
    return sorted(RankEntry(score, False, model.label(order), order) for score, order in listed)


@lru_cache(maxsize=4)
def _every_naive(model: JoinModel, weights: Weights) -> list[RankEntry]:
    orders = all_orders(len(model.windows))
    scores = naive_table(model, weights).price(orders).tolist()
    places = list(map(tuple, orders.tolist()))
    return sorted(
        RankEntry(rounded(score), True, naive_label(model, order), order)
        for score, order in zip(scores, places, strict=True)
        if isfinite(score)
    )


def _lazily(model: JoinModel, table: StepTable, is_naive: bool) -> Iterator[RankEntry]:
    for score, order in best_first(table, cost_to_go(table), model.aliases):
        label = naive_label(model, order) if is_naive else model.label(order)
        yield RankEntry(score, is_naive, label, order)
