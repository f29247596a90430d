"""The workloads of the experiments: count windows joined on one attribute, and grouped."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

from planner.execution import Execution
from planner.query import Aggregate, Column, CountWindow, Predicate, Query, Source
from planner.query_text import format_query
from planner.streams import Attribute, Stream
from planner.workload import Workload


class Row(NamedTuple):
    """A stream: tuples per second, tuples of its window, its groups, values of its key."""

    rate: float
    window: int
    groups: int
    values: int


def grouped_join(name: str, rows: Sequence[Row], execution: Execution | None = None) -> Workload:
    """S1, S2 and so on joined on `j`; SUM of an attribute of S1, grouped where there are groups."""
    names = [f"S{number}" for number in range(1, len(rows) + 1)]
    streams, sources, groups = [], [], []
    for stream, row in zip(names, rows, strict=True):
        attributes = {"j": Attribute(row.values), "x": Attribute(1000)}
        if row.groups > 1:
            attributes["g"] = Attribute(row.groups)
            groups.append(Column(stream, "g"))
        streams.append(Stream(stream, row.rate, attributes))
        sources.append(Source(stream, stream, CountWindow(row.window)))
    links = tuple(
        Predicate(Column(left, "j"), "=", Column(right, "j")) for left, right in pairwise(names)
    )
    total = Aggregate("sum", Column("S1", "x"))
    query = Query("Q1", tuple(sources), links, group_by=tuple(groups), aggregates=(total,))
    return Workload(
        name,
        tuple(streams),
        (replace(query, text=format_query(query)),),
        execution=execution or Execution(),
    )
