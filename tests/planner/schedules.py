"""Workloads of queries that share one join, and differ in windows, arrivals and load."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from planner.files.query.text import parse_query
from planner.workload.execution import Execution, RunSettings
from planner.workload.streams import Arrivals, Attribute, Stream, catalogue
from planner.workload.workload import Workload

# The four distributions of window sizes of the paper's Table 1, in seconds.
TABLE_1: dict[str, tuple[int, ...]] = {
    "Uniform": (1, 100, 200, 300, 400, 500, 600),
    "Mostly-Small": (1, 5, 15, 30, 60, 300, 600),
    "Mostly-Large": (1, 60, 300, 420, 510, 570, 600),
    "Small-Large": (1, 5, 15, 300, 510, 570, 600),
}
UNITS = {"compare": 1e-6, "output": 1e-6}


def scheduled(
    windows: Sequence[float],
    rates: tuple[float, float] = (100, 100),
    distinct: int = 500,
    arrivals: Arrivals | None = None,
    zipf: float = 0.0,
    kind: str = "RANGE",
    seed: int = 7,
    **execution: Any,
) -> Workload:
    """Queries Q1, Q2 and so on over the streams A and B, joined on `k`, with these windows."""
    attributes = {"k": Attribute(distinct, zipf), "v": Attribute(100)}
    streams = tuple(
        Stream(name, rate, attributes, arrivals or Arrivals())
        for name, rate in zip("AB", rates, strict=True)
    )
    queries = tuple(
        parse_query(
            f"SELECT * FROM A [{kind} {window}], B [{kind} {window}] WHERE A.k = B.k",
            f"Q{place}",
            catalogue=catalogue(streams),
        )
        for place, window in enumerate(windows, start=1)
    )
    settings = {"join": "hash", "unit_costs": UNITS, "utilisation": 0.7, **execution}
    return Workload(
        "a schedule", streams, queries, execution=Execution(**settings), run=RunSettings(seed)
    )


def urgent(workload: Workload) -> Workload:
    """The same with weights and deadlines: the last query is the most urgent."""
    last = len(workload.queries)
    queries = (
        replace(query, weight=float(place), deadline=0.1 / place if place == last else None)
        for place, query in enumerate(workload.queries, start=1)
    )
    return replace(workload, queries=tuple(queries))


SCHEDULE_SAMPLES: dict[str, Workload] = {
    "Small-Large": scheduled(TABLE_1["Small-Large"]),
    "urgent, nested": urgent(scheduled((2, 5, 20), (20, 60), 10, join="nested")),
    "rows": scheduled((20, 50, 300), (30, 20), 10, kind="ROWS", ties="smaller"),
    "bursts, five buckets": scheduled(
        (2, 5, 20), (20, 60), 10, Arrivals("pareto", 3), zipf=0.5, buckets=5
    ),
    "regular": scheduled((2, 5, 20), (20, 60), 10, Arrivals("regular")),
    "overloaded": scheduled((2, 5, 20), (20, 60), 10, utilisation=1.5),
    "hardly loaded": scheduled((2, 5, 20), (20, 60), 10, utilisation=None),
    "one window": scheduled((5, 5), (20, 60), 10),
}
