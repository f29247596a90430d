"""Join orders as plans: the operators of each origin's loops."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from planner.errors import PlanError
from planner.families.join_order import NAME
from planner.joins.model import JoinModel
from planner.joins.probes import probe_params
from planner.joins.upkeep import feed_of, kept_by
from planner.numbers import shortened
from planner.plan.plan import Operator, Plan
from planner.workload.validation import exact

Order = tuple[int, ...]
Algorithm = Literal["multiway", "naive", "general"]


@dataclass(frozen=True, slots=True)
class LoopOrders:
    """One loop order for each origin, in FROM order of the origins."""

    algorithm: Algorithm
    label: str
    orders: tuple[Order, ...]


def algorithm_of(label: str) -> Algorithm:
    if label.startswith("naive:"):
        return "naive"
    return "general" if label.startswith("general:") else "multiway"


def pipeline(model: JoinModel, order: Sequence[int], origin: int) -> Order:
    """The multiway loops of an origin: always the first source that what is joined links."""
    if model.is_single:
        return (origin, *(place for place in order if place != origin))
    joined, left = [origin], [place for place in order if place != origin]
    while left:
        following = next(p for p in left if model.graph.connected(joined, p))
        joined.append(following)
        left.remove(following)
    return tuple(joined)


def multiway(model: JoinModel, order: Sequence[int]) -> LoopOrders:
    """The loops of a global order, new tuples outermost."""
    orders = tuple(pipeline(model, order, origin) for origin in model.origins)
    return LoopOrders("multiway", model.label(order), orders)


def naive(model: JoinModel, order: Sequence[int]) -> LoopOrders:
    """The same loops for every origin."""
    return LoopOrders("naive", naive_label(model, order), (tuple(order),) * len(model.origins))


def naive_label(model: JoinModel, order: Sequence[int]) -> str:
    return f"naive:{model.label(order)}"


def general(model: JoinModel, orders: Sequence[Sequence[int]]) -> LoopOrders:
    """An order for each origin."""
    pairs = zip(model.origins, orders, strict=True)
    texts = (f"{model.aliases[origin]}={model.label(order)}" for origin, order in pairs)
    return LoopOrders("general", f"general:{';'.join(texts)}", tuple(map(tuple, orders)))


def loops_of(model: JoinModel, label: str) -> LoopOrders:
    """The loops that a label names; a PlanError that says what labels look like."""
    algorithm = algorithm_of(label)
    if algorithm == "multiway":
        return multiway(model, _order(model, label, label))
    text = label.partition(":")[2]
    if algorithm == "naive":
        found = naive(model, _order(model, text, label))
    else:
        found = general(model, list(_orders(model, text, label)))
    for order in dict.fromkeys(found.orders):
        _check_links(model, order, label)
    return found


def _orders(model: JoinModel, text: str, label: str) -> Iterator[Order]:
    parts = [part.partition("=") for part in text.split(";")]
    named = {origin.strip(): order for origin, _, order in parts}
    origins = [model.aliases[origin] for origin in model.origins]
    if len(parts) != len(named) or sorted(named) != sorted(origins):
        example = ";".join(f"{name}={','.join(model.aliases)}" for name in origins)
        raise PlanError(
            f"no plan {shortened(label)!r}; general: names each stream once with its order, "
            f"such as {shortened(','.join(model.aliases), 200)} in "
            f"general:{shortened(example, 200)}",
            NAME,
        )
    for origin in origins:
        yield _order(model, named[origin], label)


def _order(model: JoinModel, text: str, label: str) -> Order:
    places = {alias: place for place, alias in enumerate(model.aliases)}
    named = [part.strip() for part in text.split(",")]
    if sorted(named) != sorted(places):
        raise PlanError(
            f"no plan {shortened(label)!r}; a label names every alias once, in the order of the "
            f"loops, such as {shortened(','.join(places), 200)}",
            NAME,
        )
    return tuple(places[alias] for alias in named)


def _check_links(model: JoinModel, order: Order, label: str) -> None:
    for level, place in enumerate(order):
        if not model.graph.connected(order[:level], place):
            before = model.label(order[:level])
            raise PlanError(
                f"no plan {shortened(label)!r}; no predicate links {model.aliases[place]} with "
                f"{shortened(before)}: every loop must be linked with one above it",
                NAME,
            )


class JoinPlanBuilder:
    """Builds the plans of one join. Loops that begin alike share operators, made once."""

    def __init__(self, model: JoinModel) -> None:
        self._model = model
        self._feeds = [feed_of(window) for window in model.windows]
        when = model.timing.expire_text
        pairs = zip(model.windows, self._feeds, strict=True)
        self._kept = [kept_by(window, feed, when) for window, feed in pairs]
        self._ends: dict[tuple[int, tuple[int, ...]], Operator] = {}

    def plan(self, loops: LoopOrders) -> Plan:
        """The plan of these loops: for each origin, in FROM order, a pipeline of probes."""
        pairs = zip(self._model.origins, loops.orders, strict=True)
        ends = tuple(self._end(origin, order) for origin, order in pairs)
        params = [("query", self._model.query)]
        if self._model.timing.evaluate is not None:
            params.append(("evaluate", f"every {exact(self._model.timing.evaluate)}"))
        return Plan(NAME, loops.label, (Operator("output", tuple(params), ends),))

    def _end(self, origin: int, order: tuple[int, ...]) -> Operator:
        """The operator after which the loops of `origin` have joined these sources."""
        if len(order) == 1:
            return self._content(origin, order[0])
        found = self._ends.get((origin, order))
        if found is None:
            before = self._end(origin, order[:-1])
            params = probe_params(self._model, origin, order[:-1], order[-1])
            found = Operator("probe", params, (before, self._content(origin, order[-1])))
            self._ends[origin, order] = found
        return found

    def _content(self, origin: int, place: int) -> Operator:
        """What a loop over this source reads: new tuples for the origin, else what is stored."""
        return self._feeds[place] if place == origin else self._kept[place]
