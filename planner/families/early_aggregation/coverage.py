"""Which workloads early aggregation covers; the first thing it does not cover, said plainly."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from planner.joins.coverage import (
    join_refusal,
    relation_of,
    several_refusal,
    sums_refusal,
    values_refusal,
)
from planner.workload.execution import Execution
from planner.workload.query import Column, Query, Source
from planner.workload.validation import listed
from planner.workload.workload import Workload

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
        or join_refusal(workload, query, lambda: _values(workload, query))
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


def _values(workload: Workload, query: Query) -> str | None:
    """The first attribute whose values are not known, and the first text that is to be added up."""
    if unknown := values_refusal(workload, query, cell_columns(query)):
        return unknown
    if text := sums_refusal(workload, query):
        return text
    return None


def cell_columns(query: Query) -> Iterator[Column]:
    """Attributes that are joined or grouped by, each once: those that make up sets' cells."""
    joined = (column for p in query.predicates for column in (p.left, p.right))
    yield from dict.fromkeys([*joined, *query.group_by])


ROWS = "count(*)"


@dataclass(frozen=True, slots=True)
class EarlyRule:
    """What an early aggregation on one source groups by and computes, and why."""

    source: str
    joined: tuple[Column, ...]
    grouped: tuple[Column, ...]
    functions: tuple[str, ...]
    why_group: str
    why_functions: str

    @property
    def columns(self) -> tuple[Column, ...]:
        """The grouping attributes of the set: a cell has one value of each."""
        return tuple(dict.fromkeys([*self.joined, *self.grouped]))

    @property
    def group_text(self) -> str:
        """The grouping attributes as the operator names them."""
        return column_text(self.columns)

    @property
    def functions_text(self) -> str:
        """The functions as the operator names them."""
        return ", ".join(self.functions)


def column_text(columns: tuple[Column, ...]) -> str:
    """Attributes in a row: `S1.j, S1.g`."""
    return ", ".join(str(column) for column in columns)


def query_functions(query: Query) -> tuple[str, ...]:
    """The aggregates of the query, by what they compute; rows are counted in any case."""
    names = dict.fromkeys(aggregate.default_name() for aggregate in query.aggregates)
    return tuple(names) or (ROWS,)


def rule_of(query: Query, source: Source) -> EarlyRule:
    """The early aggregation of a source."""
    grouped = tuple(c for c in dict.fromkeys(query.group_by) if c.alias == source.alias)
    linked = (column for p in query.predicates for column in (p.left, p.right))
    joined = tuple(c for c in dict.fromkeys(linked) if c.alias == source.alias)
    functions = tuple(_functions(query, source.alias))
    return EarlyRule(
        source.alias,
        joined,
        grouped,
        functions,
        _why_group(source.alias, joined, grouped),
        _why_functions(query, source.alias, functions),
    )


def _functions(query: Query, alias: str) -> Iterator[str]:
    """The query's functions of this source's attributes, and COUNT(*) where others need it."""
    names = [a.default_name() for a in query.aggregates if a.column and a.column.alias == alias]
    yield from dict.fromkeys(names)
    if not names or not _has_all(query, alias):
        yield ROWS


def _has_all(query: Query, alias: str) -> bool:
    return all(a.column is not None and a.column.alias == alias for a in query.aggregates)


def _why_group(alias: str, joined: tuple[Column, ...], grouped: tuple[Column, ...]) -> str:
    by = f"the attributes that join it ({listed(map(str, joined))})" if joined else "nothing"
    if not grouped:
        return f"Rule 1: {alias} has no grouping attribute of the query, so its set is by {by}"
    names = listed(map(str, grouped))
    if set(grouped) <= set(joined):
        return f"Rule 1: {names} of GROUP BY also joins {alias}, so its set is by {by}"
    return f"Rule 1: {alias} has {names} of GROUP BY, so its set is by that and by {by}"


def _why_functions(query: Query, alias: str, functions: tuple[str, ...]) -> str:
    own = [name for name in functions if name != ROWS]
    if not own:
        return (
            f"Rule 2: {alias} has no aggregated attribute, so its set counts rows; "
            "the results it joins with are multiplied by that count"
        )
    if _has_all(query, alias):
        return f"Rule 2: {alias} has all that is aggregated, so its set computes {listed(own)}"
    return (
        f"Rule 2: {alias} has a part of what is aggregated, so its set computes {listed(own)}, "
        "and counts rows for the others"
    )
