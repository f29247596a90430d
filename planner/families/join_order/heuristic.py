"""The paper's ordering heuristic and its augmented form, with a trace a person can follow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product
from math import prod
from statistics import fmean
from typing import Literal

from planner.families.join_order.order_pricer import Pricer, Walker
from planner.families.join_order.plans import LoopOrders, Order, general
from planner.joins.model import JoinModel
from planner.joins.windows import JoinWindow
from planner.numbers import amount
from planner.plan.cost import rounded

# Every combination of places is tried up to here; beyond, fast streams are moved one by one.
MOST_MOVES = 5_000
# The same on a join graph, where every order tried is walked.
MOST_MOVES_WALKED = 200
MOST_MOVES_SHOWN = 12


@dataclass(frozen=True, slots=True)
class HeuristicStep:
    """One step of the heuristic: what was done, the order so far, its cost once it is whole."""

    kind: Literal["pair", "append", "order", "fast", "move", "keep", "general"]
    text: str
    label: str
    cost: float | None = None


@dataclass(frozen=True, slots=True)
class HeuristicTrace:
    """Where the heuristic and its augmented form arrived, and the steps that led there."""

    heuristic: Order
    heuristic_cost: float
    augmented: Order
    augmented_cost: float
    steps: tuple[HeuristicStep, ...]
    # Where evaluation is lazy, the plan of GENERAL by the same rule, and its cost.
    general: LoopOrders | None = None
    general_cost: float = 0.0


def trace(model: JoinModel, table: Pricer, walker: Walker) -> HeuristicTrace:
    """Order by selectivity, then try the fast streams higher up; for lazy plans also GENERAL."""
    order, ordering = _by_selectivity(model, model)
    cost = float(table.price([order])[0])
    label = model.label(order)
    text = f"By selectivity the order is {label}: {amount(cost)}/s."
    ordering = [*ordering, HeuristicStep("order", text, label, cost)]
    by_buckets = _by_buckets(model)
    if by_buckets is not model:
        other, _ = _by_selectivity(model, by_buckets)
        other_cost = float(table.price([other])[0])
        label = model.label(other)
        text = f"By the sizes of buckets it is {label}: {amount(other_cost)}/s."
        ordering.append(HeuristicStep("order", text, label, other_cost))
        if rounded(other_cost) < rounded(cost):
            order, cost = other, other_cost
    augmented, augmented_cost, moving = _moved_up(model, table, order, cost)
    steps = (*ordering, *moving)
    if model.timing.evaluate is None or not model.is_single:
        return HeuristicTrace(order, cost, augmented, augmented_cost, steps)
    loops = by_origin(model)
    general_cost = float(walker.score(loops))
    text = (
        "For GENERAL, each stream's new tuples are joined by the same rule, with τ for their own "
        f"window: {loops.label}: {amount(general_cost)}/s."
    )
    steps = (*steps, HeuristicStep("general", text, loops.label, general_cost))
    return HeuristicTrace(order, cost, augmented, augmented_cost, steps, loops, general_cost)


def by_origin(model: JoinModel) -> LoopOrders:
    """Section 5.2: an order for each origin, where the join is of the tuples of τ seconds only."""
    orders = tuple(_by_selectivity(model, _with_new(model, origin))[0] for origin in model.origins)
    return general(model, orders)


def _with_new(model: JoinModel, origin: int) -> JoinModel:
    new = replace(model.windows[origin], tuples=model.new_tuples(origin))
    windows = (*model.windows[:origin], new, *model.windows[origin + 1 :])
    return replace(model, windows=windows)


def _by_buckets(model: JoinModel) -> JoinModel:
    """Section 5.3: windows as large as one of their buckets, where they have different numbers.

    The paper orders by these alone; but results do not shrink with buckets, and over random joins
    neither rule is better, so the cheaper order of both is taken.
    """
    counts = [_buckets(window) for window in model.windows]
    if len(set(counts)) == 1:
        return model
    pairs = zip(model.windows, counts, strict=True)
    discounted = tuple(replace(w, tuples=w.tuples / count) for w, count in pairs)
    return replace(model, windows=discounted)


def _buckets(window: JoinWindow) -> int:
    if window.access != "hash":
        return 1
    return max(1, window.distinct) if window.buckets == "per-value" else int(window.buckets)


def _by_selectivity(model: JoinModel, sizes: JoinModel) -> tuple[Order, list[HeuristicStep]]:
    """The most selective pair first, then whatever joins most selectively with one placed."""
    names = model.aliases

    def by_values(place: int) -> tuple[int, str]:
        return -model.windows[place].distinct, names[place]

    linked = (p for p in combinations(range(len(names)), 2) if model.graph.connected(p[:1], p[1]))
    pairs = [tuple(sorted(pair, key=by_values)) for pair in linked]
    first, second = min(pairs, key=lambda p: (rounded(sizes.size(p)), *map(by_values, p)))
    order = [first, second]
    held = amount(sizes.size(order))
    text = f"{names[first]} and {names[second]} join most selectively: {held} results held."
    known = [model.windows[place].distinct for place in order]
    if all(known):
        more, fewer = known
        values = f"{more:,} distinct values against {fewer:,}"
        text = f"{text} {names[first]} goes first: {values}."
    steps = [HeuristicStep("pair", text, model.label(order))]
    while len(order) < len(names):
        left = [place for place in range(len(names)) if place not in order]
        size, _, place, partner = min(
            (rounded(sizes.size((a, b))), by_values(a), a, b)
            for a in left
            for b in order
            if model.graph.connected((b,), a)
        )
        order.append(place)
        text = f"{names[place]} follows: {amount(size)} results held with {names[partner]}."
        steps.append(HeuristicStep("append", text, model.label(order)))
    return tuple(order), steps


def _moved_up(
    model: JoinModel, table: Pricer, order: Order, cost: float
) -> tuple[Order, float, list[HeuristicStep]]:
    mean = fmean(model.windows[place].rate for place in model.origins)
    fast = [place for place in order if model.windows[place].rate > mean]
    steps = [
        HeuristicStep(
            "fast",
            f"{model.aliases[place]} is fast: {amount(model.windows[place].rate)} tuples/s "
            f"against a mean of {amount(mean)}.",
            model.label(order),
        )
        for place in fast
    ]
    tried = _tried(table, order, fast, MOST_MOVES if model.is_single else MOST_MOVES_WALKED)
    shown = sorted(tried, key=lambda o: (rounded(tried[o]), model.label(o)))[:MOST_MOVES_SHOWN]
    steps.extend(_move(model, order, cost, other, tried[other]) for other in shown)
    best, best_cost = order, cost
    if shown and rounded(tried[shown[0]]) < rounded(cost):
        best, best_cost = shown[0], tried[shown[0]]
    tries = f"Of {len(tried) + 1:,} orders tried" if tried else "No fast stream can move up"
    kept = f"{tries}: {model.label(best)} is kept, {amount(best_cost)}/s."
    steps.append(HeuristicStep("keep", kept, model.label(best), best_cost))
    return best, best_cost, steps


def _tried(table: Pricer, order: Order, fast: Sequence[int], most: int) -> dict[Order, float]:
    """The orders with fast streams at or above their places, without the order itself."""
    if prod(order.index(place) + 1 for place in fast) <= most:
        return _priced(table, order, fast)
    tried: dict[Order, float] = {}
    reached = order
    for place in fast:
        alone = _priced(table, reached, [place])
        tried |= alone
        choices = {reached: float(table.price([reached])[0])} | alone
        reached = min(choices, key=choices.__getitem__)
    return {other: cost for other, cost in tried.items() if other != order}


def _priced(table: Pricer, order: Order, fast: Sequence[int]) -> dict[Order, float]:
    ranges = [range(order.index(place) + 1) for place in fast]
    orders = {_placed(order, fast, spots) for spots in product(*ranges)} - {order}
    listed = sorted(orders)
    return dict(zip(listed, map(float, table.price(listed)), strict=True))


def _placed(order: Order, fast: Sequence[int], spots: Sequence[int]) -> Order:
    """The order with each fast stream taken out and put back at its spot, upper spots first."""
    moved = [place for place in order if place not in fast]
    for spot, place in sorted(zip(spots, fast, strict=True)):
        moved.insert(spot, place)
    return tuple(moved)


def _move(
    model: JoinModel, before: Order, cost: float, after: Order, changed: float
) -> HeuristicStep:
    up = [place for place in after if after.index(place) < before.index(place)]
    names = " and ".join(model.aliases[place] for place in up)
    difference = rounded(changed) - rounded(cost)
    effect = f"{amount(abs(difference))} {'less' if difference < 0 else 'more'}"
    text = f"Moving {names} up gives {model.label(after)}: {amount(changed)}/s, {effect}."
    return HeuristicStep("move", text, model.label(after), changed)
