"""The workloads of the state-slice paper's Tables 3 and 4."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from planner.files.query.text import format_query
from planner.workload.execution import Execution, RunSettings
from planner.workload.query import Column, Comparison, Filter, Predicate, Query, Source, TimeWindow
from planner.workload.streams import Attribute, Stream
from planner.workload.workload import Workload

# The values of the attribute that is filtered: shares of a hundredth are met exactly.
_VALUES = 100
Spread = Literal["uniform", "mostly small", "small and large"]
LARGEST = 30.0


def windowed_joins(
    name: str,
    rate: float,
    windows: Sequence[float],
    filtered: Sequence[float] = (),
    joined: float = 0.1,
    c_sys: float = 0.0,
    seconds: float = 60.0,
) -> Workload:
    """Joins of A and B, a query for each window; a share of A passes each one's filter (1: all).

    A run is measured for so many seconds after the largest window has filled.
    """
    values, comparison = _matching(joined)
    attributes = {"key": Attribute(values), "value": Attribute(_VALUES)}
    shares = filtered or [1.0] * len(windows)
    queries = tuple(
        _query(f"Q{number}", window, share, comparison)
        for number, (window, share) in enumerate(zip(windows, shares, strict=True), 1)
    )
    return Workload(
        name,
        (Stream("A", rate, attributes), Stream("B", rate, attributes)),
        queries,
        execution=Execution(c_sys=c_sys),
        run=RunSettings(warmup=max(windows), duration=seconds),
    )


def _query(name: str, window: float, share: float, comparison: Comparison) -> Query:
    sources = tuple(Source(stream, stream, TimeWindow(window)) for stream in "AB")
    predicate = Predicate(Column("A", "key"), comparison, Column("B", "key"))
    passing = (Filter(Column("A", "value"), ">", round(_VALUES * (1 - share))),)
    query = Query(name, sources, (predicate,), passing if share < 1 else ())
    return replace(query, text=format_query(query))


def _matching(share: float) -> tuple[int, Comparison]:
    """The number of values, and the comparison, by which exactly this share of pairs join."""
    # Of n values, a pair is equal with 1/n and in order with (n - 1)/2n: 0.4 is 2/5 of five.
    for values in range(1, 1001):
        shares: dict[Comparison, float] = {"=": 1 / values, "<": (values - 1) / (2 * values)}
        for comparison, found in shares.items():
            if abs(found - share) < 1e-9:
                return values, comparison
    raise ValueError(f"no attribute of up to 1,000 values joins {share:g} of all pairs")


def spread_windows(spread: Spread, queries: int) -> tuple[float, ...]:
    """Table 4's windows for 12 queries, and for a multiple of 12 the same spread, more densely.

    >>> spread_windows("mostly small", 12)
    (1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 20.0, 30.0)
    """
    step = 12 / queries
    if spread == "uniform":
        found = [LARGEST * number / queries for number in range(1, queries + 1)]
    elif spread == "mostly small":
        few = queries // 6
        found = [step * number for number in range(1, queries - few + 1)]
        found += [10 + 20 * number / few for number in range(1, few + 1)]
    else:
        half = queries // 2
        found = [step * number for number in range(1, half + 1)]
        found += [LARGEST - step * number for number in reversed(range(half))]
    return tuple(round(window, 3) for window in found)


# Tuples of either stream in what is measured.
_TUPLES = 4000.0


def three_joins(
    spread: str, windows: Sequence[float], filtered: float, joined: float, rate: float
) -> Workload:
    """A setting of Table 3: three queries; the two with larger windows filter A."""
    name = f"Table 3, {spread}, Sσ = {filtered:g}, S⋈ = {joined:g}, {rate:g}/s"
    passing, seconds = (1.0, filtered, filtered), _TUPLES / rate
    return windowed_joins(name, rate, windows, passing, joined, seconds=seconds)


def many_joins(spread: Spread, queries: int, rate: float, c_sys: float = 0.0) -> Workload:
    """The queries of Table 4, or more of them: windows alone, no filters."""
    return windowed_joins(
        f"Table 4, {queries} queries, {spread}, {rate:g}/s",
        rate,
        spread_windows(spread, queries),
        joined=0.025,
        c_sys=c_sys,
        seconds=_TUPLES / rate,
    )
