"""Streams that brought more or fewer tuples than planned: always, at times, or by chance."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np

from planner.files.tuple_table import Table
from planner.numbers import amount
from planner.workload.streams import Stream
from planner.workload.validation import microseconds
from planner.workload.workload import Workload
from runtime.data.run_data import covered, run_seconds
from runtime.diagnosis.cause import ALIKE, Cause, difference
from runtime.runs.records import Run

# Counts of independent arrivals are seldom further from their mean than so many deviations.
DEVIATIONS = 3.0
# Counts in intervals whose variance is so many times their mean are uneven; at random it is 1.
_UNEVEN = 2.0
# Rates that change are read in so many intervals of the longest window, and so many in all.
_PER_WINDOW, _MOST_INTERVALS = 2, 16
# A stream that does not come for a while: a rate must be above 0.
_NEARLY_NONE = 1e-6


def rate_causes(run: Run) -> Iterator[Cause]:
    """Streams whose mean rate differs, by what the run counted where they arrive."""
    counted = run.measurement.costs if run.measurement else {}
    arrivals = {str(o.param("stream")): o.id for o in run.plan.operators() if o.kind == "arrive"}
    for name, place in arrivals.items():
        stream = run.workload.stream(name)
        if place not in counted or not stream.rate:
            continue
        planned, came = run.estimate.costs[place].rows_out, counted[place].rows_out
        differs = difference(planned, came)
        if planned and came and differs > ALIKE:
            changed = _with_rates(run.workload, {name: stream.rate * came / planned})
            yield Cause(f"{name}.rate", _reason(run, stream, planned, came), differs, ((changed,),))


def uneven_rates(run: Run, tables: Mapping[str, Table]) -> Iterator[Cause]:
    """Streams whose rates change while the run goes on: those that are busy together meet more
    often than by their means. It is estimated at each of several times, and the mean taken."""
    warmup = microseconds(run.workload.warmup)
    begin, end = warmup, microseconds(run_seconds(run.workload))
    if run.request.data is not None:
        first, end = covered(list(tables.values()))
        begin = first + warmup
    seconds, longest = (end - begin) / 1e6, run.workload.longest_window
    if seconds <= 0 or not longest:
        return
    number = min(max(round(_PER_WINDOW * seconds / longest), 2), _MOST_INTERVALS)
    edges = np.linspace(begin, end, number + 1)
    names = [stream.name for stream in run.workload.streams if stream.name in tables]
    counts = {name: np.histogram(tables[name].ts, edges)[0] for name in names}
    spread = {name: float(found.var() / max(found.mean(), 1)) for name, found in counts.items()}
    worst = max(spread, key=lambda name: spread[name])
    if spread[worst] > _UNEVEN:
        rates = {name: found * number / seconds for name, found in counts.items()}
        over_time = tuple(
            _with_rates(run.workload, {name: float(found[at]) for name, found in rates.items()})
            for at in range(number)
        )
        least, mean, most = (
            amount(round(float(found), 2))
            for found in (rates[worst].min(), rates[worst].mean(), rates[worst].max())
        )
        reason = (
            f"{worst} comes unevenly, from {least} to {most} tuples/s in {seconds / number:.3g} s "
            f"({mean} on the mean): its mean rate does not describe it"
        )
        yield Cause("rates", reason, spread[worst], (over_time,))


def chance_reason(stream: Stream, expected: float) -> str:
    """How far from its mean a count of arrivals usually is."""
    if stream.arrivals.kind == "pareto":
        burst = amount(stream.arrivals.burst)
        return f"{stream.name} arrives in bursts of {burst} on the mean; run longer"
    usual = amount(round(math.sqrt(expected)))
    return f"of {amount(round(expected))} arrivals, {usual} more or less are chance; run longer"


def _reason(run: Run, stream: Stream, planned: float, came: float) -> str:
    reason = f"{stream.name} brought {amount(came)} tuples/s, where {amount(planned)} were planned"
    if run.request.data is not None:
        if run.request.workload.stream(stream.name).rate is None:
            return f"{reason}, the mean over all its data: its rate changes over time"
        return f"{reason}, as declared: leave the rate out, and it is taken from the data"
    expected, counted = (run.workload.run.duration * rate for rate in (planned, came))
    usual = DEVIATIONS * math.sqrt(expected)
    if stream.arrivals.kind == "pareto" or abs(counted - expected) <= usual:
        return f"{reason}: {chance_reason(stream, expected)}"
    return f"{reason}: more than chance makes of it"


def _with_rates(workload: Workload, rates: Mapping[str, float]) -> Workload:
    streams = (
        replace(s, rate=max(rates[s.name], _NEARLY_NONE)) if s.name in rates else s
        for s in workload.streams
    )
    return replace(workload, streams=tuple(streams))
