"""Numbers of queries: windows, weights, deadlines, and how many queries there are."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from planner.errors import PlanError
from planner.files.query.text import format_query
from planner.whatif.numbers.path import Path, quoted
from planner.workload.query import (
    CountWindow,
    Query,
    Source,
    TimeWindow,
    TumblingWindow,
)
from planner.workload.workload import Workload

_USUAL_DEADLINE = 1.0
ALL_WINDOWS = "queries.*.windows.*"


def listed(workload: Workload) -> Iterator[str]:
    """The paths of this workload's queries."""
    windows = [
        f"queries.{quoted(query.name)}.windows.{quoted(source.alias)}"
        for query in workload.queries
        for source in query.sources
        if _length(source.window) is not None
    ]
    if windows:
        yield from (ALL_WINDOWS, *windows)
    if len(workload.queries) > 1:
        for query in workload.queries:
            yield f"queries.{quoted(query.name)}.weight"
        yield "queries.*.deadline"
    yield "queries.count"


def read_path(workload: Workload, text: str, segments: list[str]) -> Path | None:
    """The path of a query's number."""
    match segments:
        case ["queries", "count"]:
            return _count_path(workload, text)
        case ["queries", name, "windows", alias]:
            return _window_path(workload, text, name, alias)
        case ["queries", name, "weight"]:

            def weighed(query: Query, value: float) -> Query:
                return replace(query, weight=value)

            return _over_queries(workload, text, name, weighed, lambda q: q.weight)
        case ["queries", name, "deadline"]:

            def due(query: Query, value: float) -> Query:
                return replace(query, deadline=value)

            found = _over_queries(workload, text, name, due, lambda q: q.deadline)
            usual, absent = _USUAL_DEADLINE, "none"
            return None if found is None else replace(found, usual=usual, absent=absent)
    return None


def _count_path(workload: Workload, text: str) -> Path:
    most = len(workload.queries)

    def first(value: float) -> Workload:
        if not 1 <= round(value) <= most:
            raise PlanError(f"must be from 1 to {most}, got {round(value)}", text)
        return replace(workload, queries=workload.queries[: round(value)])

    return Path(text, True, first, most, most)


def _over_queries(
    workload: Workload,
    text: str,
    name: str,
    changed: Callable[[Query, float], Query],
    now: Callable[[Query], float | None],
) -> Path | None:
    found = [query for query in workload.queries if name in ("*", query.name)]
    if not found:
        return None

    def change(value: float) -> Workload:
        every = (changed(q, value) if name in ("*", q.name) else q for q in workload.queries)
        return replace(workload, queries=tuple(every))

    return Path(text, False, change, now(found[0]))


def _window_path(workload: Workload, text: str, name: str, alias: str) -> Path | None:
    windows = [
        source.window
        for query in workload.queries
        if name in ("*", query.name)
        for source in query.sources
        if alias in ("*", source.alias)
        and isinstance(source.window, TimeWindow | CountWindow | TumblingWindow)
    ]
    if not windows:
        return None

    def resized(query: Query, value: float) -> Query:
        return _resized(query, lambda source: value if alias in ("*", source.alias) else None)

    first = _length(windows[0])
    found = _over_queries(workload, text, name, resized, lambda _: first)
    is_counted = all(isinstance(window, CountWindow) for window in windows)
    return None if found is None else replace(found, integer=is_counted)


def windows_times(workload: Workload, name: str, alias: str, factor: float) -> Workload:
    """The workload with windows that are so many times as long."""

    def length(source: Source) -> float | None:
        now = _length(source.window)
        return now * factor if alias in ("*", source.alias) and now is not None else None

    queries = (_resized(q, length) if name in ("*", q.name) else q for q in workload.queries)
    return replace(workload, queries=tuple(queries))


def _length(window: object) -> float | None:
    match window:
        case TimeWindow() | TumblingWindow():
            return window.seconds
        case CountWindow():
            return window.rows
    return None


def _resized(query: Query, length: Callable[[Source], float | None]) -> Query:
    sources = tuple(_with_length(source, length(source)) for source in query.sources)
    resized = replace(query, sources=sources)
    # The text says the windows too: it is written anew, or a saved cell would open as another.
    return replace(resized, text=format_query(resized))


def _with_length(source: Source, value: float | None) -> Source:
    if value is None:
        return source
    match source.window:
        case TimeWindow() | TumblingWindow() as window:
            return replace(source, window=type(window)(value))
        case CountWindow():
            return replace(source, window=CountWindow(max(1, round(value))))
    return source
