"""The workloads that are timed."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

from planner.execution import Execution, RunSettings
from planner.query import Column, Predicate, Query, Source, TimeWindow
from planner.streams import Attribute, Stream
from planner.workload import Workload

# Rate, window in seconds, and distinct values of each stream of Table 5 (Golab & Özsu 2003).
TABLE_5 = ((10, 100, 500), (1, 100, 50), (1, 200, 40), (3, 100, 5))
TWO_WAY = ((50, 100, 500), (50, 100, 500))
FOUR_WAY = ((10, 100, 500), (10, 100, 500), (10, 100, 500), (10, 100, 500))


def join_of(parameters: tuple[tuple[float, float, int], ...], tuples: int) -> Workload:
    """An equi-join of streams with these parameters, run on about so many tuples in all."""
    names = [f"S{number}" for number in range(1, len(parameters) + 1)]
    streams = tuple(
        Stream(name, rate, {"attr": Attribute(distinct)})
        for name, (rate, _, distinct) in zip(names, parameters, strict=True)
    )
    sources = tuple(
        Source(name, name, TimeWindow(window))
        for name, (_, window, _) in zip(names, parameters, strict=True)
    )
    predicates = tuple(
        Predicate(Column(left, "attr"), "=", Column(right, "attr"))
        for left, right in pairwise(names)
    )
    warmup = max(window for _, window, _ in parameters)
    seconds = tuples / sum(rate for rate, _, _ in parameters)
    return Workload(
        f"{len(parameters)}-way join",
        streams,
        (Query("Q1", sources, predicates),),
        run=RunSettings(seed=7, warmup=warmup, duration=seconds - warmup),
    )


def hashed(workload: Workload, buckets: int | None = None) -> Workload:
    """The same with a hash table on every window: so many buckets, or an index per value."""
    execution = Execution(join="hash", buckets=buckets or "per-value")
    return replace(workload, execution=execution)
