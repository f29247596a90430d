"""A workload with another statistic: what was measured put in the place of what was declared."""

from __future__ import annotations

from dataclasses import replace

from planner.statistics.inference import SourceType
from planner.statistics.selectivity import Condition, declared, filter_selectivity, keys
from planner.workload.changes import queries_of_run
from planner.workload.execution import DeclaredStatistic
from planner.workload.query import Column, Filter, Query
from planner.workload.streams import Attribute
from planner.workload.workload import Workload


def place_of(query: Query, column: Column) -> tuple[str, str]:
    """Whose attribute a column is, and which: the same in all queries."""
    return query.source(column.alias).name, column.attribute


def with_attribute(workload: Workload, place: tuple[str, str], known: Attribute) -> Workload:
    """The workload with other values of an attribute; what passes filters on it stays as it was."""
    for query in queries_of_run(workload):
        for condition in query.filters:
            if place_of(query, condition.column) == place:
                share = filter_selectivity(workload, query, condition)
                workload = with_selectivity(workload, query, condition, share)

    def known_as(source: SourceType) -> SourceType:
        if source.name != place[0]:
            return source
        return replace(source, attributes={**source.attributes, place[1]: known})

    return replace(
        workload,
        streams=tuple(known_as(stream) for stream in workload.streams),
        relations=tuple(known_as(relation) for relation in workload.relations),
    )


def with_selectivity(
    workload: Workload, query: Query, condition: Condition, share: float | None
) -> Workload:
    """The workload with this share declared for a condition; with None, it is derived."""
    statistics = workload.statistics
    kind = "filters" if isinstance(condition, Filter) else "predicates"
    known: dict[str, DeclaredStatistic] = dict(getattr(statistics, kind))
    given = declared(statistics, query, condition) or DeclaredStatistic()
    # The most particular key wins.
    known[next(keys(query, condition))] = replace(given, selectivity=share)
    return replace(workload, statistics=replace(statistics, **{kind: known}))
