"""How evenly a run's tuples come: how many meet and are held, beside what mean rates make of it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from planner.files.tuple_table import Table
from planner.numbers import amount
from planner.plan.plan import Operator
from planner.workload.query import CountWindow, Query, Source, TimeWindow
from planner.workload.validation import microseconds
from runtime.data.run_data import run_seconds
from runtime.runs.records import Run

# What is held is looked at so often.
_LOOKS = 2_000
# Rates are told of at most so many intervals.
_MOST_INTERVALS = 1_000

Times = NDArray[np.int64]
# Tuples of these times, from the younger to the older age, in microseconds.
Held = tuple[Times, int, int]


@dataclass(frozen=True, slots=True)
class Span:
    """The times that were counted, in microseconds."""

    begin: int
    end: int

    @property
    def seconds(self) -> float:
        """How long that was."""
        return (self.end - self.begin) / 1e6


def counted_span(run: Run, tables: Mapping[str, Table]) -> Span | None:
    """When the run's costs were counted: after its warm-up. None where nothing was."""
    warmup = microseconds(run.workload.warmup)
    if run.request.data is None:
        span = Span(warmup, microseconds(run_seconds(run.workload)))
    else:
        times = [table.ts for table in tables.values() if len(table.ts)]
        if not times:
            return None
        span = Span(min(int(ts[0]) for ts in times) + warmup, max(int(ts[-1]) for ts in times))
    return span if span.end > span.begin else None


def meetings(
    run: Run, tables: Mapping[str, Table], query: Query, origin: str, others: Sequence[str]
) -> float | None:
    """How many tuples of the others one of `origin` met, over what they held on the mean."""
    span = counted_span(run, tables)
    held = [_window_of(query.source(alias), tables) for alias in others]
    arrived = tables[query.source(origin).name].ts
    if span is None or not len(arrived) or any(window is None for window in held):
        return None
    return _ratio(_within(arrived, span), [window for window in held if window], span)


def sliced_meetings(
    run: Run, tables: Mapping[str, Table], streams: Sequence[str], ages: Sequence[tuple[int, int]]
) -> float | None:
    """The same of a join of slices, where tuples of each stream meet the other's of these ages."""
    span = counted_span(run, tables)
    if span is None:
        return None
    times = [tables[name].ts for name in streams]
    found = expected = 0.0
    for side in (0, 1):
        length = ages[1 - side][1] - ages[1 - side][0]
        ratio = _ratio(_within(times[side], span), [(times[1 - side], *ages[1 - side])], span)
        if ratio is not None:
            found, expected = found + length * ratio, expected + length
    return found / expected if expected else None


def holding(run: Run, tables: Mapping[str, Table], name: str, length: int) -> float | None:
    """How much a window of this length held, over what the mean rate of its stream makes of it."""
    span = counted_span(run, tables)
    if span is None:
        return None
    times = tables[name].ts
    expected = len(_within(times, span)) / span.seconds * length / 1e6
    found = float(_count(times, _looks(span), 0, length).mean())
    return found / expected if expected else None


def sliced_holding(
    run: Run, tables: Mapping[str, Table], streams: Sequence[str], ages: Sequence[tuple[int, int]]
) -> float | None:
    """The same of a slice, which tuples leave when one of the other stream comes and purges it."""
    span = counted_span(run, tables)
    if span is None:
        return None
    looks = _looks(span)
    found = expected = 0.0
    for side in (0, 1):
        times, others = tables[streams[side]].ts, tables[streams[1 - side]].ts
        if not len(others):
            return None
        young, old = ages[side]
        purged = others[np.maximum(np.searchsorted(others, looks, "right") - 1, 0)]
        entered = np.searchsorted(times, purged - young if young else looks, "right")
        found += float((entered - np.searchsorted(times, purged - old, "right")).mean())
        expected += len(_within(times, span)) / span.seconds * (old - young) / 1e6
    return found / expected if expected else None


def slice_ages(operator: Operator) -> tuple[tuple[int, int], tuple[int, int]] | None:
    """From which age to which a slice stores tuples of its left and its right stream, in
    microseconds; None where it counts rows."""
    params = dict(operator.params)
    if params.get("unit") == "rows":
        return None
    start = microseconds(float(params["start"]))
    ends = (params.get(name, params["end"]) for name in ("left_end", "right_end"))
    left, right = (max(microseconds(float(end)), start) for end in ends)
    return (start, left), (start, right)


def uneven(run: Run, tables: Mapping[str, Table], streams: Sequence[str], every: float) -> str:
    """The stream whose rate changes most over intervals of so many seconds, in words."""
    span = counted_span(run, tables)
    if span is None:
        return ""
    count = int(min(max(span.seconds // every, 1), _MOST_INTERVALS))
    edges = np.linspace(span.begin, span.end, count + 1)
    length = span.seconds / count
    worst, told = 0.0, ""
    for name in dict.fromkeys(streams):
        rates = np.histogram(tables[name].ts, edges)[0] / length
        mean = float(rates.mean())
        if not mean:
            continue
        spread = float(rates.std()) / mean
        if spread > worst:
            worst = spread
            least, most = (amount(round(float(found), 3)) for found in (rates.min(), rates.max()))
            told = (
                f"{name} comes unevenly, from {least} to {most} tuples/s over {length:.3g} s "
                f"({amount(round(mean, 3))} on the mean)"
            )
    return told


def explains(ratio: float | None, error: float) -> bool:
    """Whether this ratio of real to assumed makes up at least half of an error (a logarithm)."""
    if ratio is None or ratio <= 0 or error == 0:
        return False
    return abs(error - math.log(ratio)) <= abs(error) / 2


def _window_of(source: Source, tables: Mapping[str, Table]) -> Held | tuple[()] | None:
    """The times that a window holds; () where it always holds as much, None where not known."""
    if isinstance(source.window, TimeWindow):
        return tables[source.name].ts, 0, microseconds(source.window.seconds)
    return () if isinstance(source.window, CountWindow) else None


def _ratio(arrived: Times, held: Sequence[Held], span: Span) -> float | None:
    if not len(arrived):
        return None
    product = np.ones(len(arrived))
    expected = 1.0
    for times, young, old in held:
        product *= _count(times, arrived, young, old)
        expected *= float(_count(times, _looks(span), young, old).mean())
    return float(product.mean()) / expected if expected else None


def _looks(span: Span) -> Times:
    return np.linspace(span.begin, span.end, _LOOKS).astype(np.int64)


def _count(times: Times, at: Times, young: int, old: int) -> NDArray[np.int64]:
    """How many of `times` are from the one age to below the other at each time of `at`."""
    newest = np.searchsorted(times, at - young, "right")
    found: NDArray[np.int64] = newest - np.searchsorted(times, at - old, "right")
    return found


def _within(times: Times, span: Span) -> Times:
    return times[np.searchsorted(times, span.begin) : np.searchsorted(times, span.end)]
