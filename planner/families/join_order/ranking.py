"""Global orders ranked: all of them where they can be listed, else the best ones in turn."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from math import factorial

from planner.cost import Cost, UnitCosts
from planner.errors import PlanError
from planner.families.join_order.heuristic import trace
from planner.families.join_order.model import JoinModel
from planner.families.join_order.pricing import order_cost
from planner.families.join_order.search import Order, all_orders, best_first, cost_to_go, rounded
from planner.families.join_order.table import COMPARISONS, Weights, step_table
from planner.family import MOST_CANDIDATES, Candidate, Ranking


def orders_by_cost(model: JoinModel, weights: Weights = COMPARISONS) -> Iterator[Order]:
    """Every order, lazily, cheapest first."""
    table = step_table(model, weights)
    return best_first(table, cost_to_go(table), model.aliases)


def weights_of(units: UnitCosts) -> Weights:
    """What a comparison and a row of a probe weigh in seconds."""
    return Weights(
        units.seconds("probe", Cost(comparisons=1)), units.seconds("probe", Cost(rows_out=1))
    )


def rank(model: JoinModel, top: int | None, units: UnitCosts | None, by_seconds: bool) -> Ranking:
    """The `top` cheapest orders (None: all that may be listed) and the baseline."""
    if by_seconds and units is None:
        raise PlanError("no unit costs to rank by seconds; declare execution.unit_costs")
    weights = weights_of(units) if by_seconds and units is not None else COMPARISONS
    baseline = tuple(range(len(model.windows)))
    existing = factorial(len(baseline))
    most = MOST_CANDIDATES if top is None else min(top, MOST_CANDIDATES)
    if existing <= MOST_CANDIDATES:
        every = _all_by_cost(model, weights)
        listed, worst = every[:most], every[-1]
    else:
        listed, worst = list(islice(orders_by_cost(model, weights), most)), None
    best = listed[0] if listed else next(orders_by_cost(model, weights))
    if baseline not in listed:
        listed = [*listed[: MOST_CANDIDATES - 1], baseline]
    tags = _tags(model, best, worst)
    return Ranking(
        tuple(_candidates(model, listed, tags, units, by_seconds)),
        model.label(best),
        model.label(baseline),
        considered=existing,
        truncated=existing > MOST_CANDIDATES,
        rank_by="seconds" if by_seconds else "comparisons",
    )


def _all_by_cost(model: JoinModel, weights: Weights) -> list[Order]:
    orders = all_orders(len(model.windows))
    scores = step_table(model, weights).price(orders)
    places = orders.tolist()
    ranked = sorted(zip(map(rounded, scores.tolist()), model.labels(places), places, strict=True))
    return [tuple(order) for _, _, order in ranked]


def _tags(model: JoinModel, best: Order, worst: Order | None) -> dict[Order, tuple[str, ...]]:
    found = trace(model, step_table(model))
    named = [
        ("best", best),
        ("baseline", tuple(range(len(model.windows)))),
        ("heuristic", found.heuristic),
        ("augmented heuristic", found.augmented),
        ("worst", worst),
    ]
    tags: dict[Order, tuple[str, ...]] = {}
    for tag, order in named:
        if order is not None:
            tags[order] = (*tags.get(order, ()), tag)
    return tags


def _candidates(
    model: JoinModel,
    orders: list[Order],
    tags: dict[Order, tuple[str, ...]],
    units: UnitCosts | None,
    by_seconds: bool,
) -> Iterable[Candidate]:
    shared = order_cost(model, 0.0)
    comparisons = map(rounded, step_table(model).price(orders).tolist())
    seconds = _seconds(model, orders, units) if units is not None else [None] * len(orders)
    labels = model.labels(orders)
    for order, label, work, spent in zip(orders, labels, comparisons, seconds, strict=True):
        score = spent if by_seconds and spent is not None else work
        cost = Cost(
            work, shared.inserts, shared.expirations, 0.0, shared.rows_out, shared.state_tuples
        )
        yield Candidate(label, cost, score, tags.get(order, ()), seconds=spent)


def _seconds(model: JoinModel, orders: list[Order], units: UnitCosts) -> list[float]:
    """Seconds of each order: its probes', and what every order spends on windows and output."""
    shared = order_cost(model, 0.0)
    arriving = Cost(rows_out=sum(window.rate for window in model.windows))
    kept = (
        units.seconds("insert", Cost(inserts=shared.inserts))
        + units.seconds("expire", Cost(expirations=shared.expirations))
        + units.seconds("arrive", arriving)
        + units.seconds("output", Cost(rows_out=shared.rows_out))
    )
    probing = step_table(model, weights_of(units)).price(orders).tolist()
    return [rounded(kept + spent) for spent in probing]
