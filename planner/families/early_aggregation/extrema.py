"""MIN and MAX: how often the extremum leaves, and what looking for the next one examines.

A tuple that leaves is as likely the extremum as any other with it: of n others, none is better. Of
a Poisson number of others with mean mu, none is better than x with probability exp(-mu b(x)), b(x)
being the share of better values.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from planner.families.early_aggregation.groups import OutputGroups, groups_of
from planner.families.early_aggregation.model import AggregationModel, Extremum
from planner.families.early_aggregation.search import final_states, pipelines
from planner.families.early_aggregation.window_sizes import CellBlocks
from planner.joins.arrays import Floats


def in_set(model: AggregationModel, place: int) -> tuple[float, float]:
    """How often per second extrema are looked for anew in a source's set, and what is examined: for
    each function the tuples of the entry."""
    content, times, examined = model.contents[place], 0.0, 0.0
    if content.window.is_relation or content.window.ends != "each":
        return times, examined
    others = content.mean(is_set=False) * content.cells.shares
    tuples = content.cells.weights
    for extremum in model.extrema:
        if extremum.place == place:
            again, looked_at = _leaves(others, extremum)
            times += content.window.rate * float(tuples @ again)
            examined += content.window.rate * float(tuples @ looked_at)
    return times, examined


def in_output(model: AggregationModel) -> float:
    """How often per second a group of the output is looked through anew, under every plan."""
    if not model.extrema:
        return 0.0
    if model.moments:
        return sum(weight * in_output(moment) for weight, moment in model.moments)
    groups = groups_of(model)
    return sum(
        model.contents[origin].window.rate * groups.touched(origin) * _doubt(model, groups, origin)
        for origin in model.origins
        if model.contents[origin].window.ends == "each"
    )


def recomputing(model: AggregationModel) -> Floats:
    """Entries examined per second to find extrema of groups anew, under each plan in turn.

    All entries of one source are gone through, and for those with its part of the group what its
    pipeline probes. Where a window only grows this is the mean over moments of the measured span.
    """
    if model.moments:
        found = (weight * recomputing(moment) for weight, moment in model.moments)
        return sum(found, np.zeros(len(model.masks)))
    place = model.walked_from
    content, times = model.contents[place], in_output(model)
    if not times or not content.events:
        return np.zeros(len(model.masks))
    pipeline = next(found for found in pipelines(model) if found.origin == place)
    comparisons = pipeline.comparisons[final_states(model, place)]
    is_set = (np.array(model.masks) >> place & 1).astype(np.bool_)
    entries = np.where(is_set, content.mean(is_set=True), content.mean(is_set=False))
    walked = own_part(model, place) * comparisons / content.events
    return np.asarray(times * entries * (1 + walked))


def _in_group(model: AggregationModel, place: int) -> float:
    """The share of a source's entries that stand in one group of the output."""
    return 1 / math.prod(_alike(cells) for cells in _group_parts(model, place))


def own_part(model: AggregationModel, place: int) -> float:
    """The share of a source's entries that have its own part of one group."""
    return 1 / _alike(groups_of(model).own_cells(place))


def _doubt(model: AggregationModel, groups: OutputGroups, origin: int) -> float:
    """The chance that a group loses an extremum with a tuple of the origin."""
    kept = 1.0
    for extremum in model.extrema:
        place = extremum.place
        content = model.contents[place]
        inside = content.mean(is_set=False) * _in_group(model, place)
        beside = model.count > 1
        matched = inside * min(1.0, _others_touched(model, groups, place)) if beside else inside
        if place == origin:
            again, _ = _leaves(np.array([matched]), extremum)
            chance = float(again[0])
        else:
            chance = _taken_along(model, origin, extremum, inside, matched)
        kept *= 1 - min(1.0, chance)
    return 1 - kept


def _others_touched(model: AggregationModel, groups: OutputGroups, place: int) -> float:
    """The chance that a tuple of this source is in a given group, its own part of it right."""
    combinations = math.prod(
        _alike(cells)
        for other in range(model.count)
        if other != place
        for cells in _group_parts(model, other, own_keys=False)
    )
    return groups.touched(place) / combinations


def _taken_along(
    model: AggregationModel, origin: int, extremum: Extremum, inside: float, matched: float
) -> float:
    """The chance that the extremum of another source was joined with the tuple that leaves."""
    groups, others = groups_of(model), [p for p in range(model.count) if p != extremum.place]
    in_group = {p: _in_group(model, p) for p in others if p != origin}
    share = groups.chance_of_match(extremum.place, in_group, single=origin)
    for known in groups.fixed:
        key = known.key(extremum.place)
        if key is not None and known.key(origin) is not None:
            # The group has this key already.
            share *= key.distinct
    along = inside * min(1.0, share)
    if not along:
        return 0.0
    better, equal = _better(extremum)
    rest = max(0.0, matched - along)
    best_among = np.exp(-along * better) - np.exp(-along * (better + equal))
    found = float(best_among @ np.exp(-rest * better))
    own = model.contents[origin]
    alone = math.exp(-own.mean(is_set=False) * float(own.cells.shares @ own.cells.weights))
    nothing_left = -math.expm1(-along) * math.exp(-rest) * alone
    return max(0.0, found - nothing_left) / -math.expm1(-along)


def _group_parts(
    model: AggregationModel, place: int, own_keys: bool = True
) -> Iterator[CellBlocks]:
    """What divides a source's tuples among groups: its own attributes, and keys grouped by."""
    content = model.contents[place]
    yield content.group_cells
    if own_keys:
        for known in groups_of(model).fixed:
            key = known.key(place)
            if key is not None:
                count = float(key.distinct)
                yield CellBlocks(np.array([count]), np.array([1 / count]))


def _alike(cells: CellBlocks) -> float:
    """The number of equally frequent cells in which two tuples meet as often as in these."""
    return 1 / float(cells.counts @ cells.shares**2)


def _leaves(others: Floats, extremum: Extremum) -> tuple[Floats, Floats]:
    """For means of the number of others: the chance that the extremum leaves and something stays,
    and how many others there are then, on average."""
    better, equal = _better(extremum)
    means = others[:, None]
    again = (np.exp(-means * better) - np.exp(-means)) @ equal
    examined = (means * (1 - better) * np.exp(-means * better)) @ equal
    return again, examined


def _better(extremum: Extremum) -> tuple[Floats, Floats]:
    """For each value, the share of better values, and its own."""
    equal = np.array(extremum.shares)
    better = np.cumsum(equal) - equal
    return np.clip(better, 0.0, 1.0), equal
