"""A trace of rates as CSV: a column `time` in seconds and one column of tuples/s per stream.

A last row with a time and no rates says when the trace ends; without one, the last interval is as
long as the one before it.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

from planner.errors import PlanError, within
from planner.files.data_files import check_text
from planner.report.plans_text import safe_cell
from planner.whatif.rates import MOST_INTERVALS, RateTrace
from planner.workload.validation import exact, listed

MAX_BYTES = 5_000_000
TIME = "time"


def read_trace(content: bytes, name: str) -> RateTrace:
    """The trace that a file of this name holds."""
    if len(content) > MAX_BYTES:
        raise PlanError(f"has {len(content):,} bytes; a trace has at most {MAX_BYTES:,}", name)
    if content.startswith(b"PAR1"):
        raise PlanError("is a Parquet file; write the trace as CSV", name)
    check_text(content, name)
    with within(name, ": "):
        return _trace(content.decode("utf-8-sig"))


def _trace(text: str) -> RateTrace:
    try:
        lines = [line for line in csv.reader(io.StringIO(text, newline=""), strict=True) if line]
    except csv.Error as error:
        raise PlanError(f"is not CSV: {error}; save it as CSV with commas") from None
    header = [_name(cell) for cell in lines[0]]
    if TIME not in header:
        raise PlanError(f"has no column {TIME!r} with seconds; the columns are {listed(header)}")
    for column in header:
        if header.count(column) > 1:
            raise PlanError(f"has two columns named {column!r}; rename one")
    if len(lines) > MOST_INTERVALS + 2:
        raise PlanError(f"has {len(lines) - 1:,} rows; a trace has at most {MOST_INTERVALS:,}")
    rows = list(_rows(header, lines[1:]))
    if not rows:
        raise PlanError("has no row; give a time and the rates from that time on")
    return _ended(tuple(name for name in header if name != TIME), rows)


def _name(cell: str) -> str:
    """The name in a header's cell; `safe_cell` may have put a quote before it."""
    text = cell.strip()
    bare = text.removeprefix("'")
    return bare if text == safe_cell(bare) else text


def _rows(header: list[str], lines: list[list[str]]) -> Iterator[tuple[float, list[float]]]:
    """The time and the rates of each row; no rates in the last one where it only ends the trace."""
    for row, line in enumerate(lines, 1):
        if len(line) != len(header):
            raise PlanError(
                f"has {len(line)} cells, but the header has {len(header)}; make them equal",
                f"row {row}",
            )
        cells = dict(zip(header, (cell.strip() for cell in line), strict=True))
        time = _number(cells.pop(TIME), f"row {row}, column {TIME}")
        closes = row == len(lines) and row > 1 and not any(cells.values())
        yield (
            time,
            [] if closes else [_number(c, f"row {row}, column {n}") for n, c in cells.items()],
        )


def _number(text: str, place: str) -> float:
    if not text:
        raise PlanError("is empty; write a number, 0 where nothing arrives", place)
    try:
        return float(text)
    except ValueError:
        raise PlanError(f"must be a number, got {text[:40]!r}", place) from None


def _ended(streams: tuple[str, ...], rows: list[tuple[float, list[float]]]) -> RateTrace:
    times = [time for time, _ in rows]
    rates = [tuple(rates) for _, rates in rows]
    if streams and not rates[-1]:
        return RateTrace(streams, tuple(times[:-1]), tuple(rates[:-1]), times[-1])
    if len(times) < 2:
        raise PlanError(
            "has one row and no end; add a last row with a time and empty rates", "row 1"
        )
    return RateTrace(streams, tuple(times), tuple(rates), 2 * times[-1] - times[-2])


def write_trace(trace: RateTrace) -> str:
    """The trace as CSV that `read_trace` reads, with the row that ends it."""
    if TIME in trace.streams:
        raise PlanError(f"one is named {TIME!r}; that is the time column, rename it", "streams")
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([TIME, *map(safe_cell, trace.streams)])
    for time, rates in zip(trace.times, trace.rates, strict=True):
        writer.writerow([exact(time), *map(exact, rates)])
    writer.writerow([exact(trace.end), *([""] * len(trace.streams))])
    return out.getvalue()
