"""Paths to the numbers of a workload that a sweep may vary, such as `streams.S1.rate`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from planner.errors import PlanError
from planner.files.query.text import format_query
from planner.workload.execution import DeclaredStatistic, Every
from planner.workload.query import (
    CountWindow,
    LandmarkWindow,
    Query,
    Source,
    TimeWindow,
    TumblingWindow,
)
from planner.workload.streams import Arrivals, Attribute, Stream
from planner.workload.validation import listed, whole
from planner.workload.workload import Workload

Change = Callable[[float], Workload]

_SEGMENT = re.compile(r'"([^"]*)"|([^."]+)')


@dataclass(frozen=True, slots=True)
class Path:
    """A place in a workload: `change(value)` is the workload with the value there."""

    text: str
    integer: bool
    change: Change


def path_in(workload: Workload, text: str) -> Path:
    """The path that the text names in this workload; a PlanError that lists those there are."""
    segments = _segments(text)
    for reader in (_stream_path, _window_path, _setting_path, _filter_path):
        found = reader(workload, text, segments)
        if found is not None:
            return found
    raise PlanError(f"no such path; this workload has {listed(paths(workload), 40)}", text)


def paths(workload: Workload) -> Iterator[str]:
    """The paths that can be varied in this workload."""
    yield "streams.*.rate"
    for stream in workload.streams:
        yield f"streams.{_quoted(stream.name)}.rate"
        if stream.arrivals.kind == "pareto":
            yield f"streams.{_quoted(stream.name)}.arrivals.burst"
        for name in stream.attributes:
            yield f"streams.{_quoted(stream.name)}.attributes.{_quoted(name)}.distinct"
    yield "queries.*.windows.*"
    for query in workload.queries:
        for source in query.sources:
            if source.window is not None and not isinstance(source.window, LandmarkWindow):
                yield f"queries.{_quoted(query.name)}.windows.{_quoted(source.alias)}"
    yield from ("queries.count", "execution.evaluate.every")
    yield from ("execution.buckets", "execution.memory", "execution.utilisation")
    for query in workload.queries:
        for condition in query.filters:
            yield f'statistics.filters."{query.name}: {condition}".selectivity'


def _segments(text: str) -> list[str]:
    """The names between dots; one that holds a dot itself is written in double quotes."""
    return [
        quoted if quoted is not None else plain
        for quoted, plain in (match.groups() for match in _SEGMENT.finditer(text))
    ]


def _quoted(name: str) -> str:
    return f'"{name}"' if "." in name else name


def _stream_path(workload: Workload, text: str, segments: list[str]) -> Path | None:
    match segments:
        case ["streams", name, "rate"]:
            streams = [s for s in workload.streams if name in ("*", s.name)]

            def rated(stream: Stream, value: float) -> Stream:
                return replace(stream, rate=value)

            return _over_streams(workload, text, streams, rated, integer=False)
        case ["streams", name, "arrivals", "burst"]:
            streams = [s for s in workload.streams if name in ("*", s.name)]

            def bursting(stream: Stream, value: float) -> Stream:
                return replace(stream, arrivals=Arrivals("pareto", value))

            return _over_streams(workload, text, streams, bursting, integer=False)
        case ["streams", name, "attributes", attribute, "distinct"]:
            streams = [
                s for s in workload.streams if name in ("*", s.name) and attribute in s.attributes
            ]

            def spread(stream: Stream, value: float) -> Stream:
                known: Attribute = stream.attributes[attribute]
                changed = replace(known, distinct=round(value), values=())
                return replace(stream, attributes={**stream.attributes, attribute: changed})

            return _over_streams(workload, text, streams, spread, integer=True)
    return None


def _over_streams(
    workload: Workload,
    text: str,
    streams: list[Stream],
    changed: Callable[[Stream, float], Stream],
    integer: bool,
) -> Path | None:
    if not streams:
        return None
    names = {stream.name for stream in streams}

    def change(value: float) -> Workload:
        every = (changed(s, value) if s.name in names else s for s in workload.streams)
        return replace(workload, streams=tuple(every))

    return Path(text, integer, change)


def _window_path(workload: Workload, text: str, segments: list[str]) -> Path | None:
    if len(segments) != 4 or segments[::2] != ["queries", "windows"]:
        return None
    _, name, _, alias = segments
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

    def change(value: float) -> Workload:
        queries = (
            _resized(query, alias, value) if name in ("*", query.name) else query
            for query in workload.queries
        )
        return replace(workload, queries=tuple(queries))

    return Path(text, all(isinstance(window, CountWindow) for window in windows), change)


def _resized(query: Query, alias: str, value: float) -> Query:
    sources = tuple(
        _with_length(source, value) if alias in ("*", source.alias) else source
        for source in query.sources
    )
    resized = replace(query, sources=sources)
    # The text says the windows too: it is written anew, or a saved cell would open as another.
    return replace(resized, text=format_query(resized))


def _with_length(source: Source, value: float) -> Source:
    match source.window:
        case TimeWindow() | TumblingWindow() as window:
            return replace(source, window=type(window)(value))
        case CountWindow():
            return replace(source, window=CountWindow(round(value)))
    return source


def _setting_path(workload: Workload, text: str, segments: list[str]) -> Path | None:
    execution = workload.execution
    match segments:
        case ["queries", "count"]:

            def first(value: float) -> Workload:
                if not 1 <= round(value) <= len(workload.queries):
                    most = len(workload.queries)
                    raise PlanError(f"must be from 1 to {most}, got {round(value)}", text)
                return replace(workload, queries=workload.queries[: round(value)])

            return Path(text, True, first)
        case ["execution", "evaluate", "every"]:
            return Path(
                text,
                False,
                lambda v: replace(workload, execution=replace(execution, evaluate=Every(v))),
            )
        case ["execution", "buckets" | "memory" as field]:

            def counted(value: float) -> Workload:
                changed: dict[str, Any] = {field: whole(round(value), text)}
                return replace(workload, execution=replace(execution, **changed))

            return Path(text, True, counted)
        case ["execution", "utilisation"]:
            return Path(
                text,
                False,
                lambda v: replace(workload, execution=replace(execution, utilisation=v)),
            )
    return None


def _filter_path(workload: Workload, text: str, segments: list[str]) -> Path | None:
    known = {f"{q.name}: {condition}" for q in workload.queries for condition in q.filters}
    match segments:
        case ["statistics", "filters", name, "selectivity"] if name in known:
            statistics = workload.statistics

            def declared(value: float) -> Workload:
                before = statistics.filters.get(name, DeclaredStatistic())
                filters = {**statistics.filters, name: replace(before, selectivity=value)}
                return replace(workload, statistics=replace(statistics, filters=filters))

            return Path(text, False, declared)
    return None
