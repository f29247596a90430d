"""Paths to the numbers of a workload that a sweep may vary, such as `streams.S1.rate`."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from planner.errors import PlanError
from planner.files.query.text import format_query
from planner.statistics.selectivity import all_predicates, keys
from planner.workload.execution import DeclaredStatistic, Every
from planner.workload.query import (
    CountWindow,
    Filter,
    LandmarkWindow,
    Predicate,
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
    """A place in a workload: `change(value)` is the workload with the value there.

    `value` is what is there now: of several places, of the first; None where nothing is declared.
    `most` is the largest value that makes sense.
    """

    text: str
    integer: bool
    change: Change
    value: float | None = None
    most: float = math.inf


def path_in(workload: Workload, text: str) -> Path:
    """The path that the text names in this workload; a PlanError that lists those there are."""
    segments = _segments(text)
    for reader in (_stream_path, _relation_path, _window_path, _setting_path, _statistic_path):
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
    for relation in workload.relations:
        yield f"relations.{_quoted(relation.name)}.rows"
    yield from ("queries.count", "execution.evaluate.every", "execution.expire.every")
    yield from (f"execution.{field}" for field in (*_COUNTED, *_MEASURED))
    for query in workload.queries:
        conditions: list[Filter | Predicate] = [*query.filters, *query.predicates]
        for condition in dict.fromkeys(conditions):
            kind = "filters" if isinstance(condition, Filter) else "predicates"
            yield f'statistics.{kind}."{next(keys(query, condition))}".selectivity'


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

            return _over_streams(workload, text, streams, rated, lambda s: s.rate)
        case ["streams", name, "arrivals", "burst"]:
            streams = [s for s in workload.streams if name in ("*", s.name)]

            def bursting(stream: Stream, value: float) -> Stream:
                return replace(stream, arrivals=Arrivals("pareto", value))

            return _over_streams(workload, text, streams, bursting, lambda s: s.arrivals.burst)
        case ["streams", name, "attributes", attribute, "distinct"]:
            streams = [
                s for s in workload.streams if name in ("*", s.name) and attribute in s.attributes
            ]

            def spread(stream: Stream, value: float) -> Stream:
                known: Attribute = stream.attributes[attribute]
                changed = replace(known, distinct=round(value), values=())
                return replace(stream, attributes={**stream.attributes, attribute: changed})

            def distinct(stream: Stream) -> float | None:
                return stream.attributes[attribute].distinct

            found = _over_streams(workload, text, streams, spread, distinct)
            return None if found is None else replace(found, integer=True)
    return None


def _over_streams(
    workload: Workload,
    text: str,
    streams: list[Stream],
    changed: Callable[[Stream, float], Stream],
    now: Callable[[Stream], float | None],
) -> Path | None:
    if not streams:
        return None
    names = {stream.name for stream in streams}

    def change(value: float) -> Workload:
        every = (changed(s, value) if s.name in names else s for s in workload.streams)
        return replace(workload, streams=tuple(every))

    return Path(text, False, change, now(streams[0]))


def _relation_path(workload: Workload, text: str, segments: list[str]) -> Path | None:
    known = {relation.name: relation for relation in workload.relations}
    match segments:
        case ["relations", name, "rows"] if name in known:

            def sized(value: float) -> Workload:
                relations = (
                    replace(r, rows=round(value)) if r.name == name else r
                    for r in workload.relations
                )
                return replace(workload, relations=tuple(relations))

            return Path(text, True, sized, known[name].rows)
    return None


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

    first = windows[0]
    length = first.rows if isinstance(first, CountWindow) else first.seconds
    return Path(text, all(isinstance(window, CountWindow) for window in windows), change, length)


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


# Settings of the execution: whole numbers, and others.
_COUNTED = ("buckets", "memory")
_MEASURED = ("c_sys", "utilisation")


def _setting_path(workload: Workload, text: str, segments: list[str]) -> Path | None:
    match segments:
        case ["queries", "count"]:
            most = len(workload.queries)

            def first(value: float) -> Workload:
                if not 1 <= round(value) <= most:
                    raise PlanError(f"must be from 1 to {most}, got {round(value)}", text)
                return replace(workload, queries=workload.queries[: round(value)])

            return Path(text, True, first, most, most)
        case ["execution", "evaluate" | "expire" as field, "every"]:
            now = getattr(workload.execution, field)
            seconds = now.seconds if isinstance(now, Every) else None
            return Path(text, False, lambda v: _executed(workload, field, Every(v)), seconds)
        case ["execution", field] if field in _COUNTED:

            def counted(value: float) -> Workload:
                return _executed(workload, field, whole(round(value), text))

            now = getattr(workload.execution, field)
            return Path(text, True, counted, now if isinstance(now, int) else None)
        case ["execution", field] if field in _MEASURED:
            now = getattr(workload.execution, field)
            return Path(text, False, lambda v: _executed(workload, field, v), now)
    return None


def _executed(workload: Workload, field: str, value: float | Every) -> Workload:
    changed: dict[str, Any] = {field: value}
    return replace(workload, execution=replace(workload.execution, **changed))


def _statistic_path(workload: Workload, text: str, segments: list[str]) -> Path | None:
    match segments:
        case ["statistics", "filters" | "predicates" as kind, name, "selectivity"]:
            known = _condition(workload, kind, name)
            if known is None:
                return None
            statistics = workload.statistics
            given: Mapping[str, DeclaredStatistic] = getattr(statistics, kind)
            before = given.get(name, DeclaredStatistic())

            def declared(value: float) -> Workload:
                changed: dict[str, Any] = {
                    kind: {**given, name: replace(before, selectivity=value)}
                }
                return replace(workload, statistics=replace(statistics, **changed))

            return Path(text, False, declared, before.selectivity, 1.0)
    return None


def _condition(workload: Workload, kind: str, name: str) -> Filter | Predicate | None:
    """The condition of some query that a statistic of this name is about."""
    for query in workload.queries:
        conditions = query.filters if kind == "filters" else all_predicates(query)
        for condition in conditions:
            if name in keys(query, condition):
                return condition
    return None
