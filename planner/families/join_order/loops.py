"""The loops of a plan: for every origin the order in which its sources are joined, and its label.

`S1,S2,S3` (multiway): new tuples come first, then the sources in this order, each as soon as a
predicate links it. `naive:S1,S2,S3`: this order for every origin, new tuples in their own loop.
`general:S1=S1,S3,S2;S2=...`: an order for each origin.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from planner.errors import PlanError
from planner.joins.model import JoinModel
from planner.wording import shortened

NAME = "join_order"
Order = tuple[int, ...]
Algorithm = Literal["multiway", "naive", "general"]


@dataclass(frozen=True, slots=True)
class Loops:
    """One loop order for each origin, in FROM order of the origins."""

    algorithm: Algorithm
    label: str
    orders: tuple[Order, ...]


def algorithm_of(label: str) -> Algorithm:
    """The algorithm that a label names."""
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


def multiway(model: JoinModel, order: Sequence[int]) -> Loops:
    """The loops of a global order, new tuples outermost."""
    orders = tuple(pipeline(model, order, origin) for origin in model.origins)
    return Loops("multiway", model.label(order), orders)


def naive(model: JoinModel, order: Sequence[int]) -> Loops:
    """The same loops for every origin."""
    return Loops("naive", naive_label(model, order), (tuple(order),) * len(model.origins))


def naive_label(model: JoinModel, order: Sequence[int]) -> str:
    """The label of a naive order."""
    return f"naive:{model.label(order)}"


def general(model: JoinModel, orders: Sequence[Sequence[int]]) -> Loops:
    """An order for each origin."""
    pairs = zip(model.origins, orders, strict=True)
    texts = (f"{model.aliases[origin]}={model.label(order)}" for origin, order in pairs)
    return Loops("general", f"general:{';'.join(texts)}", tuple(map(tuple, orders)))


def loops_of(model: JoinModel, label: str) -> Loops:
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
