"""Numbers of streams and relations: rates, bursts, distinct values, rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from planner.whatif.numbers.path import Path, quoted
from planner.workload.streams import Arrivals, Attribute, Relation, Stream
from planner.workload.validation import MAX_DISTINCT
from planner.workload.workload import Workload

_MOST_ZIPF = 20.0
ALL_RATES = "streams.*.rate"


def listed(workload: Workload) -> Iterator[str]:
    """The paths of this workload's streams and relations."""
    yield from (ALL_RATES, "streams.*.arrivals.burst")
    for stream in workload.streams:
        own = f"streams.{quoted(stream.name)}"
        yield f"{own}.rate"
        if stream.arrivals.kind == "pareto":
            yield f"{own}.arrivals.burst"
        yield from _attributes(own, stream)
    for relation in workload.relations:
        own = f"relations.{quoted(relation.name)}"
        yield f"{own}.rows"
        yield from (f"{own}.changes.{part}" for part in ("inserts", "deletes"))
        yield from _attributes(own, relation)


def _attributes(own: str, source: Stream | Relation) -> Iterator[str]:
    for name, attribute in source.attributes.items():
        yield f"{own}.attributes.{quoted(name)}.distinct"
        if attribute.zipf:
            yield f"{own}.attributes.{quoted(name)}.zipf"


def read_path(workload: Workload, text: str, segments: list[str]) -> Path | None:
    """The path of a stream's or relation's number."""
    match segments:
        case ["streams", name, "rate"]:

            def rated(stream: Stream, value: float) -> Stream:
                return replace(stream, rate=value)

            return _over_streams(workload, text, name, rated, lambda s: s.rate)
        case ["streams", name, "arrivals", "burst"]:

            def bursting(stream: Stream, value: float) -> Stream:
                # A burst of one tuple is none: tuples come one by one, at random.
                known = Arrivals("pareto", value) if value > 1 else Arrivals("poisson")
                return replace(stream, arrivals=replace(known, shape=stream.arrivals.shape))

            return _over_streams(workload, text, name, bursting, lambda s: s.arrivals.burst)
        case ["relations", name, "rows"]:
            return _over_relations(
                workload, text, name, lambda r, v: replace(r, rows=round(v)), lambda r: r.rows
            )
        case ["relations", name, "changes", "inserts" | "deletes" as part]:
            return _changes_path(workload, text, name, part)
        case ["streams" | "relations" as kind, name, "attributes", attribute, part]:
            if part not in ("distinct", "zipf"):
                return None
            return _attribute_path(workload, text, kind, name, attribute, part)
    return None


def _changes_path(workload: Workload, text: str, name: str, part: str) -> Path | None:
    """How many rows a relation gains or loses per second."""

    def changed(relation: Relation, value: float) -> Relation:
        number: dict[str, Any] = {part: value}
        return replace(relation, changes=replace(relation.changes, **number))

    def now(relation: Relation) -> float | None:
        return getattr(relation.changes, part) or None

    found = _over_relations(workload, text, name, changed, now)
    return None if found is None else replace(found, integer=False, usual=1.0, absent="none")


def _attribute_path(
    workload: Workload, text: str, kind: str, name: str, attribute: str, part: str
) -> Path | None:
    def changed(known: Attribute, value: float) -> Attribute:
        if part == "zipf":
            return replace(known, zipf=value)
        return replace(known, distinct=round(value), values=())

    def spread_stream(source: Stream, value: float) -> Stream:
        own = changed(source.attributes[attribute], value)
        return replace(source, attributes={**source.attributes, attribute: own})

    def spread_relation(source: Relation, value: float) -> Relation:
        own = changed(source.attributes[attribute], value)
        return replace(source, attributes={**source.attributes, attribute: own})

    def now(source: Stream | Relation) -> float | None:
        found: float | None = getattr(source.attributes[attribute], part)
        return found

    if kind == "streams":
        found = _over_streams(workload, text, name, spread_stream, now, attribute)
    else:
        found = _over_relations(workload, text, name, spread_relation, now, attribute)
    if found is None:
        return None
    most = MAX_DISTINCT if part == "distinct" else _MOST_ZIPF
    return replace(found, integer=part == "distinct", most=most)


def _over_streams(
    workload: Workload,
    text: str,
    name: str,
    changed: Callable[[Stream, float], Stream],
    now: Callable[[Stream], float | None],
    attribute: str | None = None,
) -> Path | None:
    found = [
        s
        for s in workload.streams
        if name in ("*", s.name) and (attribute is None or attribute in s.attributes)
    ]
    if not found:
        return None
    names = {stream.name for stream in found}

    def change(value: float) -> Workload:
        every = (changed(s, value) if s.name in names else s for s in workload.streams)
        return replace(workload, streams=tuple(every))

    return Path(text, False, change, now(found[0]))


def _over_relations(
    workload: Workload,
    text: str,
    name: str,
    changed: Callable[[Relation, float], Relation],
    now: Callable[[Relation], float | None],
    attribute: str | None = None,
) -> Path | None:
    found = [
        r
        for r in workload.relations
        if name in ("*", r.name) and (attribute is None or attribute in r.attributes)
    ]
    if not found:
        return None
    names = {relation.name for relation in found}

    def change(value: float) -> Workload:
        every = (changed(r, value) if r.name in names else r for r in workload.relations)
        return replace(workload, relations=tuple(every))

    return Path(text, True, change, now(found[0]))
