"""Streams that brought more or fewer tuples than planned: always, at times, or by chance."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from planner.files.tuple_table import Table
from planner.numbers import amount, figure
from planner.statistics.inference import FEWEST_ARRIVALS, LEAST_BURST, arrivals_of
from planner.workload.streams import Arrivals, Stream
from planner.workload.validation import microseconds
from planner.workload.workload import Workload
from runtime.data.run_data import covered, run_seconds
from runtime.diagnosis.cause import ALIKE, Cause, difference
from runtime.diagnosis.chance import DEVIATIONS, dispersion_deviation, is_chance
from runtime.runs.records import Run

# Rates that change are read in so many intervals of the longest window, and so many in all.
_PER_WINDOW, _MOST_INTERVALS = 2, 16
# Counts in intervals whose variance is so many times their mean are uneven; at random it is 1.
_UNEVEN = 2.0
# A stream that does not come for a while: a rate must be above 0.
_NEARLY_NONE = 1e-6


def rate_causes(run: Run, tables: Mapping[str, Table]) -> Iterator[Cause]:
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
            subject, ways = f"{name}.rate", [changed]
            found = None
            if name in tables and not is_drawn(run):
                found = measured_arrivals(tables[name].ts, stream, run.workload.longest_window)
            number = planned * run.workload.run.duration
            sure = not is_chance(number * (came / planned - 1), math.sqrt(number * _size(stream)))
            if found is not None and found.kind == "pareto":
                reason = _burst_reason(stream, found, planned, came)
                bursts = (_with_arrivals(w, name, found) for w in (changed, run.workload))
                subject, ways = name, [changed, *bursts]
            else:
                reason = _reason(run, stream, planned, came)
            yield Cause(subject, reason, differs, tuple((way,) for way in ways), sure=sure)


def arrival_causes(workload: Workload, tables: Mapping[str, Table]) -> Iterator[Cause]:
    """Streams that come otherwise than assumed: in bursts, evenly, at random."""
    # Streams that no query uses have no tuples.
    for stream in (s for s in workload.streams if s.name in tables):
        found = measured_arrivals(tables[stream.name].ts, stream, workload.longest_window)
        if found is not None:
            changed = _with_arrivals(workload, stream.name, found)
            differs = difference(stream.arrivals.burst, found.burst)
            # Bursts have a heavy tail: those of one run say little of their mean size.
            sure = found.kind != stream.arrivals.kind
            reason = _manner_reason(stream, found)
            yield Cause(stream.name, reason, differs, ((changed,),), sure=sure)


def measured_arrivals(ts: NDArray[np.int64], stream: Stream, window: float) -> Arrivals | None:
    """How tuples of these times arrive, if that is not what is assumed; None where it is.

    One waits for the next as long as for bursts at random times of this size on the mean, whether
    tuples of a burst share their time or not. It is measured in one window after the other, so
    that rates which change slowly are no bursts.
    """
    if len(ts) < FEWEST_ARRIVALS:
        return None
    edges = np.arange(ts[0], ts[-1] + 1, max(microseconds(window), 1))
    parts = [part for part in np.split(ts, np.searchsorted(ts, edges[1:])) if len(part) > 2]
    sizes = [_burst(part) for part in parts]
    burst = float(np.average(sizes, weights=[len(part) for part in parts])) if parts else 1.0
    # At random the squared coefficient of variation is 1, with a deviation of sqrt(8 / n).
    least = LEAST_BURST + DEVIATIONS * math.sqrt(2 / len(ts))
    found = Arrivals("pareto", burst) if burst > least else arrivals_of(ts)[0]
    differs = difference(stream.arrivals.burst, found.burst)
    return found if found.kind != stream.arrivals.kind or differs > LEAST_BURST else None


def _burst(ts: NDArray[np.int64]) -> float:
    """The mean size of bursts at random times whose gaps vary as much."""
    gaps = np.diff(ts).astype(np.float64)
    mean = float(gaps.mean())
    return (1 + float(gaps.var()) / mean**2) / 2 if mean else float(len(ts))


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
    if spread[worst] <= _UNEVEN:
        return
    rates = {name: found * number / seconds for name, found in counts.items()}
    over_time = tuple(
        _with_rates(run.workload, {name: float(found[at]) for name, found in rates.items()})
        for at in range(number)
    )
    stream = run.workload.stream(worst)
    found = measured_arrivals(tables[worst].ts, stream, longest)
    if found is not None and found.kind == "pareto":
        reason = _manner_reason(stream, found)
    else:
        least, mean, most = map(figure, (min(rates[worst]), rates[worst].mean(), max(rates[worst])))
        declared = "" if stream.arrivals.shape is None else " as declared"
        reason = (
            f"{worst} comes unevenly{declared}, from {least} to {most} tuples/s by turns: what "
            f"comes while others are busy meets more of them than its mean rate of {mean} says"
        )
    usual = _size(stream) * (1 + DEVIATIONS * dispersion_deviation(number))
    yield Cause("rates", reason, spread[worst], (over_time,), sure=spread[worst] > usual)


def is_drawn(run: Run) -> bool:
    """Whether the tuples were drawn at random as the workload says."""
    return run.request.data is None


def chance_reason(stream: Stream, expected: float) -> str:
    """How far from its mean a count of arrivals usually is."""
    if stream.arrivals.kind == "pareto":
        burst = amount(stream.arrivals.burst)
        return f"{stream.name} arrives in bursts of {burst} on the mean; run longer"
    usual = amount(round(math.sqrt(expected)))
    return f"of {amount(round(expected))} arrivals, {usual} more or less are chance; run longer"


def _reason(run: Run, stream: Stream, planned: float, came: float) -> str:
    reason = f"{stream.name} brought {figure(came)} tuples/s, where {figure(planned)} were planned"
    if run.request.data is not None:
        if run.request.workload.stream(stream.name).rate is None:
            return f"{reason}, the mean over all its data: its rate changes over time"
        return f"{reason}, as declared: leave the rate out, and it is taken from the data"
    if stream.arrivals.shape is not None:
        return f"{reason}: its rate changes as declared, and plans are priced at one rate"
    expected, counted = (run.workload.run.duration * rate for rate in (planned, came))
    if stream.arrivals.kind == "pareto" or is_chance(counted - expected, math.sqrt(expected)):
        return f"{reason}: {chance_reason(stream, expected)}"
    return f"{reason}: more than chance makes of it"


def _burst_reason(stream: Stream, found: Arrivals, planned: float, came: float) -> str:
    """Of a burst many tuples come at once, and the next is long in coming: means differ."""
    return (
        f"{_manner_reason(stream, found)}, and its mean rate is uncertain: {figure(came)} tuples/s "
        f"came, where {figure(planned)} were planned"
    )


def _manner_reason(stream: Stream, found: Arrivals) -> str:
    return f"{stream.name} comes {_manner(found)}, where {_manner(stream.arrivals)} is assumed"


def _manner(arrivals: Arrivals) -> str:
    if arrivals.kind == "pareto":
        burst = arrivals.burst
        return f"in bursts of about {f'{burst:.2g}' if burst < 3 else figure(round(burst))}"
    return "evenly" if arrivals.kind == "regular" else "at random"


def _size(stream: Stream) -> float:
    """The variance of a count over its mean, as declared; bursts have no bound."""
    kinds = {"regular": 0.0, "poisson": 1.0, "pareto": math.inf}
    return kinds[stream.arrivals.kind]


def _with_arrivals(workload: Workload, name: str, found: Arrivals) -> Workload:
    streams = (replace(s, arrivals=found) if s.name == name else s for s in workload.streams)
    return replace(workload, streams=tuple(streams))


def _with_rates(workload: Workload, rates: Mapping[str, float]) -> Workload:
    streams = (
        replace(s, rate=max(rates[s.name], _NEARLY_NONE)) if s.name in rates else s
        for s in workload.streams
    )
    return replace(workload, streams=tuple(streams))
