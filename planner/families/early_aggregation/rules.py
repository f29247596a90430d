"""Rules 1 and 2 of the paper: what an early aggregation on each source groups by and computes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from planner.checks import listed
from planner.families.early_aggregation.coverage import cell_columns
from planner.query import Column, Query, Source

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


def rules_of(query: Query) -> tuple[EarlyRule, ...]:
    """The early aggregation of each source, in FROM order."""
    return tuple(_rule(query, source) for source in query.sources)


def query_functions(query: Query) -> tuple[str, ...]:
    """The aggregates of the query, by what they compute; rows are counted in any case."""
    names = dict.fromkeys(aggregate.default_name() for aggregate in query.aggregates)
    return tuple(names) or (ROWS,)


def _rule(query: Query, source: Source) -> EarlyRule:
    grouped = tuple(c for c in dict.fromkeys(query.group_by) if c.alias == source.alias)
    own = tuple(c for c in cell_columns(query) if c.alias == source.alias)
    joined = tuple(c for c in own if c in _join_columns(query))
    functions = tuple(_functions(query, source.alias))
    return EarlyRule(
        source.alias,
        joined,
        grouped,
        functions,
        _why_group(source.alias, joined, grouped),
        _why_functions(query, source.alias, functions),
    )


def _join_columns(query: Query) -> set[Column]:
    return {column for p in query.predicates for column in (p.left, p.right)}


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
            f"Rule 2: {alias} has no aggregated attribute, so its set counts rows, "
            "by which what it joins is multiplied"
        )
    if _has_all(query, alias):
        return f"Rule 2: {alias} has all that is aggregated, so its set computes {listed(own)}"
    return (
        f"Rule 2: {alias} has a part of what is aggregated, so its set computes {listed(own)}, "
        "and counts rows for the others"
    )
