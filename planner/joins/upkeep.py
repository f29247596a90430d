"""What it costs to feed and to hold the windows, whatever probes them."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from planner.joins.graph import Key
from planner.joins.model import JoinModel
from planner.joins.probes import Indexes
from planner.joins.windows import JoinWindow
from planner.plan.cost import Cost
from planner.plan.plan import Operator


def upkeep(model: JoinModel, indexes: Indexes) -> Iterator[tuple[str, Cost]]:
    """What every plan spends beside its probes: the operators' kinds with their costs."""
    for place, window in enumerate(model.windows):
        for step in window.filters:
            yield "filter", Cost(comparisons=step.reached, rows_out=step.passed)
        if window.is_relation:
            yield "table", _table(model, place, indexes[place])
        else:
            yield "arrive", Cost(rows_out=window.arrivals)
            yield "insert", Cost(inserts=window.rate, state_tuples=window.kept)
            yield "expire", Cost(expirations=model.expirations(place, indexes[place]))


def keeping_cost(
    model: JoinModel, operator: Operator, place: int, indexes: Collection[Key]
) -> Cost:
    """The cost of an operator that feeds or holds a window."""
    window = model.windows[place]
    if operator.kind == "arrive":
        return Cost(rows_out=window.arrivals)
    if operator.kind == "filter":
        step = next(s for s in window.filters if s.text == operator.param("condition"))
        return Cost(comparisons=step.reached, rows_out=step.passed)
    if operator.kind == "table":
        return _table(model, place, indexes)
    if operator.kind == "insert":
        return Cost(inserts=window.rate, state_tuples=window.kept)
    return Cost(expirations=model.expirations(place, indexes))


def _table(model: JoinModel, place: int, indexes: Collection[Key]) -> Cost:
    window = model.windows[place]
    return Cost(
        inserts=window.inserts,
        expirations=model.ended(place, indexes),
        rows_out=window.arrivals,
        state_tuples=window.kept,
    )


def feed_of(window: JoinWindow) -> Operator:
    """What arrives on a source (or stands in a relation), after its filters."""
    if window.is_relation:
        feed = Operator("table", (("source", window.alias), ("relation", window.name)))
    else:
        feed = Operator("arrive", (("source", window.alias), ("stream", window.name)))
    for step in window.filters:
        feed = Operator("filter", (("source", window.alias), ("condition", step.text)), (feed,))
    return feed


def kept_by(window: JoinWindow, feed: Operator, when: str) -> Operator:
    """The operators that hold a window: insert, then expire. A relation is held as it is."""
    if window.window is None:
        return feed
    params = (
        ("source", window.alias),
        ("window", window.window),
        ("access", window.access),
        ("buckets", window.buckets),
    )
    insert = Operator("insert", params, (feed,))
    return Operator("expire", (("source", window.alias), ("when", when)), (insert,))
