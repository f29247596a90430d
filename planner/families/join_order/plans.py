"""Join orders as plans: the operators of each origin's loops."""

from __future__ import annotations

from collections.abc import Sequence

from planner.checks import exact
from planner.families.join_order.graph import Key
from planner.families.join_order.loops import NAME, Loops
from planner.families.join_order.model import JoinModel
from planner.families.join_order.windows import JoinWindow
from planner.plan import Operator, Param, Plan


class PlanBuilder:
    """Builds the plans of one join. Loops that begin alike share operators, made once."""

    def __init__(self, model: JoinModel) -> None:
        self._model = model
        self._feeds = [_feed(window) for window in model.windows]
        when = model.timing.expire_text
        pairs = zip(model.windows, self._feeds, strict=True)
        self._kept = [_keep(window, feed, when) for window, feed in pairs]
        self._ends: dict[tuple[int, tuple[int, ...]], Operator] = {}

    def plan(self, loops: Loops) -> Plan:
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
            params = _probe(self._model, origin, order[:-1], order[-1])
            found = Operator("probe", params, (before, self._content(origin, order[-1])))
            self._ends[origin, order] = found
        return found

    def _content(self, origin: int, place: int) -> Operator:
        """What a loop over this source reads: new tuples for the origin, else what is stored."""
        return self._feeds[place] if place == origin else self._kept[place]


def index_used(model: JoinModel, origin: int, joined: Sequence[int], target: int) -> Key | None:
    """The attribute by whose index a loop finds the target's tuples; None where it scans."""
    known = model.graph.linking(joined, target)
    if target == origin or model.windows[target].access == "scan" or known is None:
        return None
    return known.key(target)


def _probe(
    model: JoinModel, origin: int, joined: Sequence[int], target: int
) -> tuple[tuple[str, Param], ...]:
    index = index_used(model, origin, joined, target)
    params: list[tuple[str, Param]] = [
        ("origin", model.aliases[origin]),
        ("step", len(joined)),
        ("source", model.aliases[target]),
        ("access", "scan" if index is None else "hash"),
        ("buckets", 1 if index is None else model.windows[target].buckets),
    ]
    if index is not None and len(model.graph.classes) > 1:
        params.append(("on", index.attribute))
    return tuple(params)


def _feed(window: JoinWindow) -> Operator:
    """What arrives on a source (or stands in a relation), after its filters."""
    if window.is_relation:
        feed = Operator("table", (("source", window.alias), ("relation", window.name)))
    else:
        feed = Operator("arrive", (("source", window.alias), ("stream", window.name)))
    for step in window.filters:
        feed = Operator("filter", (("source", window.alias), ("condition", step.text)), (feed,))
    return feed


def _keep(window: JoinWindow, feed: Operator, when: str) -> Operator:
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
