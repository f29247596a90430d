"""What probes, sets and the output of a plan cost per second, each by itself."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from planner.cost import Cost
from planner.families.early_aggregation import extrema
from planner.families.early_aggregation.groups import groups_of
from planner.families.early_aggregation.model import AggregationModel
from planner.families.early_aggregation.states import state_arrays, state_of
from planner.joins.arrays import Floats, Ints
from planner.joins.probes import Probe


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
