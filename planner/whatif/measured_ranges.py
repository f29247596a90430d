"""Ranges measured in own data: between which values a number lies most of the time.

Time is cut into intervals. Of each number the range is from the 5th to the 95th percentile over
them. Chance in few tuples widens it: intervals of conditions hold many.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from planner.files.tuple_table import ColumnData, Table
from planner.statistics.inference import infer
from planner.whatif.axes import Axis
from planner.whatif.numbers.path import quoted
from planner.whatif.rates import RateTrace
from planner.workload.execution import DeclaredStatistic
from planner.workload.workload import Workload

_SHARES = (5, 95)
# Intervals in which conditions are measured: at most so many, each with so many tuples of every
# stream; of fewer than the least no percentile is known.
_MOST_INTERVALS = 20
_LEAST_INTERVALS = 5
_LEAST_TUPLES = 200


def rate_ranges(trace: RateTrace) -> tuple[Axis, ...]:
    """The rates of a trace as ranges; streams whose rate does not change have none."""
    found = []
    for stream, rates in zip(trace.streams, zip(*trace.rates, strict=True), strict=True):
        axis = _range(f"streams.{quoted(stream)}.rate", rates, trace.seconds)
        found += [] if axis is None else [axis]
    return tuple(found)


def condition_ranges(
    workload: Workload, declared: Workload, tables: Mapping[str, Table]
) -> tuple[Axis, ...]:
    """The selectivities of filters and predicates that the data tell, as ranges.

    `workload` has all statistics of the data, `declared` those that somebody stated. Conditions
    that are the same in several queries vary together.
    """
    open_ = replace(workload, statistics=declared.statistics)
    measured: list[dict[str, float]] = []
    for part in _intervals(tables):
        filled, _ = infer(open_, part)
        measured.append(_selectivities(filled, declared))
    tied: dict[tuple[float, ...], list[str]] = {}
    if len(measured) >= _LEAST_INTERVALS:
        for path in measured[0]:
            tied.setdefault(tuple(own[path] for own in measured), []).append(path)
    ranges = (_range(",".join(paths), values) for values, paths in tied.items())
    return tuple(axis for axis in ranges if axis is not None)


def _range(
    path: str, values: Sequence[float], weights: Sequence[float] | None = None
) -> Axis | None:
    low, high = (
        float(np.percentile(values, share, weights=weights, method="inverted_cdf"))
        for share in _SHARES
    )
    return Axis(path, (low, high), is_log=low > 0) if low < high else None


def _selectivities(filled: Workload, declared: Workload) -> dict[str, float]:
    """By path the selectivities that were not declared."""
    found = {}
    for kind in ("filters", "predicates"):
        known: Mapping[str, DeclaredStatistic] = getattr(filled.statistics, kind)
        stated: Mapping[str, DeclaredStatistic] = getattr(declared.statistics, kind)
        for key, statistic in known.items():
            # A quote within a name cannot be written in a path.
            if statistic.selectivity is not None and key not in stated and '"' not in key:
                found[f'statistics.{kind}."{key}".selectivity'] = statistic.selectivity
    return found


def _intervals(tables: Mapping[str, Table]) -> list[dict[str, Table]]:
    """The tuples of equal parts of the time, where all streams have enough; relations stay."""
    streams = [name for name, table in tables.items() if len(table.ts)]
    times = [tables[name].ts for name in streams]
    fewest = min(map(len, times), default=0)
    count = min(_MOST_INTERVALS, fewest // _LEAST_TUPLES)
    if count < _LEAST_INTERVALS:
        return []
    begin, end = min(int(ts[0]) for ts in times), max(int(ts[-1]) for ts in times)
    edges = np.linspace(begin, end + 1, count + 1).astype(np.int64)
    parts = (
        {name: _between(table, low, high) for name, table in tables.items()}
        for low, high in pairwise(edges.tolist())
    )
    # Rates vary: some intervals have fewer tuples than others.
    least = _LEAST_TUPLES // 2
    return [part for part in parts if all(len(part[name]) >= least for name in streams)]


def _between(table: Table, low: int, high: int) -> Table:
    if not len(table.ts):
        return table
    here = slice(*np.searchsorted(table.ts, (low, high)).tolist())
    columns = {
        name: ColumnData(own.values[here], None if own.valid is None else own.valid[here])
        for name, own in table.columns.items()
    }
    return Table(table.seq[here], table.ts[here], columns)
