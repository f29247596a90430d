"""Plans ranked: all orders where they can be listed, else the best ones in turn."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import islice
from math import factorial
from typing import get_args

from planner.cost import Cost, UnitCosts, rounded
from planner.errors import PlanError
from planner.families.join_order.heuristic import Trace, trace
from planner.families.join_order.loops import NAME, Algorithm, Loops, Order, loops_of, naive_label
from planner.families.join_order.perorigin import MOST_STREAMS, best_general
from planner.families.join_order.pricing import indexes_of, results
from planner.families.join_order.space import (
    Entry,
    best_naive,
    by_cost,
    considered,
    first_by_cost,
    is_listed,
    lists_naive,
    pricer,
    score_weights,
    worst_multiway,
)
from planner.families.join_order.table import COMPARISONS, Weights, naive_table
from planner.families.join_order.walking import Walker
from planner.family import MOST_CANDIDATES, Candidate, Ranking
from planner.joins.model import JoinModel
from planner.joins.upkeep import upkeep


def weights_of(units: UnitCosts) -> Weights:
    """What a comparison and a row of a probe weigh in seconds; filters are in the upkeep."""
    return Weights(
        units.seconds("probe", Cost(comparisons=1)),
        units.seconds("probe", Cost(rows_out=1)),
        filter=0.0,
    )


def plans_by_cost(model: JoinModel, weights: Weights | None = None) -> Iterator[Entry]:
    """All plans that can be listed, cheapest first."""
    return by_cost(model, weights or score_weights(model), few_orders(model))


def best_plan(model: JoinModel, weights: Weights | None = None) -> Entry:
    """The cheapest plan, found without listing the others."""
    return first_by_cost(model, weights or score_weights(model), few_orders(model))


def few_orders(model: JoinModel) -> tuple[Order, ...]:
    """The multiway orders that are priced where not all can be: FROM and the heuristics'."""
    if model.is_single or is_listed(model):
        return ()
    found = traced(model)
    orders = (tuple(range(len(model.windows))), found.heuristic, found.augmented)
    return tuple(dict.fromkeys(orders))


@lru_cache(maxsize=4)
def traced(model: JoinModel) -> Trace:
    """The heuristic's way to an order."""
    return trace(model, pricer(model, score_weights(model)))


def cheapest(model: JoinModel, algorithm: Algorithm) -> Loops:
    """The cheapest plan of one algorithm; of multiway orders, the cheapest of those listed."""
    weights = score_weights(model)
    if algorithm == "naive":
        return best_naive(model, weights).loops(model)
    if algorithm == "multiway":
        listed = plans_by_cost(model)
        return next(e for e in listed if not (e.is_general or e.is_naive)).loops(model)
    if len(model.windows) > MOST_STREAMS:
        raise PlanError(f"general plans are searched for up to {MOST_STREAMS} streams", NAME)
    return best_general(model, weights)[0]


def named(model: JoinModel, label: str) -> Loops:
    """The loops of a label; an algorithm's name alone stands for its cheapest plan."""
    for algorithm in get_args(Algorithm):
        if label == algorithm:
            return cheapest(model, algorithm)
    return loops_of(model, label)


def scores(model: JoinModel, plans: Iterable[Loops]) -> tuple[float, ...]:
    """Comparisons per second of these plans, weighted by what predicates are declared to cost."""
    walker = Walker(model, score_weights(model))
    return tuple(rounded(walker.score(loops)) for loops in plans)


def rank(model: JoinModel, top: int | None, units: UnitCosts | None, by_seconds: bool) -> Ranking:
    """The `top` cheapest plans (None: all that may be listed) and the baseline."""
    if by_seconds and units is None:
        raise PlanError("no unit costs to rank by seconds; declare execution.unit_costs")
    weights = weights_of(units) if by_seconds and units is not None else score_weights(model)
    most = MOST_CANDIDATES if top is None else min(top, MOST_CANDIDATES)
    listed = list(islice(plans_by_cost(model, weights), max(most, 1)))
    if by_seconds and any(window.access == "hash" for window in model.windows):
        listed = _by_all_they_spend(model, listed, weights, units)
    best = listed[0]
    listed = listed[:most]
    order = tuple(range(len(model.windows)))
    baseline = Entry(0.0, False, model.label(order), order)
    if all(entry.label != baseline.label for entry in listed):
        listed = [*listed[: MOST_CANDIDATES - 1], baseline]
    compared = considered(model, few_orders(model)) + any(entry.is_general for entry in listed)
    priced = _Priced(model, listed, units)
    tags = _tags(model, best)
    return Ranking(
        tuple(priced.candidates(tags, by_seconds)),
        best.label,
        baseline.label,
        considered=compared,
        truncated=not is_listed(model) or compared > MOST_CANDIDATES,
        rank_by="seconds" if by_seconds else "comparisons",
        excluded=tuple(_excluded(model)),
    )


