"""Rates that change: a trace of what arrives over time, declared or counted from tuples."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from planner.errors import PlanError
from planner.files.tuple_table import Table
from planner.numbers import in_words
from planner.workload.validation import MAX_RATE, MAX_SECONDS, exact, number, suggestion, unique
from planner.workload.workload import Workload

MOST_INTERVALS = 1_000
# A stream's rate is above 0; where a trace says 0, next to nothing arrives.
QUIET_RATE = 1e-12


@dataclass(frozen=True, slots=True)
class RateTrace:
    """Piecewise constant rates: those of row i hold from `times[i]` until the next time, or `end`.

    A row has a rate for each of `streams`, in tuples per second; 0 where nothing arrives.
    """

    streams: tuple[str, ...]
    times: tuple[float, ...]
    rates: tuple[tuple[float, ...], ...]
    end: float

    def __post_init__(self) -> None:
        unique(self.streams, "columns")
        if not self.streams:
            raise PlanError("names no stream; give each stream a column of rates", "columns")
        if not self.times:
            raise PlanError("has no row; give a time and the rates from then on", "rows")
        if len(self.times) > MOST_INTERVALS:
            raise PlanError(
                f"has {len(self.times):,} intervals; at most {MOST_INTERVALS:,}: take longer ones"
            )
        for row, rates in enumerate(self.rates, 1):
            _time(self.times[row - 1], row)
            for stream, rate in zip(self.streams, rates, strict=True):
                _rate(rate, f"row {row}, column {stream}")
        for row, (before, after) in enumerate(pairwise((*self.times, self.end)), 2):
            _time(after, row)
            if after <= before:
                raise PlanError(
                    f"must be after {exact(before)} of the row before, got {exact(after)}",
                    f"row {row}, column time",
                )

    @property
    def spans(self) -> tuple[tuple[float, float], ...]:
        """When each interval begins and ends."""
        return tuple(pairwise((*self.times, self.end)))

    @property
    def seconds(self) -> tuple[float, ...]:
        """How long each interval lasts."""
        return tuple(end - begin for begin, end in self.spans)

    def of_streams(self, streams: Sequence[str]) -> tuple[tuple[float, ...], ...]:
        """The rates of these streams, interval by interval."""
        columns = [self.streams.index(stream) for stream in streams]
        return tuple(tuple(rates[column] for column in columns) for rates in self.rates)

    def narrowed(self, streams: Sequence[str]) -> RateTrace:
        """The trace of these streams alone: others keep the workload's rates."""
        return RateTrace(tuple(streams), self.times, self.of_streams(streams), self.end)

    def of(self, workload: Workload) -> RateTrace:
        """The trace of the streams that the queries read, in the workload's order.

        Streams without a column keep the workload's rate; a column of no stream is an error.
        """
        names = [stream.name for stream in workload.streams]
        for name in self.streams:
            if name not in names:
                raise PlanError(f"no stream {name!r}{suggestion(name, names)}", "columns")
        used = {source.name for query in workload.queries for source in query.sources}
        kept = [s for s in workload.streams if s.name in used]
        for stream in kept:
            if stream.rate is None and stream.name not in self.streams:
                raise PlanError(
                    f"has no column for {stream.name}, and the workload has no rate for it; "
                    "add the column, or declare the rate",
                    "columns",
                )
        columns = dict(zip(self.streams, zip(*self.rates, strict=True), strict=True))
        usual = {s.name: (s.rate or 0.0,) * len(self.times) for s in kept}
        rates = [columns.get(s.name, usual[s.name]) for s in kept]
        return RateTrace(
            tuple(s.name for s in kept), self.times, tuple(zip(*rates, strict=True)), self.end
        )

    def at(self, place: int, workload: Workload) -> Workload:
        """The workload with the rates of one interval."""
        rates = dict(zip(self.streams, self.rates[place], strict=True))
        streams = (
            replace(s, rate=max(rates[s.name], QUIET_RATE)) if s.name in rates else s
            for s in workload.streams
        )
        return replace(workload, streams=tuple(streams))


def _time(value: float, row: int) -> None:
    if not math.isfinite(value) or abs(value) > MAX_SECONDS:
        raise PlanError(
            f"must be a number of seconds, at most {in_words(MAX_SECONDS)}, got {exact(value)}",
            f"row {row}, column time",
        )


