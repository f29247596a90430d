"""What every join must have to be priced: links between its sources, statistics, sizes."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from itertools import pairwise

from planner.files.large_numbers import MOST_EXACT, too_large
from planner.statistics.selectivity import attribute_of
from planner.workload.query import (
    Column,
    CountWindow,
    LandmarkWindow,
    Query,
    Source,
    TimeWindow,
    TumblingWindow,
    linked_columns,
)
from planner.workload.streams import Relation
from planner.workload.validation import listed
from planner.workload.workload import Workload

# Sizes are products over windows: beyond this a double cannot hold every partial product.
MOST_DIGITS = 280


def relation_of(workload: Workload, source: Source) -> Relation | None:
    """The relation that a source stands for; None for a stream."""
    return next((r for r in workload.relations if r.name == source.name), None)


def several_refusal(workload: Workload) -> str | None:
    """Why a family that plans one query does not plan these; None for a single one."""
    if len(workload.queries) == 1:
        return None
    names = listed(query.name for query in workload.queries)
    return f"it plans one query at a time; choose one with --query: {names}"


def join_refusal(
    workload: Workload, query: Query, beside: Callable[[], str | None] = lambda: None
) -> str | None:
    """What a join lacks to be priced, whatever family plans it; `beside` checks more of values."""
    # In this order: each check may rely on what those before it have seen.
    return (
        _predicates(query)
        or _statistics(workload, query)
        or _types(workload, query)
        or beside()
        or _sizes(workload, query)
    )


def apart(query: Query, crossing: bool = True) -> list[str]:
    """The aliases that no chain of predicates, or of cross joins, links with most of the others."""
    pairs = [(p.left.alias, p.right.alias) for p in query.predicates]
    if crossing:
        pairs += [(b.alias, s.alias) for b, s in pairwise(query.sources) if s.crossed]
    parts = [{source.alias} for source in query.sources]
    for pair in pairs:
        left, right = (next(part for part in parts if alias in part) for alias in pair)
        if left is not right:
            left |= right
            parts.remove(right)
    whole = max(parts, key=len)
    return [source.alias for source in query.sources if source.alias not in whole]


def _predicates(query: Query) -> str | None:
    """The first predicate that no join here can evaluate, and sources that none links."""
    for predicate in query.predicates:
        if predicate.left.alias == predicate.right.alias:
            return f"{predicate} compares two attributes of one source; join two sources"
    for columns in query.equality_classes():
        if len({column.alias for column in columns}) < len(columns):
            return f"{query.name} joins two attributes of one source; one of each is covered"
    if alone := apart(query):
        return (
            f"no predicate links {listed(alone)} with the others; add one, or write CROSS JOIN "
            "before a source that is to meet every tuple"
        )
    return None


def _types(workload: Workload, query: Query) -> str | None:
    """Why a condition compares what cannot be compared: text with numbers, or text and a sum."""

    def is_text(column: Column) -> bool | None:
        attribute = attribute_of(workload, query, column)
        # A column without a value, of which a file cannot tell the type, agrees with any other.
        return None if attribute.missing == 1 else attribute.type == "string"

    for predicate in query.predicates:
        left, right = is_text(predicate.left), is_text(predicate.right)
        if left is not None and right is not None and left != right:
            return f"{predicate} compares text with numbers; make both attributes of one type"
        if left and predicate.offset:
            return f"{predicate} adds a number to text; leave the number out"
    for condition in query.filters:
        text = is_text(condition.column)
        if text is not None and text != condition.is_text:
            kind = "text" if text else "numbers"
            return f"{condition}: {condition.column} holds {kind}; compare it with what it holds"
    others = linked_columns(p for p in query.predicates if not p.is_equality)
    refusals = (_too_large(workload, query, c) for c in (*query.equality_classes(), *others))
    return next((refusal for refusal in refusals if refusal is not None), None)


def _too_large(workload: Workload, query: Query, compared: Iterable[Column]) -> str | None:
    """Why columns that are compared with each other cannot be: fractions with large numbers."""
    known = {column: attribute_of(workload, query, column) for column in sorted(compared)}
    fractions = next((c for c, a in known.items() if a.type == "float" and a.missing < 1), None)
    if fractions is None:
        return None
    for column, attribute in known.items():
        # Values that are not declared are counted from 1 and stay small.
        whole = [v for v in attribute.values if isinstance(v, int)]
        if attribute.type == "integer" and max(map(abs, whole), default=0) > MOST_EXACT:
            return too_large(column, max(whole, key=abs), fractions)
    return None


def _statistics(workload: Workload, query: Query) -> str | None:
    """The first rate or number of values that sizes need and that is not known."""
    for source in query.sources:
        relation = relation_of(workload, source)
        if relation is not None and relation.rows is None:
            return f"relation {relation.name} has no rows; declare them, or infer them with --data"
        if relation is None and workload.stream(source.name).rate is None:
            return f"stream {source.name} has no rate; declare it, or infer it with --data"
    joined = sorted(column for columns in query.equality_classes() for column in columns)
    return values_refusal(workload, query, joined)


def values_refusal(workload: Workload, query: Query, columns: Iterable[Column]) -> str | None:
    """The first of these columns that is not there, or of which the values are not known."""
    for column in columns:
        source = query.source(column.alias)
        known = relation_of(workload, source) or workload.stream(source.name)
        kind = "relation" if isinstance(known, Relation) else "stream"
        if column.attribute not in known.attributes:
            names = listed(known.attributes)
            return f"{kind} {known.name} has no attribute {column.attribute!r}; it has {names}"
        if attribute_of(workload, query, column).distinct is None:
            place = f"{known.name}.{column.attribute}"
            return f"{place} has no distinct count; declare it, or infer it with --data"
    return None


def sums_refusal(workload: Workload, query: Query) -> str | None:
    """The first text that a query wants to add up."""
    for aggregate in query.aggregates:
        if aggregate.column is None or aggregate.function not in ("sum", "avg"):
            continue
        attribute = attribute_of(workload, query, aggregate.column)
        # A column without a value, of which a file cannot tell the type, has no sum either way.
        if attribute.type == "string" and attribute.missing < 1:
            return f"{aggregate.column} holds text; SUM and AVG need numbers"
    return None


def _sizes(workload: Workload, query: Query) -> str | None:
    """Whether the windows are too large to price."""
    digits = 0.0
    every = (workload.execution.evaluate, workload.execution.expire)
    longer = max((e.seconds for e in every if not isinstance(e, str)), default=0.0)
    for source in query.sources:
        relation = relation_of(workload, source)
        rate = 0.0 if relation else workload.stream(source.name).rate or 0.0
        held = rate * longer
        if isinstance(source.window, TimeWindow | TumblingWindow):
            held += rate * source.window.seconds
        elif isinstance(source.window, CountWindow):
            held += source.window.rows
        elif isinstance(source.window, LandmarkWindow):
            held += rate * workload.middle
        elif relation is not None:
            held += relation.rows or 0
        digits += max(0.0, math.log10(held)) if held else 0.0
    if digits > MOST_DIGITS:
        return (
            f"the windows' product is near 1e{digits:.0f} tuples, too large to price; shrink them"
        )
    return None
