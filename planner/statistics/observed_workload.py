"""A workload as a run has seen it: what the run is sure to be otherwise than declared, replaced."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

from planner.statistics.inference import LEAST_BURST
from planner.statistics.observed import BatchStatistics, KeyStatistics, StreamStatistics, pair_name
from planner.statistics.selectivity import attribute_of, filter_selectivity, predicate_selectivity
from planner.statistics.substitution import place_of, with_attribute, with_selectivity
from planner.workload.query import Column, Predicate, Query
from planner.workload.streams import Arrivals, Attribute, Stream
from planner.workload.workload import Workload

# A stream's rate is above 0; where nothing arrived, next to nothing does.
_QUIET_RATE = 1e-12


def observed_workload(workload: Workload, seen: BatchStatistics) -> Workload:
    """The workload with measured statistics where what is declared lies outside their intervals.

    What may be as declared stays: chance alone must not look like a change.
    """
    streams = (_stream(s, seen.streams[s.name]) if s.name in seen.streams else s
               for s in workload.streams)  # fmt: skip
    workload = replace(workload, streams=tuple(streams))
    for stream, of_stream in seen.streams.items():
        known = workload.stream(stream).attributes
        for name, found in of_stream.keys.items():
            attribute = _attribute(known[name], found)
            if attribute != known[name]:
                workload = with_attribute(workload, (stream, name), attribute)
    for query in workload.queries:
        workload = _with_conditions(workload, query, seen)
    return workload


def _stream(stream: Stream, seen: StreamStatistics) -> Stream:
    if stream.rate is None or not seen.rate.holds(stream.rate):
        stream = replace(stream, rate=max(seen.rate.value, _QUIET_RATE))
    if not seen.burst.holds(stream.arrivals.burst):
        burst = seen.burst.value
        arrivals = Arrivals("pareto", burst) if burst > LEAST_BURST else Arrivals()
        stream = replace(stream, arrivals=arrivals)
    return stream


def _attribute(known: Attribute, seen: KeyStatistics) -> Attribute:
    # A missing value is a key of its own in a sketch: it would count as the most frequent one.
    if known.missing or known.importance_of is not None:
        return known
    found = known
    if known.distinct is None or not seen.distinct.holds(known.distinct):
        if seen.distinct.high is None:
            return known
        found = replace(found, values=(), distinct=max(1, round(seen.distinct.value)))
    if not seen.zipf.holds(known.zipf):
        found = replace(found, zipf=round(seen.zipf.value, 3))
    return found


def _with_conditions(workload: Workload, query: Query, seen: BatchStatistics) -> Workload:
    """With the pairs that are equal, as far as the values do not explain them, and filters."""
    filtered = {condition.column for condition in query.filters}
    for members in query.equality_classes():
        for left, right in combinations(sorted(members - filtered), 2):
            found = seen.pairs.get(pair_name(place_of(query, left), place_of(query, right)))
            if found is None or _lacks_values(workload, query, left, right):
                continue
            predicate = Predicate(left, "=", right)
            if not found.holds(predicate_selectivity(workload, query, predicate)):
                workload = with_selectivity(workload, query, predicate, found.value)
    for condition in query.filters:
        passed = seen.filters.get(str(condition))
        if passed and not passed.holds(filter_selectivity(workload, query, condition)):
            workload = with_selectivity(workload, query, condition, passed.value)
    return workload


def _lacks_values(workload: Workload, query: Query, *columns: Column) -> bool:
    return any(attribute_of(workload, query, column).missing for column in columns)
