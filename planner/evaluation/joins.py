"""The workloads of the experiments: streams joined on one attribute."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from planner.execution import Execution, RunSettings
from planner.query import Column, Predicate, Query, Source, TimeWindow
from planner.query_text import format_query
from planner.streams import Attribute, Stream
from planner.workload import Workload

# Rate, seconds of the window, and distinct values of a stream.
Row = tuple[float, float, int]


def equality_join(
    name: str, rows: Sequence[Row], tuples: int, execution: Execution | None = None
) -> Workload:
    """S1, S2 and so on joined on `attr`; a run has about so many tuples, its warm-up included."""
    names = [f"S{number}" for number in range(1, len(rows) + 1)]
    streams = tuple(
        Stream(stream, rate, {"attr": Attribute(distinct)})
        for stream, (rate, _, distinct) in zip(names, rows, strict=True)
    )
    sources = tuple(
        Source(stream, stream, TimeWindow(window))
        for stream, (_, window, _) in zip(names, rows, strict=True)
    )
    links = tuple(
        Predicate(Column(left, "attr"), "=", Column(right, "attr"))
        for left, right in pairwise(names)
    )
    query = Query("Q1", sources, links)
    warmup = max(window for _, window, _ in rows)
    seconds = tuples / sum(rate for rate, _, _ in rows)
    return Workload(
        name,
        streams,
        (replace(query, text=format_query(query)),),
        execution=execution or Execution(),
        run=RunSettings(warmup=warmup, duration=seconds - warmup),
    )
