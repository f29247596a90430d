"""A workload as a run has seen its values: what is surely otherwise than assumed, replaced."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import inf

from planner.statistics.observed import KeyStatistics, Likely, ValueStatistics, pair_name
from planner.statistics.selectivity import (
    Condition,
    attribute_of,
    by_streams,
    filter_selectivity,
    predicate_selectivity,
)
from planner.statistics.substitution import place_of, with_attribute, with_selectivity
from planner.workload.query import Column, Predicate, Query
from planner.workload.streams import Attribute
from planner.workload.workload import Workload

# Where a run decides often, an interval of 95% would be wrong every few minutes.
SURELY = 4.0


def observed_workload(workload: Workload, seen: ValueStatistics) -> Workload:
    """The workload with measured statistics where what it assumes is surely not so.

    What may be as assumed stays: chance alone must not look like a change, and little evidence,
    whose intervals are wide, changes nothing.
    """
    for stream, keys in seen.keys.items():
        known = workload.stream(stream).attributes
        for name, found in keys.items():
            attribute = _attribute(known[name], found)
            if attribute != known[name]:
                workload = with_attribute(workload, (stream, name), attribute)
    for query in workload.queries:
        workload = _with_conditions(workload, query, seen)
    return workload


def settled(recent: ValueStatistics, longer: ValueStatistics) -> ValueStatistics:
    """The statistics over the longer time, but of what has surely changed since the recent ones."""
    return ValueStatistics(
        {stream: _settled_keys(keys, longer.keys.get(stream, {}))
         for stream, keys in recent.keys.items()},
        {name: _settled(one, longer.pairs.get(name)) for name, one in recent.pairs.items()},
        {name: _settled(one, longer.filters.get(name)) for name, one in recent.filters.items()},
    )  # fmt: skip


def _settled_keys(
    recent: Mapping[str, KeyStatistics], longer: Mapping[str, KeyStatistics]
) -> dict[str, KeyStatistics]:
    return {
        name: longer[name]
        if name in longer
        and all(
            _may_be(getattr(one, part), getattr(longer[name], part).value)
            for part in ("distinct", "zipf", "meets")
        )
        else one
        for name, one in recent.items()
    }


def _settled(recent: Likely, longer: Likely | None) -> Likely:
    return longer if longer is not None and _may_be(recent, longer.value) else recent


def _may_be(seen: Likely, assumed: float) -> bool:
    return seen.widened(SURELY).holds(assumed)


def _value(seen: Likely, assumed: float) -> float:
    """What to assume instead. Where nothing at all was found, as much as may have been missed."""
    return seen.value or min(assumed, inf if seen.high is None else seen.high)


def _attribute(known: Attribute, seen: KeyStatistics) -> Attribute:
    # A missing value is a key of its own in a sketch: it would count as the most frequent one.
    if known.missing or known.importance_of is not None:
        return known
    found = known
    if known.distinct is None or not _may_be(seen.distinct, known.distinct):
        if seen.distinct.high is None:
            return known
        found = replace(found, values=(), distinct=max(1, round(seen.distinct.value)))
    if not _may_be(seen.zipf, known.zipf):
        found = replace(found, zipf=round(seen.zipf.value, 3))
    return found


def _with_conditions(workload: Workload, query: Query, seen: ValueStatistics) -> Workload:
    """With the pairs that satisfy a condition, as far as values do not explain them, and filters.

    What pairs of a filtered column satisfy is not known: sketches are of all tuples.
    """
    filtered = {condition.column for condition in query.filters}
    for members in query.equality_classes():
        # Of three and more that are equal, values alone say how many combinations match.
        if len(members) == 2 and filtered.isdisjoint(members):
            left, right = sorted(members)
            places = place_of(query, left), place_of(query, right)
            if not _lacks_values(workload, query, left, right):
                predicate, share = Predicate(left, "=", right), seen.pairs.get(pair_name(*places))
                workload = _with_share(workload, query, predicate, share)
    for predicate in query.predicates:
        if not predicate.is_equality and filtered.isdisjoint((predicate.left, predicate.right)):
            share = seen.pairs.get(by_streams(query, predicate))
            workload = _with_share(workload, query, predicate, share)
    for condition in query.filters:
        share = seen.filters.get(by_streams(query, condition))
        workload = _with_share(workload, query, condition, share)
    return workload


def _with_share(
    workload: Workload, query: Query, condition: Condition, seen: Likely | None
) -> Workload:
    if seen is None:
        return workload
    if isinstance(condition, Predicate):
        assumed = predicate_selectivity(workload, query, condition)
    else:
        assumed = filter_selectivity(workload, query, condition)
    if _may_be(seen, assumed):
        return workload
    return with_selectivity(workload, query, condition, _value(seen, assumed))


def _lacks_values(workload: Workload, query: Query, *columns: Column) -> bool:
    return any(attribute_of(workload, query, column).missing for column in columns)
