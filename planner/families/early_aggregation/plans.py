"""Late and early aggregation as plans: a pipeline of probes for each source that arrives."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from planner.families.early_aggregation import NAME, extrema
from planner.families.early_aggregation.coverage import column_text
from planner.families.early_aggregation.groups import groups_of
from planner.families.early_aggregation.model import AggregationModel
from planner.families.early_aggregation.search import Order, orders
from planner.families.early_aggregation.states import state_arrays, state_of
from planner.joins.arrays import Floats, Ints
from planner.joins.probes import Probe, probe_params
from planner.joins.upkeep import feed_of, kept_by
from planner.plan.cost import Cost
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


def probe_cost(model: AggregationModel, mask: int, probe: Probe) -> Cost:
    """Entries that a probe examines, and composites that it passes on."""
    arrays = state_arrays(model)
    before, is_set = _state(mask, probe.joined, probe.origin), bool(mask >> probe.target & 1)
    after = before + (2 if is_set else 1) * 3**probe.target
    examined = arrays.examined(probe.origin, probe.target, is_set, np.array([before]))
    passed = arrays.passed(probe.origin)[after]
    return Cost(comparisons=float(examined[0]), rows_out=float(passed))


def set_cost(model: AggregationModel, place: int) -> Cost:
    """An early aggregation: an update for each arrival and departure; extrema found anew."""
    content = model.contents[place]
    examined = extrema.in_set(model, place).examined
    held = content.mean(is_set=True)
    return Cost(comparisons=examined, group_updates=content.events, state_tuples=held)


def update_cost(model: AggregationModel, mask: int, probes: Iterable[Probe]) -> Cost:
    """The late aggregation: an update for each composite that reaches it; extrema found anew."""
    walks = [p for p in probes if p.origin == model.walked_from]
    comparisons = sum(probe_cost(model, mask, probe).comparisons for probe in walks)
    return Cost(
        comparisons=float(recomputing(model, np.array([mask]), np.array([comparisons]))[0]),
        group_updates=sum(reaching(model, mask, origin) for origin in model.origins),
        state_tuples=groups_of(model).expected,
    )


def reaching(model: AggregationModel, mask: int, origin: int) -> float:
    """Composites per second of one origin that reach the late aggregation."""
    state = _state(mask, range(model.count), origin)
    return float(state_arrays(model).passed(origin)[state])


def recomputing(model: AggregationModel, masks: Ints, comparisons: Floats) -> Floats:
    """Entries examined per second to find extrema of groups anew, under each plan.

    All entries of one source are gone through, and for those with its part of the group what its
    pipeline probes: `comparisons` are those of that pipeline per second.
    """
    place = model.walked_from
    content, times = model.contents[place], extrema.in_output(model)
    if not times or not content.events:
        return np.zeros(len(masks))
    is_set = (masks >> place & 1).astype(np.bool_)
    entries = np.where(is_set, content.mean(is_set=True), content.mean(is_set=False))
    walked = extrema.own_part(model, place) * comparisons / content.events
    return np.asarray(times * entries * (1 + walked))


def _state(mask: int, members: Iterable[int], origin: int) -> int:
    return state_of(mask, sum(1 << place for place in members), origin)
