"""What has changed between two workloads that a run believed in, in words."""

from __future__ import annotations

from collections.abc import Iterator

from planner.numbers import figure
from planner.statistics.selectivity import (
    all_predicates,
    by_streams,
    filter_selectivity,
    predicate_selectivity,
)
from planner.workload.workload import Workload

# A statistic that moved less is not named.
_LEAST = 1.1


def largest_change(before: Workload, after: Workload) -> str:
    """The statistic that moved by the largest factor; nothing where none moved much."""
    moved = [(max(old / new, new / old), text) for old, new, text in _changes(before, after)]
    factor, text = max(moved, default=(1.0, ""))
    return text if factor >= _LEAST else ""


def _changes(before: Workload, after: Workload) -> Iterator[tuple[float, float, str]]:
    for stream in after.streams:
        old, new = before.stream(stream.name).rate, stream.rate
        if old and new:
            yield old, new, f"{stream.name} has {figure(new)} tuples/s, not {figure(old)}"
    for query in after.queries:
        for predicate in all_predicates(query):
            old, new = (predicate_selectivity(w, query, predicate) for w in (before, after))
            if old and new:
                text = by_streams(query, predicate)
                yield old, new, f"{figure(100 * new)}% of pairs match by {text}, not {_share(old)}"
        for condition in query.filters:
            old, new = (filter_selectivity(w, query, condition) for w in (before, after))
            if old and new:
                text = by_streams(query, condition)
                yield old, new, f"{figure(100 * new)}% of tuples have {text}, not {_share(old)}"


def _share(share: float) -> str:
    return f"{figure(100 * share)}%"
