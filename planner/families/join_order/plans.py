"""Join orders as plans: the operators of a global order, and its label read back."""

from __future__ import annotations

from collections.abc import Sequence

from planner.errors import PlanError
from planner.families.join_order.model import JoinModel, JoinWindow
from planner.plan import Operator, Plan
from planner.wording import shortened

NAME = "join_order"


def pipeline(order: Sequence[int], origin: int) -> tuple[int, ...]:
    """The streams a tuple of `origin` probes, in turn: the others, in the global order."""
    return tuple(place for place in order if place != origin)


def plan_of(model: JoinModel, order: Sequence[int]) -> Plan:
    """The plan of a global order: for each origin, in FROM order, a pipeline of probes."""
    arrivals = [_arrive(window) for window in model.windows]
    kept = [_keep(w, arrive) for w, arrive in zip(model.windows, arrivals, strict=True)]
    ends = []
    for origin, window in enumerate(model.windows):
        reached = arrivals[origin]
        for step, target in enumerate(pipeline(order, origin), start=1):
            reached = _probe(window, step, model.windows[target], reached, kept[target])
        ends.append(reached)
    output = Operator("output", (("query", model.query),), tuple(ends))
    return Plan(NAME, model.label(order), (output,))


def order_of(model: JoinModel, label: str) -> tuple[int, ...]:
    """The global order that a label names; a PlanError that says what labels look like."""
    places = {window.alias: place for place, window in enumerate(model.windows)}
    named = [part.strip() for part in label.split(",")]
    if sorted(named) != sorted(places):
        raise PlanError(
            f"no plan {shortened(label)!r}; a label names every alias once, in the order of the "
            f"loops, such as {shortened(','.join(places), 200)}",
            NAME,
        )
    return tuple(places[alias] for alias in named)


def _arrive(window: JoinWindow) -> Operator:
    return Operator("arrive", (("source", window.alias), ("stream", window.stream)))


def _keep(window: JoinWindow, arrive: Operator) -> Operator:
    """The operators that hold a window: insert, then expire."""
    params = (
        ("source", window.alias),
        ("window", window.text),
        ("access", window.access),
        ("buckets", window.buckets),
    )
    insert = Operator("insert", params, (arrive,))
    return Operator("expire", (("source", window.alias), ("when", "eager")), (insert,))


def _probe(
    origin: JoinWindow, step: int, target: JoinWindow, reached: Operator, kept: Operator
) -> Operator:
    params = (
        ("origin", origin.alias),
        ("step", step),
        ("source", target.alias),
        ("access", target.access),
        ("buckets", target.buckets),
    )
    return Operator("probe", params, (reached, kept))
