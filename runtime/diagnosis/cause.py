"""A possible cause of an error: a statistic as a run's tuples have it, put into the workload."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from planner.plan.cost import q_error
from planner.statistics.inference import SourceType
from planner.statistics.selectivity import Condition, declared, filter_selectivity, keys
from planner.workload.changes import queries_of_run
from planner.workload.execution import DeclaredStatistic
from planner.workload.query import Column, Filter, Query
from planner.workload.streams import Attribute
from planner.workload.workload import Workload

# A statistic that differs by less is no cause.
ALIKE = 1.02


@dataclass(frozen=True, slots=True)
class Cause:
    """A statistic that differs from what is assumed, by so much (a q-error), in words.

    `ways` have it as it was measured. Families read it in different places, so there may be
    several; the one that comes nearest to what was counted is believed. What a way does is the mean
    over its workloads.
    """

    subject: str
    reason: str
    differs: float
    ways: tuple[tuple[Workload, ...], ...]


def difference(assumed: float, counted: float) -> float:
    """The q-error of a statistic; infinite where only one of the two is 0."""
    error = q_error(assumed, counted)
    return math.inf if error is None else error


def percent(share: float) -> str:
    """A share of a whole."""
    return f"{100 * share:.3g}%"


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
