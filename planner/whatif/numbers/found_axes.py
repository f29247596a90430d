"""The axis behind a row of workloads: the one number in which they differ."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from planner.errors import PlanError
from planner.whatif.axes import MOST_STEPS, Axis, spaced_axis
from planner.whatif.sweep_paths import path_in, paths
from planner.workload.workload import Workload

# From this ratio on values are spaced evenly on a logarithmic scale.
_WIDE = 20


def axis_through(workloads: Sequence[Workload], steps: int = 40) -> Axis | None:
    """The axis that goes through these workloads; None where they differ in more than a number."""
    digests = {workload.digest for workload in workloads}
    if len(digests) < 2:
        return None
    first = workloads[0]
    for text in paths(first):
        values = [_value(workload, text) for workload in workloads]
        known = [value for value in values if value]
        if len(known) == len(workloads) and len(set(known)) == len(digests):
            place = path_in(first, text)
            if _same(place.change(known[-1]), workloads[-1]) and all(
                _same(place.change(v), w) for v, w in zip(known, workloads, strict=True)
            ):
                low, high = min(known), max(known)
                is_log = high > _WIDE * low
                return spaced_axis(text, low, high, min(steps, MOST_STEPS), is_log)
    return None


def _value(workload: Workload, text: str) -> float | None:
    try:
        return path_in(workload, text).value
    except PlanError:
        return None


def _same(one: Workload, other: Workload) -> bool:
    """Whether the two are planned alike, however long they are run."""
    return _planned(one) == _planned(other)


def _planned(workload: Workload) -> tuple[object, ...]:
    queries = tuple(replace(query, text="") for query in workload.queries)
    parts = (workload.streams, workload.relations, workload.execution, workload.statistics)
    return (*parts, queries)
