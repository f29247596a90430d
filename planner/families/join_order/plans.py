"""Join orders as plans: the operators of each origin's loops."""

from __future__ import annotations

from planner.checks import exact
from planner.families.join_order.loops import NAME, Loops
from planner.joins.feeds import feed_of, kept_by
from planner.joins.indexes import probe_params
from planner.joins.model import JoinModel
from planner.plan import Operator, Plan


class PlanBuilder:
    """Builds the plans of one join. Loops that begin alike share operators, made once."""

    def __init__(self, model: JoinModel) -> None:
        self._model = model
        self._feeds = [feed_of(window) for window in model.windows]
        when = model.timing.expire_text
        pairs = zip(model.windows, self._feeds, strict=True)
        self._kept = [kept_by(window, feed, when) for window, feed in pairs]
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
            params = probe_params(self._model, origin, order[:-1], order[-1])
            found = Operator("probe", params, (before, self._content(origin, order[-1])))
            self._ends[origin, order] = found
        return found

    def _content(self, origin: int, place: int) -> Operator:
        """What a loop over this source reads: new tuples for the origin, else what is stored."""
        return self._feeds[place] if place == origin else self._kept[place]
