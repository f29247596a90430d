"""The workload file: YAML to Workload, every mistake with its place, and back to YAML."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, replace
from pathlib import Path, PurePath
from typing import Literal

from planner.errors import PlanError, within
from planner.files import workload_schema as schema
from planner.files.arrivals_file import arrivals_of
from planner.files.query.text import Catalogue, parse_query
from planner.files.safe_yaml import read_yaml
from planner.files.workload_writer import dump_workload
from planner.statistics.selectivity import normalised_key
from planner.workload.adapt import Adapt
from planner.workload.execution import (
    Change,
    DeclaredStatistic,
    Every,
    Execution,
    RunSettings,
    Shedding,
    Statistics,
)
from planner.workload.query import Filter, Predicate, Query
from planner.workload.streams import (
    Attribute,
    ImportanceOf,
    Relation,
    RelationChanges,
    Stream,
    catalogue,
)
from planner.workload.validation import name_of, suggestion, unique
from planner.workload.workload import Workload

__all__ = ["dump_workload", "load_workload"]


def load_workload(text: str | bytes, origin: str = "", folder: Path | None = None) -> Workload:
    """The workload of this text. `origin`, a file's name, stands in front of every place.

    Traces of rates that it names are files in its `folder`.
    """
    with within(origin, ": "):
        part = schema.WorkloadPart.read(read_yaml(text))
        return _workload(part, PurePath(origin).stem or "workload", folder)


def _workload(part: schema.WorkloadPart, default_name: str, folder: Path | None) -> Workload:
    streams = tuple(_stream(given, f"streams[{i}]", folder) for i, given in enumerate(part.streams))
    relations = tuple(_relation(given, f"relations[{i}]") for i, given in enumerate(part.relations))
    # Checked before the queries are read: they would complain of a stream that is there under
    # another name.
    unique([s.name for s in streams] + [r.name for r in relations], "streams and relations")
    known = catalogue([*streams, *relations])
    names = [relation.name for relation in relations]
    queries = tuple(
        _query(query, f"Q{i + 1}", f"queries[{i}]", names, known)
        for i, query in enumerate(part.queries)
    )
    aliases = [source.alias for query in queries for source in query.sources]
    return Workload(
        name=default_name if part.name is None else part.name,
        streams=streams,
        queries=queries,
        relations=relations,
        execution=_execution(part.execution, dict.fromkeys([*aliases, *known])),
        statistics=Statistics(
            _statistics(part.statistics.predicates, queries, "predicates"),
            _statistics(part.statistics.filters, queries, "filters"),
        ),
        run=_run(part.run, queries, names, known),
        description=part.description,
    )


def _stream(part: schema.StreamPart, place: str, folder: Path | None) -> Stream:
    attributes = _attributes(part.attributes, place)
    importance = part.importance
    if isinstance(importance, schema.ImportancePart):
        with within(f"{place}.importance"):
            if "importance" in attributes:
                raise PlanError("is also an attribute; name that attribute here instead")
            spec = ImportanceOf(importance.from_, importance.order, importance.max_)
            attributes["importance"] = Attribute(importance_of=spec)
        importance = "importance"
    with within(place):
        for name, attribute in attributes.items():
            _check_importance(name, attribute, attributes)
        arrivals = arrivals_of(part.arrivals, part.name, folder)
        given = {} if part.tuple_bytes is None else {"tuple_bytes": part.tuple_bytes}
        return Stream(part.name, part.rate, attributes, arrivals, importance=importance, **given)


def _check_importance(name: str, attribute: Attribute, attributes: Mapping[str, Attribute]) -> None:
    spec = attribute.importance_of
    if spec is not None and (spec.attribute == name or spec.attribute not in attributes):
        others = [other for other in attributes if other != name]
        raise PlanError(
            f"no other attribute {spec.attribute!r}{suggestion(spec.attribute, others)}",
            f"attributes.{name}.from",
        )


def _relation(part: schema.RelationPart, place: str) -> Relation:
    attributes = _attributes(part.attributes, place)
    with within(place):
        changes = RelationChanges(part.changes.inserts, part.changes.deletes)
        return Relation(part.name, part.rows, attributes, changes, part.distinct_rows)


def _attributes(parts: Mapping[str, schema.AttributePart], place: str) -> dict[str, Attribute]:
    found = {}
    for name, part in parts.items():
        name_of(name, f"{place}.attributes")
        with within(f"{place}.attributes.{name}"):
            found[name] = _attribute(part)
    return found


def _attribute(part: schema.AttributePart) -> Attribute:
    if part.values and part.distinct not in (None, len(part.values)):
        raise PlanError(f"there are {len(part.values)} values; leave distinct out", "distinct")
    zipf = 0.0 if isinstance(part.distribution, str) else part.distribution.zipf
    spec = None if part.from_ is None else ImportanceOf(part.from_, part.order, part.max_)
    kind = part.type or "integer"
    return Attribute(part.distinct, zipf, tuple(part.values), kind, spec, part.missing)


def _query(
    part: schema.QueryPart,
    default_name: str,
    place: str,
    relations: list[str],
    attributes: Catalogue,
) -> Query:
    with within(f"{place}.text"):
        name = default_name if part.name is None else part.name
        query = parse_query(part.text, name, relations, attributes)
    with within(place):
        return replace(query, weight=part.weight, deadline=part.deadline)


def _execution(part: schema.ExecutionPart, sources: Iterable[str]) -> Execution:
    for place, value in (
        ("join", part.join),
        ("buckets", part.buckets),
        ("shedding.split", part.shedding.split),
        ("shedding.access", part.shedding.access),
    ):
        for name in value if isinstance(value, dict) else ():
            if name not in sources:
                hint = suggestion(name, sources)
                raise PlanError(f"no stream or alias {name!r}{hint}", f"execution.{place}")
    with within("execution"):
        with within("shedding"):
            shedding = Shedding(**asdict(part.shedding))
        return Execution(
            join=part.join,
            buckets=part.buckets,
            evaluate=_eagerness(part.evaluate, "evaluate"),
            expire=_eagerness(part.expire, "expire"),
            memory=part.memory,
            shedding=shedding,
            unit_costs=part.unit_costs,
            c_sys=part.c_sys,
            ties=part.ties,
            utilisation=part.utilisation,
        )


def _eagerness(part: Literal["eager"] | schema.EveryPart, place: str) -> Literal["eager"] | Every:
    with within(place):
        return part if isinstance(part, str) else Every(part.every)


def _statistics(
    parts: Mapping[str, schema.StatisticPart], queries: Iterable[Query], kind: str
) -> dict[str, DeclaredStatistic]:
    found: dict[str, DeclaredStatistic] = {}
    with within(f"statistics.{kind}"):
        for key, part in parts.items():
            normal = normalised_key(key, queries, Predicate if kind == "predicates" else Filter)
            if normal in found:
                raise PlanError(f"{normal!r} occurs twice, written differently; keep one")
            with within(f'"{key}"'):
                found[normal] = DeclaredStatistic(part.selectivity, part.cost)
    return found


def _run(
    part: schema.RunPart, queries: tuple[Query, ...], relations: list[str], attributes: Catalogue
) -> RunSettings:
    known = [query.name for query in queries]
    changes = []
    for i, change in enumerate(part.changes):
        place = f"run.changes[{i}]"
        added = None
        if change.add is not None:
            default = f"Q{len(known) + 1}"
            added = _query(change.add, default, f"{place}.add", relations, attributes)
            known.append(added.name)
        if change.remove is not None and change.remove not in known:
            hint = suggestion(change.remove, known)
            raise PlanError(f"no query {change.remove!r}{hint}", f"{place}.remove")
        with within(place):
            changes.append(Change(change.at, added, change.remove, change.plan))
    return RunSettings(part.seed, part.warmup, part.duration, tuple(changes), _adapt(part.adapt))


def _adapt(part: schema.AdaptPart | None) -> Adapt | None:
    if part is None:
        return None
    with within("run.adapt"):
        return Adapt(part.policy, part.every, part.horizon, part.threshold, part.margin)