def _excluded(model: JoinModel) -> Iterator[tuple[str, str]]:
    count = len(model.windows)
    if not lists_naive(model):
        yield (
            naive_label(model, range(count)),
            f"{factorial(count):,} naive orders are not listed: with eager evaluation on one "
            "attribute each costs no less than the multiway order of its name, unless windows hold "
            "less than a tuple; any can be run by its label",
        )


def _by_all_they_spend(
    model: JoinModel, listed: list[Entry], weights: Weights, units: UnitCosts | None
) -> list[Entry]:
    """The plans by their seconds with upkeep: those that use fewer indexes expire for less.

    Where not all can be listed, those cheapest by their probes are compared.
    """
    if is_listed(model):
        listed = list(islice(plans_by_cost(model, weights), MOST_CANDIDATES))
    priced = _Priced(model, listed, units).candidates({}, by_seconds=True)
    scored = [entry._replace(score=c.score) for entry, c in zip(listed, priced, strict=True)]
    return sorted(scored)


def _tags(model: JoinModel, best: Entry) -> dict[str, tuple[str, ...]]:
    found, worst = traced(model), worst_multiway(model)
    named: list[tuple[str, Order | None]] = [
        ("baseline", tuple(range(len(model.windows)))),
        ("heuristic", found.heuristic),
        ("augmented heuristic", found.augmented),
        ("worst", worst[1] if worst is not None else None),
    ]
    tags: dict[str, tuple[str, ...]] = {best.label: ("best",)}
    if best.is_general:
        tags[best.label] = ("best", "general")
    for tag, order in named:
        if order is not None:
            label = model.label(order)
            tags[label] = (*tags.get(label, ()), tag)
    return tags


class _Priced:
    """What some plans cost: their probes, and what they spend on windows, filters and output."""

    def __init__(self, model: JoinModel, plans: Sequence[Entry], units: UnitCosts | None) -> None:
        self._model, self._plans, self._units = model, plans, units
        # Upkeep differs between plans by the indexes they use.
        self._upkeeps: dict[tuple[object, ...], tuple[Cost, float]] = {}
        self._scans = all(window.access == "scan" for window in model.windows)

    def candidates(self, tags: dict[str, tuple[str, ...]], by_seconds: bool) -> Iterator[Candidate]:
        """The plans as candidates, in turn."""
        weights = score_weights(self._model)
        work = list(map(rounded, self._probing(COMPARISONS)))
        scored = work
        if weights != COMPARISONS:
            scored = list(map(rounded, self._probing(weights)))
        spent = self._probing(weights_of(self._units)) if self._units is not None else None
        for place, entry in enumerate(self._plans):
            kept = self._kept(entry)
            seconds = rounded(kept[1] + spent[place]) if spent is not None else None
            score = scored[place]
            if by_seconds and seconds is not None:
                score = seconds
            cost = Cost(
                work[place],
                kept[0].inserts,
                kept[0].expirations,
                0.0,
                kept[0].rows_out,
                kept[0].state_tuples,
            )
            yield Candidate(entry.label, cost, score, tags.get(entry.label, ()), seconds=seconds)

    def _probing(self, weights: Weights) -> list[float]:
        found: dict[str, float] = {}
        walker = Walker(self._model, weights)
        for is_naive in (False, True):
            listed = [e for e in self._plans if e.is_naive == is_naive and not e.is_general]
            if listed:
                table = (
                    naive_table(self._model, weights) if is_naive else pricer(self._model, weights)
                )
                prices = table.price([entry.order for entry in listed]).tolist()
                found |= zip((entry.label for entry in listed), prices, strict=True)
        for entry in self._plans:
            if entry.is_general:
                found[entry.label] = walker.score(entry.loops(self._model))
        return [found[entry.label] for entry in self._plans]

    def _kept(self, entry: Entry) -> tuple[Cost, float]:
        """The cost and the seconds of all but the probes."""
        key: tuple[object, ...] = (entry.label,)
        if self._scans:
            key = ()
        elif self._model.is_single and not entry.is_general:
            # On one attribute every window is looked up but the outermost of a naive order, and
            # the next where nothing arrives on that one.
            key = (entry.is_naive, *entry.order[:2]) if entry.is_naive else (entry.is_naive,)
        if key not in self._upkeeps:
            indexes = indexes_of(self._model, entry.loops(self._model))
            found = list(upkeep(self._model, indexes))
            rows = results(self._model)
            total = sum((cost for _, cost in found), Cost())
            seconds = 0.0
            if self._units is not None:
                seconds = sum(self._units.seconds(kind, cost) for kind, cost in found)
                seconds += self._units.seconds("output", Cost(rows_out=rows))
            # A plan's rows are those that leave it, not those of the operators inside.
            self._upkeeps[key] = (total + Cost(rows_out=rows - total.rows_out), seconds)
        return self._upkeeps[key]
