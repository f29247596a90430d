"""Declared statistics: under which texts the one of a predicate or filter may stand.

A key is the normalised text with aliases or with the names of the streams, alone or after
`QUERY: `. The most particular key wins.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import combinations

from planner.checks import listed
from planner.errors import PlanError, within
from planner.execution import DeclaredStatistic, Statistics
from planner.query import Column, Filter, Predicate, Query
from planner.query_conditions import normalised
from planner.query_text import format_condition, parse_condition

Condition = Predicate | Filter


def keys(query: Query, condition: Condition) -> Iterator[str]:
    """The texts under which a statistic of this condition is looked up, first found first."""
    names = {source.alias: source.name for source in query.sources}
    texts = list(dict.fromkeys([_text(condition, {}), _text(condition, names)]))
    yield from (f"{query.name}: {text}" for text in texts)
    yield from texts


def _text(condition: Condition, names: dict[str, str]) -> str:
    def renamed(column: Column) -> Column:
        return replace(column, alias=names.get(column.alias, column.alias))

    if isinstance(condition, Filter):
        return format_condition(replace(condition, column=renamed(condition.column)))
    left, right = renamed(condition.left), renamed(condition.right)
    return format_condition(normalised(replace(condition, left=left, right=right)))


def declared(
    statistics: Statistics, query: Query, condition: Condition
) -> DeclaredStatistic | None:
    """What the workload declares of this condition."""
    kind = statistics.filters if isinstance(condition, Filter) else statistics.predicates
    # Mostly nothing is declared, and writing the keys takes longer than all the rest.
    found = (kind[key] for key in keys(query, condition) if key in kind) if kind else ()
    return next(iter(found), None)


def all_predicates(query: Query) -> tuple[Predicate, ...]:
    """The predicates of the query and those that its equalities imply."""
    found = dict.fromkeys(query.predicates)
    for members in query.equality_classes():
        for left, right in combinations(sorted(members), 2):
            if left.alias != right.alias:
                found.setdefault(Predicate(left, "=", right))
    return tuple(found)


def normalised_key(key: str, queries: Iterable[Query], wanted: type[Condition]) -> str:
    """The key as `keys` would write it; a PlanError where no query has that condition."""
    queries = list(queries)
    prefix = next((f"{q.name}: " for q in queries if key.startswith(f"{q.name}:")), "")
    with within(f'"{key}"'):
        condition = parse_condition(key[len(prefix.rstrip()) :].strip())
        known = [condition for query in queries for condition in _conditions(query, wanted)]
        if not isinstance(condition, wanted):
            other = "filters" if wanted is Predicate else "predicates"
            raise PlanError(f"stands in the wrong place; write it under statistics.{other}")
        normal = prefix + _text(condition, {})
        if not any(normal in keys(q, c) for q in queries for c in _conditions(q, wanted)):
            texts = listed(dict.fromkeys(format_condition(c) for c in known))
            raise PlanError(f"no query has this condition; there are {texts}")
    return normal


def _conditions(query: Query, wanted: type[Condition]) -> tuple[Condition, ...]:
    return query.filters if wanted is Filter else all_predicates(query)
