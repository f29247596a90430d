"""A workload as the text of a workload file; what is left at its default is left out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from planner.errors import PlanError
from planner.files.arrivals_file import arrivals_part
from planner.files.query.text import format_query, parse_query
from planner.files.safe_yaml import write_yaml
from planner.workload.adapt import Adapt
from planner.workload.execution import (
    Change,
    DeclaredStatistic,
    Every,
    Execution,
    Shedding,
    Statistics,
)
from planner.workload.query import Query
from planner.workload.streams import Attribute, Relation, RelationChanges, Stream, catalogue
from planner.workload.workload import Workload

Part = dict[str, Any]


def dump_workload(workload: Workload) -> str:
    """YAML that loads to an equal workload with the same digest."""
    parts: Part = {
        "version": 1,
        "name": workload.name,
        "description": workload.description,
        "streams": [_stream(stream) for stream in workload.streams],
        "relations": [_relation(relation) for relation in workload.relations],
        "queries": [_query(query, workload) for query in workload.queries],
        "execution": execution_part(workload.execution),
        "statistics": _statistics(workload.statistics),
        "run": _run(workload),
    }
    return write_yaml(_given(parts))


def _given(part: Part) -> Part:
    """The part without the keys that hold nothing."""
    return {key: value for key, value in part.items() if value not in (None, "", [], {})}


def _number(value: float | None) -> int | float | None:
    """10.0 as 10, which is how people write it; both load as the same number."""
    return int(value) if value is not None and value == int(value) else value


def _stream(stream: Stream) -> Part:
    default = Stream(stream.name, None)
    part: Part = {"name": stream.name, "rate": _number(stream.rate)}
    if stream.arrivals != default.arrivals:
        part["arrivals"] = arrivals_part(stream.arrivals)
    part["attributes"] = _attributes(stream.attributes)
    if stream.tuple_bytes != default.tuple_bytes:
        part["tuple_bytes"] = stream.tuple_bytes
    part["importance"] = stream.importance
    return _given(part)


def _attributes(attributes: Mapping[str, Attribute]) -> Part:
    return {name: _attribute(attribute) for name, attribute in attributes.items()}


def _attribute(attribute: Attribute) -> Part:
    part: Part = {}
    if attribute.values:
        part["values"] = list(attribute.values)
    else:
        part["distinct"] = attribute.distinct
        part["type"] = attribute.type if attribute.type != "integer" else None
    if attribute.zipf:
        part["distribution"] = {"zipf": _number(attribute.zipf)}
    if attribute.missing:
        part["missing"] = _number(attribute.missing)
    if attribute.importance_of is not None:
        spec = attribute.importance_of
        part |= {"from": spec.attribute, "order": spec.order, "max": _number(spec.most)}
    return _given(part)


def _relation(relation: Relation) -> Part:
    part: Part = {"name": relation.name, "rows": relation.rows}
    part["attributes"] = _attributes(relation.attributes)
    if relation.changes != RelationChanges():
        changes = relation.changes
        part["changes"] = {
            "inserts": _number(changes.inserts),
            "deletes": _number(changes.deletes),
        }
    if relation.distinct_rows:
        part["distinct_rows"] = True
    return _given(part)


def _query(query: Query, workload: Workload) -> Part:
    text = query.text if _says(query.text, query, workload) else format_query(query)
    part: Part = {"name": query.name, "text": text}
    if query.weight != 1:
        part["weight"] = _number(query.weight)
    if query.deadline is not None:
        part["deadline"] = _number(query.deadline)
    return part


def _says(text: str, query: Query, workload: Workload) -> bool:
    """Whether the text still says this query: a window changed in a page leaves it behind."""
    relations = [relation.name for relation in workload.relations]
    attributes = catalogue([*workload.streams, *workload.relations])
    try:
        said = parse_query(text, query.name, relations, attributes)
        return replace(said, weight=query.weight, deadline=query.deadline) == query
    except PlanError:
        return False


def execution_part(execution: Execution) -> Part:
    """The part `execution` of a workload file."""
    default = Execution()
    part: Part = {}
    for key in ("join", "buckets", "memory", "ties"):
        value = getattr(execution, key)
        if value != getattr(default, key):
            part[key] = dict(value) if isinstance(value, Mapping) else value
    for key, lazy in (("evaluate", execution.evaluate), ("expire", execution.expire)):
        if isinstance(lazy, Every):
            part[key] = {"every": _number(lazy.seconds)}
    if execution.shedding != Shedding():
        part["shedding"] = _shedding(execution.shedding)
    if execution.unit_costs is not None:
        part["unit_costs"] = dict(execution.unit_costs)
    if execution.c_sys:
        part["c_sys"] = _number(execution.c_sys)
    if execution.utilisation is not None:
        part["utilisation"] = _number(execution.utilisation)
    return part


def _shedding(shedding: Shedding) -> Part:
    part = _given({"alpha": _number(shedding.alpha), "beta": _number(shedding.beta)})
    default = Shedding()
    for key in ("split", "prefilter", "access", "optimum", "buffer"):
        value = getattr(shedding, key)
        if value != getattr(default, key):
            part[key] = dict(value) if isinstance(value, Mapping) else value
    return part


def _statistics(statistics: Statistics) -> Part:
    return _given(
        {
            "predicates": {key: _statistic(s) for key, s in statistics.predicates.items()},
            "filters": {key: _statistic(s) for key, s in statistics.filters.items()},
        }
    )


def _statistic(statistic: DeclaredStatistic) -> Part:
    part: Part = {"selectivity": _number(statistic.selectivity)}
    if statistic.cost != DeclaredStatistic().cost:
        part["cost"] = _number(statistic.cost)
    return {key: value for key, value in part.items() if value is not None}


def _run(workload: Workload) -> Part:
    run = workload.run
    part: Part = {"seed": run.seed, "warmup": _number(run.warmup)}
    part["duration"] = _number(run.duration)
    part["changes"] = [_change(change, workload) for change in run.changes]
    if run.adapt is not None:
        part["adapt"] = _adapt(run.adapt)
    return {key: value for key, value in part.items() if value is not None and value != []}


def _adapt(adapt: Adapt) -> Part:
    numbers = {"every": adapt.every, "horizon": adapt.horizon}
    numbers |= {"threshold": adapt.threshold, "margin": adapt.margin}
    default = Adapt()
    return {"policy": adapt.policy} | {
        name: _number(value) for name, value in numbers.items() if value != getattr(default, name)
    }


def _change(change: Change, workload: Workload) -> Part:
    part: Part = {"at": _number(change.at)}
    if change.add is not None:
        part["add"] = _query(change.add, workload)
    return part | _given({"remove": change.remove, "plan": change.plan})
