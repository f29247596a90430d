"""Streams that came otherwise than planned: faster or slower, by chance, in bursts, unevenly."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from planner.files.tuple_table import Table
from planner.numbers import amount
from planner.plan.cost import q_error
from planner.plan.plan import Operator
from planner.workload.streams import Stream
from runtime.diagnosis.arrival_overlap import uneven
from runtime.diagnosis.diagnosis import MET
from runtime.diagnosis.lineage import arrivals
from runtime.runs.records import Run

# Counts of independent arrivals are seldom further from their mean than so many deviations.
DEVIATIONS = 3.0
LONGER = "run longer to see less of it"


def of_rate(run: Run, operator: Operator, expected: float, counted: float) -> str:
    """A stream that came faster or slower than planned: by chance, or because of its data."""
    name = str(operator.param("stream"))
    said = f"{name} brought {amount(counted)} tuples/s where {amount(expected)} were planned with"
    if run.request.data is not None:
        asked = next(s for s in run.request.workload.streams if s.name == name)
        if asked.rate is None:
            return f"{said}, the mean over all its data: its rate changes over time"
        return f"{said}, as is declared: leave the rate out, and it is taken from the data"
    stream = stream_of(run, operator)
    return f"{said}: {_by_chance(stream, expected, counted, run.workload.run.duration)}"


def of_arrivals(run: Run, operator: Operator, more: bool) -> str:
    """The stream ahead of the operator that came furthest from its rate, towards more or less than
    planned; empty where all came as planned."""
    costs = run.measurement.costs if run.measurement else {}
    worst, found = MET, ""
    for arrive in arrivals(operator):
        expected = run.estimate.costs[arrive.id].rows_out
        counted = costs[arrive.id].rows_out if arrive.id in costs else expected
        error = q_error(expected, counted) or math.inf
        if error > worst and (counted > expected) == more:
            worst, found = error, of_rate(run, arrive, expected, counted)
    return found


def of_bursts(run: Run, operator: Operator) -> str:
    """That a stream ahead of the operator is generated in bursts; empty where none is."""
    if run.request.data is not None:
        return ""
    for arrive in arrivals(operator):
        stream = stream_of(run, arrive)
        if stream.arrivals.kind == "pareto":
            return f"{stream.name} {_in_bursts(stream)}"
    return ""


def of_unevenness(
    run: Run,
    tables: Mapping[str, Table],
    streams: Sequence[str],
    every: float,
    times: float,
    what: str,
) -> str:
    """Streams whose rates change, so that another number meets or is held than by their mean."""
    told = uneven(run, tables, streams, every)
    return f"{told}, so that {times:.2g} times as many {what} as if all came evenly" if told else ""


def stream_of(run: Run, arrive: Operator) -> Stream:
    """The stream that comes in here."""
    name = str(arrive.param("stream"))
    return next(stream for stream in run.workload.streams if stream.name == name)


def chance(expected: float) -> str:
    """How far from its mean a count of independent arrivals usually is."""
    usual = amount(round(math.sqrt(expected)))
    return f"of {amount(expected)} arrivals, {usual} more or less are chance; {LONGER}"


def is_chance(expected: float, counted: float) -> bool:
    """Whether a count of independent arrivals may be so far from its mean by chance."""
    return abs(counted - expected) <= DEVIATIONS * math.sqrt(expected)


def _in_bursts(stream: Stream) -> str:
    return f"arrives in bursts of {amount(stream.arrivals.burst)} on the mean; {LONGER}"


def _by_chance(stream: Stream, expected: float, counted: float, seconds: float) -> str:
    if stream.arrivals.kind == "pareto":
        return f"it {_in_bursts(stream)}"
    if is_chance(expected * seconds, counted * seconds):
        return chance(expected * seconds)
    return "more than chance makes of it"
