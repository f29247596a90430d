"""Which workloads the join-order model covers; the first thing it does not cover, said plainly."""

from __future__ import annotations

import math

from planner.checks import MAX_STREAMS, exact, listed, microseconds
from planner.execution import Execution
from planner.query import CountWindow, Query, Source, TimeWindow
from planner.selectivity import attribute_of
from planner.streams import Relation
from planner.workload import Workload

# Sizes are products over windows: beyond this a double cannot hold every partial product.
MOST_DIGITS = 280

# A label joins aliases with these, so an alias that holds one could not be read back.
LABEL_MARKS = ",;:="


def refusal(workload: Workload) -> str | None:
    """One sentence that names what is not covered, or None when the workload is covered."""
    if len(workload.queries) > 1:
        names = listed(query.name for query in workload.queries)
        return f"it plans one query at a time; choose one with --query: {names}"
    query = workload.queries[0]
    # In this order: each check may rely on what those before it have seen.
    return (
        _sources(query)
        or _clauses(query)
        or _timing(workload.execution)
        or _windows(workload, query)
        or _predicates(query)
        or _statistics(workload, query)
        or _sizes(workload, query)
    )


def relation_of(workload: Workload, source: Source) -> Relation | None:
    """The relation that a source stands for; None for a stream."""
    return next((r for r in workload.relations if r.name == source.name), None)


def _sources(query: Query) -> str | None:
    count = len(query.sources)
    if count < 2:
        return f"{query.name} has one source; a join order needs two or more"
    if count > MAX_STREAMS:
        return f"{query.name} joins {count} sources; at most {MAX_STREAMS} are planned"
    for source in query.sources:
        marks = [mark for mark in LABEL_MARKS if mark in source.alias]
        if marks or source.alias != source.alias.strip():
            return f"the alias {source.alias!r} cannot stand in a label; give it a plain alias"
    return None


def _clauses(query: Query) -> str | None:
    if query.aggregates or query.group_by:
        return f"{query.name} aggregates; join orders are planned for SELECT * alone"
    return None


def _timing(execution: Execution) -> str | None:
    evaluate, expire = execution.evaluate, execution.expire
    if evaluate == "eager" or expire == "eager":
        return None
    if microseconds(expire.seconds) % microseconds(evaluate.seconds):
        return (
            f"expiration every {exact(expire.seconds)} s does not fall on evaluations every "
            f"{exact(evaluate.seconds)} s; make execution.expire a multiple of execution.evaluate"
        )
    return None


def _windows(workload: Workload, query: Query) -> str | None:
    relations = [relation_of(workload, source) for source in query.sources]
    if all(relations):
        return f"{query.name} joins relations alone; a join order needs a stream"
    for source, relation in zip(query.sources, relations, strict=True):
        if relation is not None:
            continue
        if source.window is None:
            return f"{source.alias} is a stream without a window; only a relation has none"
        if not isinstance(source.window, TimeWindow | CountWindow):
            covered = "[RANGE ...] and [ROWS ...] are covered"
            return f"{source.alias} has the window [{source.window}]; {covered}"
    return None


def _predicates(query: Query) -> str | None:
    if not query.predicates:
        return f"{query.name} has no join predicate; link its sources with `=`"
    for predicate in query.predicates:
        if predicate.left.alias == predicate.right.alias:
            return f"{predicate} compares two attributes of one source; join two sources"
    for columns in query.equality_classes():
        if len({column.alias for column in columns}) < len(columns):
            return f"{query.name} joins two attributes of one source; one of each is covered"
    apart = _apart(query)
    if apart:
        return f"{listed(apart)} is linked to no other source; link every source with a predicate"
    return None


def _apart(query: Query) -> list[str]:
    """The aliases that no chain of predicates links with the largest part of the join."""
    parts = [{source.alias} for source in query.sources]
    for predicate in query.predicates:
        left, right = (
            next(part for part in parts if column.alias in part)
            for column in (predicate.left, predicate.right)
        )
        if left is not right:
            left |= right
            parts.remove(right)
    whole = max(parts, key=len)
    return [source.alias for source in query.sources if source.alias not in whole]


def _statistics(workload: Workload, query: Query) -> str | None:
    for source in query.sources:
        relation = relation_of(workload, source)
        if relation is not None and relation.rows is None:
            return f"relation {relation.name} has no rows; declare them, or infer them with --data"
        if relation is None and workload.stream(source.name).rate is None:
            return f"stream {source.name} has no rate; declare it, or infer it with --data"
    for column in sorted(column for columns in query.equality_classes() for column in columns):
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


def _sizes(workload: Workload, query: Query) -> str | None:
    digits = 0.0
    every = (workload.execution.evaluate, workload.execution.expire)
    longer = max((e.seconds for e in every if not isinstance(e, str)), default=0.0)
    for source in query.sources:
        relation = relation_of(workload, source)
        rate = 0.0 if relation else workload.stream(source.name).rate or 0.0
        held = rate * longer
        if isinstance(source.window, TimeWindow):
            held += rate * source.window.seconds
        elif isinstance(source.window, CountWindow):
            held += source.window.rows
        elif relation is not None:
            held += relation.rows or 0
        digits += max(0.0, math.log10(held)) if held else 0.0
    if digits > MOST_DIGITS:
        return (
            f"the windows' product is near 1e{digits:.0f} tuples, too large to price; shrink them"
        )
    return None
