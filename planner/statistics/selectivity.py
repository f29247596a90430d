"""Selectivities of predicates and filters, declared or derived, and where each number is from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Literal

from planner.errors import PlanError, within
from planner.files.query.conditions import normalised
from planner.files.query.text import format_condition, parse_condition
from planner.statistics.distributions import (
    PLAIN_DISTINCT,
    Distribution,
    declared_distribution,
    restricted,
    share_of_all,
    share_of_pairs,
    share_of_values,
)
from planner.workload.execution import DeclaredStatistic, Statistics
from planner.workload.query import Column, Filter, Predicate, Query
from planner.workload.streams import Attribute, Relation, RelationChanges, Stream
from planner.workload.validation import listed
from planner.workload.workload import Workload

Condition = Predicate | Filter


def keys(query: Query, condition: Condition) -> Iterator[str]:
    """The texts under which a statistic of this condition is looked up, first found first."""
    texts = list(dict.fromkeys([_text(condition, {}), by_streams(query, condition)]))
    yield from (f"{query.name}: {text}" for text in texts)
    yield from texts


def by_streams(query: Query, condition: Condition) -> str:
    """The text of a condition with the names of streams: the same in all queries."""
    return _text(condition, {source.alias: source.name for source in query.sources})


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


def declared_share(workload: Workload, query: Query, condition: Condition) -> float | None:
    """The share that the workload declares to satisfy this condition."""
    given = declared(workload.statistics, query, condition)
    return None if given is None else given.selectivity


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


Origin = Literal["declared", "inferred from data", "default", "derived from distinct values"]


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where a number of the workload comes from. `value` is None where it is not known."""

    place: str
    value: float | str | None
    origin: Origin
    detail: str = ""


def predicate_selectivity(workload: Workload, query: Query, predicate: Predicate) -> float:
    """The share of pairs that satisfy the predicate: declared, or of values that pass filters."""
    if (given := declared_share(workload, query, predicate)) is not None:
        return given
    left = attribute_of(workload, query, predicate.left)
    right = attribute_of(workload, query, predicate.right)
    if _plainly_uniform(left) and _plainly_uniform(right) and predicate.is_equality:
        # Values are 1..distinct: the smaller set lies in the larger, whatever their size.
        present = (1 - left.missing) * (1 - right.missing)
        return present / max(left.distinct or PLAIN_DISTINCT, right.distinct or PLAIN_DISTINCT)
    return share_of_pairs(
        _passing(workload, query, predicate.left),
        predicate.comparison,
        _passing(workload, query, predicate.right),
        predicate.offset,
    )


def _passing(workload: Workload, query: Query, column: Column) -> Distribution:
    """The values of a column that the query's filters on it let through."""
    values = declared_distribution(attribute_of(workload, query, column))
    filters = [f for f in query.filters if f.column == column]
    return restricted(values, filters) if filters else values


def filter_selectivity(workload: Workload, query: Query, condition: Filter) -> float:
    """The share of tuples that pass the filter: declared, else from the distribution."""
    if (given := declared_share(workload, query, condition)) is not None:
        return given
    values = declared_distribution(attribute_of(workload, query, condition.column))
    return share_of_values(values, condition)


def filters_selectivity(workload: Workload, query: Query, conditions: Sequence[Filter]) -> float:
    """The share of tuples that pass all these filters of one source.

    Those on one column are taken together; columns, and declared shares, as independent.
    """
    share = 1.0
    by_column: dict[Column, list[Filter]] = {}
    for condition in conditions:
        if (given := declared_share(workload, query, condition)) is not None:
            share *= given
        else:
            by_column.setdefault(condition.column, []).append(condition)
    for column, together in by_column.items():
        values = declared_distribution(attribute_of(workload, query, column))
        share *= share_of_all(values, together)
    return share


def attribute_of(workload: Workload, query: Query, column: Column) -> Attribute:
    """What is known of a column of the query; a plain attribute where nothing is."""
    name = query.source(column.alias).name
    sources: list[Stream | Relation] = [*workload.streams, *workload.relations]
    known = next((source.attributes for source in sources if source.name == name), {})
    return known.get(column.attribute, Attribute())


def _plainly_uniform(attribute: Attribute) -> bool:
    return not attribute.zipf and not attribute.values and attribute.type == "integer"


def provenance(
    workload: Workload, inferred: Mapping[str, str] | None = None
) -> tuple[Provenance, ...]:
    """Where every statistic of the workload comes from; `inferred` maps places to how."""
    found = inferred or {}
    sources: list[Stream | Relation] = [*workload.streams, *workload.relations]
    rows = [row for source in sources for row in _of_source(source)]
    rows += [row for query in workload.queries for row in _of_query(workload, query)]
    return tuple(
        replace(row, origin="inferred from data", detail=found[row.place])
        if row.place in found
        else row
        for row in rows
    )


def _of_source(source: Stream | Relation) -> Iterator[Provenance]:
    if isinstance(source, Stream):
        place = f"streams.{source.name}"
        yield _known(f"{place}.rate", source.rate, "tuples per second")
        burst = f", bursts of {source.arrivals.burst:g}" if source.arrivals.kind == "pareto" else ""
        usual = source.arrivals == Stream(source.name, None).arrivals
        yield Provenance(
            f"{place}.arrivals",
            source.arrivals.kind,
            "default" if usual else "declared",
            f"{source.arrivals.kind}{burst}",
        )
    else:
        place = f"relations.{source.name}"
        yield _known(f"{place}.rows", source.rows, "rows")
        if source.changes != RelationChanges():
            yield _known(f"{place}.changes.inserts", source.changes.inserts, "rows per second")
            yield _known(f"{place}.changes.deletes", source.changes.deletes, "rows per second")
    for name, attribute in source.attributes.items():
        yield _known(f"{place}.attributes.{name}.distinct", attribute.distinct, "distinct values")
        if attribute.zipf:
            yield _known(f"{place}.attributes.{name}.zipf", attribute.zipf, "Zipf exponent")
        if attribute.missing:
            yield _known(f"{place}.attributes.{name}.missing", attribute.missing, "share missing")


def _known(place: str, value: float | None, what: str) -> Provenance:
    if value is None:
        return Provenance(place, None, "default", f"{what} not known; declare them or give data")
    return Provenance(place, value, "declared", what)


def _of_query(workload: Workload, query: Query) -> Iterator[Provenance]:
    conditions: list[Condition] = [*all_predicates(query), *query.filters]
    for condition in conditions:
        if isinstance(condition, Filter):
            columns: tuple[Column, ...] = (condition.column,)
            value = filter_selectivity(workload, query, condition)
        else:
            columns = (condition.left, condition.right)
            value = predicate_selectivity(workload, query, condition)
        place = selectivity_place(query, condition)
        if declared_share(workload, query, condition) is not None:
            what = "share of pairs" if len(columns) > 1 else ""
            yield Provenance(place, value, "declared", what)
            continue
        counts = {column: attribute_of(workload, query, column).distinct for column in columns}
        shown = ", ".join(f"{c}: {n or f'{PLAIN_DISTINCT} (not known)'}" for c, n in counts.items())
        origin: Origin = "derived from distinct values" if all(counts.values()) else "default"
        yield Provenance(place, value, origin, f"distinct values {shown}")


def selectivity_place(query: Query, condition: Condition) -> str:
    """Where the selectivity of this condition stands, or would stand."""
    kind = "filters" if isinstance(condition, Filter) else "predicates"
    return f'statistics.{kind}."{next(keys(query, condition))}".selectivity'