def _rate(value: float, place: str) -> None:
    if not math.isfinite(value) or not 0 <= value <= MAX_RATE:
        raise PlanError(
            f"must be a rate from 0 to {in_words(MAX_RATE)} tuples per second, got {exact(value)}",
            place,
        )


def counted_rates(
    workload: Workload,
    tables: Mapping[str, Table],
    every: float | None = None,
    span: tuple[int, int] | None = None,
) -> RateTrace:
    """The arrivals of each stream per interval of `every` seconds, over the time all cover.

    None takes the longest window, or more where that would make too many intervals. What does not
    fill an interval at the end belongs to the last one. `span` says, in microseconds, what the
    tables cover where that is more than from the first tuple to the last. Times count from there.
    """
    streams = {s.name: tables[s.name].ts for s in workload.streams if s.name in tables}
    times = [ts for ts in streams.values() if len(ts)]
    if not times:
        raise PlanError("no stream has a tuple; there is no rate to count", "data")
    begin, end = span or (min(int(ts[0]) for ts in times), max(int(ts[-1]) for ts in times))
    seconds = (end - begin) / 1e6
    if seconds <= 0:
        raise PlanError("all tuples have the same ts; there is no rate to count", "data")
    if every is None:
        every = max(workload.longest_window, seconds / MOST_INTERVALS)
    count = max(1, math.floor(seconds / number(every, "--every", most=MAX_SECONDS) + 1e-9))
    if count > MOST_INTERVALS:
        raise PlanError(
            f"{exact(every)} s make {count:,} intervals; at most {MOST_INTERVALS:,}: "
            f"take {exact(math.ceil(seconds / MOST_INTERVALS))} s or more",
            "--every",
        )
    starts = [place * every for place in range(count)]
    edges = np.array([*(begin + round(start * 1e6) for start in starts), end + 1])
    lengths = np.diff([*starts, seconds])
    rates = [np.diff(np.searchsorted(ts, edges)) / lengths for ts in streams.values()]
    rows = zip(*(column.tolist() for column in rates), strict=True)
    return RateTrace(tuple(streams), tuple(starts), tuple(rows), seconds)


HOURS = 24
HOUR = 3600.0
SWING = 5.0
# Longer than the windows, so that these are settled for most of each interval.
_WINDOWS_EACH = 5


def slowest(workload: Workload, among: Sequence[str] = ()) -> str:
    """The stream of the queries with the lowest rate: of all, or of these."""
    rates = _rates(workload)
    return min((name for name in rates if not among or name in among), key=rates.__getitem__)


def burst(workload: Workload, stream: str, factor: float = 10.0) -> RateTrace:
    """All streams at their rates, but one of them so many times faster for a while."""
    rates = _rates(workload)
    each = _WINDOWS_EACH * workload.longest_window
    usual = tuple(rates.values())
    faster = tuple(_digits(r * factor) if s == stream else r for s, r in rates.items())
    times = tuple(_digits(each * place) for place in range(4))
    return RateTrace(tuple(rates), times[:3], (usual, faster, usual), times[3])


def day_and_night(workload: Workload) -> RateTrace:
    """Every stream swings over a day, one after the other, each at its rate on average.

    An hour each, or as long as the longest window where that is longer.
    """
    rates = _rates(workload)
    each = max(HOUR, workload.longest_window)
    rows = []
    for hour in range(HOURS):
        phases = (hour / HOURS - place / len(rates) for place in range(len(rates)))
        swings = (SWING ** math.sin(2 * math.pi * phase) for phase in phases)
        pairs = zip(rates.values(), swings, strict=True)
        rows.append(tuple(_digits(rate * swing) for rate, swing in pairs))
    times = tuple(_digits(each * hour) for hour in range(HOURS + 1))
    return RateTrace(tuple(rates), times[:-1], tuple(rows), times[-1])


def _rates(workload: Workload) -> dict[str, float]:
    used = {source.name for query in workload.queries for source in query.sources}
    found = {s.name: s.rate for s in workload.streams if s.name in used}
    for name, rate in found.items():
        if rate is None:
            raise PlanError("is not known; declare it, or infer it with --data", f"rate of {name}")
    return {name: min(rate or 0.0, MAX_RATE / SWING) for name, rate in found.items()}


def _digits(value: float) -> float:
    """Few digits: these numbers are made up, and are read and edited in a table."""
    return float(f"{value:.4g}")
