"""Late and early aggregation as plans: a pipeline of probes for each source that arrives."""

from __future__ import annotations

from planner.families.early_aggregation import NAME
from planner.families.early_aggregation.coverage import column_text
from planner.families.early_aggregation.model import AggregationModel
from planner.families.early_aggregation.search import Order, orders
from planner.joins.probes import probe_params
from planner.joins.upkeep import feed_of, kept_by
from planner.plan.plan import Operator, Plan


class PlanBuilder:
    """Builds the plans of one aggregation. What several plans begin with is made once."""

    def __init__(self, model: AggregationModel) -> None:
        self._model = model
        windows = model.join.windows
        when = model.join.timing.expire_text
        self._feeds = [feed_of(window) for window in windows]
        pairs = zip(windows, self._feeds, strict=True)
        self._windows = [kept_by(window, feed, when) for window, feed in pairs]
        self._sets = [self._set(place) for place in range(model.count)]

    def plan(self, mask: int) -> Plan:
        """The plan that aggregates the sources of this mask early, in the best orders."""
        found = orders(self._model, mask)
        ends = tuple(self._end(mask, order) for order in found)
        query = ("query", self._model.join.query)
        group = ("group", column_text(self._model.group_by))
        functions = ("functions", ", ".join(self._model.functions))
        update = Operator("update", (query, group, functions), ends)
        output = Operator("output", (query,), (update,))
        return Plan(NAME, self._model.label(mask), (output,))

    def _end(self, mask: int, order: Order) -> Operator:
        """The last probe of an origin; a source that is alone goes to the output at once.

        A window that no other source probes is still held: its tuples have to leave.
        """
        origin = order[0]
        alone = len(self._model.origins) == 1
        reached = self._windows[origin] if alone else self._feeds[origin]
        for level in range(1, len(order)):
            target = order[level]
            is_set = bool(mask >> target & 1)
            content = ("content", "set" if is_set else "window")
            params = probe_params(self._model.join, origin, order[:level], target, content)
            stored = self._sets[target] if is_set else self._windows[target]
            reached = Operator("probe", params, (reached, stored))
        return reached

    def _set(self, place: int) -> Operator:
        rule = self._model.rules[place]
        params = (
            ("source", rule.source),
            ("group", rule.group_text),
            ("functions", rule.functions_text),
        )
        return Operator("aggregate", params, (self._windows[place],))
