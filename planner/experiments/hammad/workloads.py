"""The workloads of Section 5: seven windows over two streams, and how tuples arrive."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from planner.files.query.text import format_query
from planner.workload.execution import Execution, RunSettings
from planner.workload.query import Column, Predicate, Query, Source, TimeWindow
from planner.workload.streams import Arrivals, Attribute, Stream
from planner.workload.workload import Workload

# Table 1, in seconds.
TABLE_1: dict[str, tuple[float, ...]] = {
    "Uniform": (1, 100, 200, 300, 400, 500, 600),
    "Mostly-Small": (1, 5, 15, 30, 60, 300, 600),
    "Mostly-Large": (1, 60, 300, 420, 510, 570, 600),
    "Small-Large": (1, 5, 15, 300, 510, 570, 600),
}
Join = Literal["hash", "nested"]
Ties = Literal["larger", "smaller"]
RATE = 100.0
# A pair joins with 0.002.
VALUES = 500
# 100,000 tuples of both streams are measured, as in the paper, once windows are full and tuples
# have begun to wait.
DURATION = 500.0
WARMUP = 700.0
# Seconds of a comparison and of an output. In a bucket every tuple that is compared matches: output
# is 40% of the time, the most that the paper reports. The utilisation scales both.
UNIT_COSTS = {"compare": 0.6e-6, "output": 0.4e-6}
# A pool of queries, and the share of them that have one window.
POOL, SHARE = 30, 0.8


def shared_join(
    name: str,
    windows: Sequence[float],
    utilisation: float | None,
    join: Join = "hash",
    burst: float = 1.0,
    ties: Ties = "larger",
    declared: bool = True,
) -> Workload:
    """Queries that join A and B, one for each of these windows, on a server of this utilisation.

    Bursts of 1 are Poisson arrivals. Unit costs are declared, or else those of the machine.
    """
    arrivals = Arrivals("pareto", burst) if burst > 1 else Arrivals()
    streams = tuple(Stream(n, RATE, {"key": Attribute(VALUES)}, arrivals) for n in "AB")
    execution = Execution(
        join=join,
        unit_costs=UNIT_COSTS if declared else None,
        ties=ties,
        utilisation=utilisation,
    )
    return Workload(
        name,
        streams,
        tuple(_query(f"Q{number}", window) for number, window in enumerate(windows, 1)),
        execution=execution,
        run=RunSettings(warmup=WARMUP, duration=DURATION),
    )


def pool(windows: Sequence[float], favoured: float) -> tuple[float, ...]:
    """The windows of 30 queries: 80% have the favoured one, the others one each, in order.

    >>> pool((1, 5, 15, 300, 510, 570, 600), 5).count(5)
    24
    """
    many = round(SHARE * POOL)
    others = [window for window in windows if window != favoured]
    each, more = divmod(POOL - many, len(others))
    if more:
        raise ValueError(f"{POOL - many} queries cannot be shared out to {len(others)} windows")
    return tuple(sorted([favoured] * many + others * each))


def _query(name: str, window: float) -> Query:
    sources = tuple(Source(stream, stream, TimeWindow(window)) for stream in "AB")
    predicate = Predicate(Column("A", "key"), "=", Column("B", "key"))
    query = Query(name, sources, (predicate,))
    return replace(query, text=format_query(query))
