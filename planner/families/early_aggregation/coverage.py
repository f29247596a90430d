"""Which workloads early aggregation covers; the first thing it does not cover, said plainly."""

from __future__ import annotations

from collections.abc import Iterator

from planner.execution import Execution
from planner.joins.coverage import (
    predicates_refusal,
    relation_of,
    several_refusal,
    sizes_refusal,
    statistics_refusal,
    types_refusal,
    values_refusal,
)
from planner.query import Column, Query
from planner.selectivity import attribute_of
from planner.workload import Workload

# Every source may be joined as a window or as a set: 3^m composites are priced.
MOST_SOURCES = 12


def refusal(workload: Workload) -> str | None:
    """One sentence that names what is not covered, or None when the workload is covered."""
    if (several := several_refusal(workload)) is not None:
        return several
    query = workload.queries[0]
    # In this order: each check may rely on what those before it have seen.
    return (
        _clauses(query)
        or _sources(workload, query)
        or _timing(workload.execution)
        or predicates_refusal(query)
        or statistics_refusal(workload, query)
        or types_refusal(workload, query)
        or values_refusal(workload, query, cell_columns(query))
        or _summed(workload, query)
        or sizes_refusal(workload, query)
    )


def no_sets(workload: Workload) -> str | None:
    """Why no source may carry an early aggregation; None where any may."""
    query = workload.queries[0]
    distinct = [a for a in query.aggregates if a.distinct]
    if distinct:
        name = distinct[0].default_name()
        return (
            f"{name} needs every value: the number of different ones in a group does not follow "
            "from those of its parts"
        )
    for source in query.sources:
        relation = relation_of(workload, source)
        if relation is not None and (relation.changes.inserts or relation.changes.deletes):
            return (
                f"{source.alias} changes: an aggregation set does not know which of its rows were "
                "there when the tuples they join arrived"
            )
    return None


def _clauses(query: Query) -> str | None:
    if not query.aggregates and not query.group_by:
        return f"{query.name} aggregates nothing; join orders plan SELECT *"
    return None


def _sources(workload: Workload, query: Query) -> str | None:
    count = len(query.sources)
    if count > MOST_SOURCES:
        return f"{query.name} joins {count} sources; at most {MOST_SOURCES} are planned"
    relations = [relation_of(workload, source) for source in query.sources]
    if all(relations):
        return f"{query.name} reads relations alone; without a stream nothing arrives"
    for source, relation in zip(query.sources, relations, strict=True):
        if relation is None and source.window is None:
            return f"{source.alias} is a stream without a window; only a relation has none"
    return None


def _timing(execution: Execution) -> str | None:
    if execution.evaluate != "eager":
        return "each arrival updates the groups at once; set execution.evaluate: eager"
    if execution.expire != "eager":
        return "a tuple leaves the groups when it leaves its window; set execution.expire: eager"
    return None


def _summed(workload: Workload, query: Query) -> str | None:
    """The first text that is to be added up."""
    for aggregate in query.aggregates:
        if aggregate.column is None or aggregate.function not in ("sum", "avg"):
            continue
        attribute = attribute_of(workload, query, aggregate.column)
        # A column without a value, of which a file cannot tell the type, has no sum either way.
        if attribute.type == "string" and attribute.missing < 1:
            return f"{aggregate.column} holds text; SUM and AVG need numbers"
    return None


def cell_columns(query: Query) -> Iterator[Column]:
    """Attributes that are joined or grouped by, each once: those that make up sets' cells."""
    joined = (column for p in query.predicates for column in (p.left, p.right))
    yield from dict.fromkeys([*joined, *query.group_by])
