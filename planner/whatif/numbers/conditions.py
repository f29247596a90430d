"""Numbers of conditions: the selectivity of filters and predicates, and what a test costs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from planner.errors import PlanError
from planner.files.query.text import format_query
from planner.statistics.selectivity import (
    all_predicates,
    filter_selectivity,
    keys,
    predicate_selectivity,
)
from planner.whatif.numbers.path import Path, quoted
from planner.workload.execution import DeclaredStatistic
from planner.workload.query import Filter, Predicate, Query
from planner.workload.workload import Workload


def listed(workload: Workload) -> Iterator[str]:
    """The paths of this workload's conditions."""
    seen: set[str] = set()
    for query in workload.queries:
        conditions: list[Filter | Predicate] = [*query.filters, *query.predicates]
        for condition in conditions:
            kind = "filters" if isinstance(condition, Filter) else "predicates"
            own = f'statistics.{kind}."{next(keys(query, condition))}"'
            if own not in seen:
                seen.add(own)
                yield f"{own}.selectivity"
                if kind == "predicates":
                    yield f"{own}.cost"
        for condition in query.filters:
            if _constant_of(workload, query, str(condition)) is not None:
                yield f'queries.{quoted(query.name)}.filters."{condition}".constant'


def read_path(workload: Workload, text: str, segments: list[str]) -> Path | None:
    """The path of a condition's number."""
    match segments:
        case [
            "statistics",
            "filters" | "predicates" as kind,
            name,
            "selectivity" | "cost" as part,
        ]:
            found = _condition(workload, kind, name)
            if found is None:
                return None
            statistics = workload.statistics
            given: Mapping[str, DeclaredStatistic] = getattr(statistics, kind)
            before = given.get(name, DeclaredStatistic())

            def declared(value: float) -> Workload:
                changed: dict[str, Any] = {part: value}
                named: dict[str, Any] = {kind: {**given, name: replace(before, **changed)}}
                return replace(workload, statistics=replace(statistics, **named))

            if part == "cost":
                return Path(text, False, declared, before.cost, usual=1.0, absent="1")
            now = before.selectivity
            now = _derived(workload, *found) if now is None else now
            return Path(text, False, declared, now, most=1.0)
        case ["queries", name, "filters", condition, "constant"]:
            query = next((known for known in workload.queries if known.name == name), None)
            return None if query is None else _constant_path(workload, text, query, condition)
    return None


def _constant_path(workload: Workload, text: str, query: Query, condition: str) -> Path | None:
    """What a filter compares with, such as the 50 of `A.v > 50`."""
    now = _constant_of(workload, query, condition)
    if now is None:
        return None

    def compared(value: float) -> Workload:
        constant = round(value) if isinstance(now, int) else value
        filters = tuple(
            replace(own, constant=constant) if str(own) == condition else own
            for own in query.filters
        )
        changed = replace(query, filters=filters)
        # The text says the constant too: a saved cell would open as another otherwise.
        changed = replace(changed, text=format_query(changed))
        queries = (changed if own.name == query.name else own for own in workload.queries)
        return replace(workload, queries=tuple(queries))

    return Path(text, isinstance(now, int), compared, float(now))


def _constant_of(workload: Workload, query: Query, condition: str) -> int | float | None:
    """The number in a filter; None where it has none, or its selectivity is declared: that would
    no longer be of the same filter."""
    found = next((own for own in query.filters if str(own) == condition), None)
    if found is None or '"' in condition or isinstance(found.constant, tuple | str):
        return None
    declared = workload.statistics.filters
    return None if any(key in declared for key in keys(query, found)) else found.constant


def _derived(workload: Workload, query: Query, condition: Filter | Predicate) -> float | None:
    """What the distributions say; None where they are not known."""
    try:
        if isinstance(condition, Filter):
            return filter_selectivity(workload, query, condition)
        return predicate_selectivity(workload, query, condition)
    except PlanError:
        return None


def _condition(workload: Workload, kind: str, name: str) -> tuple[Query, Filter | Predicate] | None:
    """The query and its condition that a statistic of this name is about."""
    for query in workload.queries:
        conditions = query.filters if kind == "filters" else all_predicates(query)
        for condition in conditions:
            if name in keys(query, condition):
                return query, condition
    return None
