"""Which workloads the join-order model covers; the first thing it does not cover, said plainly."""

from __future__ import annotations

import math

from planner.checks import MAX_STREAMS, listed
from planner.query import Query, TimeWindow
from planner.streams import Attribute
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
        or _clauses(workload, query)
        or _windows(workload, query)
        or _predicates(query)
        or _statistics(workload, query)
        or _sizes(workload, query)
    )


def key_columns(query: Query) -> dict[str, str]:
    """By alias, the attribute by which each source of a covered query joins."""
    (columns,) = query.equality_classes()
    return {column.alias: column.attribute for column in columns}


def distinct_values(attribute: Attribute) -> int | None:
    """How many values an attribute takes, where that is known."""
    return len(attribute.values) or attribute.distinct


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


def _clauses(workload: Workload, query: Query) -> str | None:
    if query.aggregates or query.group_by:
        return f"{query.name} aggregates; join orders are planned for SELECT * alone"
    if query.filters:
        return f"{query.name} filters {query.filters[0].column}; filters are not covered yet"
    execution = workload.execution
    if execution.evaluate != "eager" or execution.expire != "eager":
        return "lazy evaluation and expiration are not covered yet; set both to eager"
    return None


def _windows(workload: Workload, query: Query) -> str | None:
    relations = {relation.name for relation in workload.relations}
    for source in query.sources:
        if source.name in relations or source.window is None:
            return f"{source.alias} is a relation; joins with relations are not covered yet"
        if not isinstance(source.window, TimeWindow):
            return f"{source.alias} has the window [{source.window}]; only [RANGE ...] is covered"
    return None


def _predicates(query: Query) -> str | None:
    for predicate in query.predicates:
        if predicate.comparison != "=" or predicate.offset:
            return f"{predicate} is not an equality; theta-joins are not covered yet"
    classes = query.equality_classes()
    if not classes:
        return f"{query.name} has no join predicate; link its sources with `=`"
    covered = {column.alias for column in classes[0]}
    missing = [source.alias for source in query.sources if source.alias not in covered]
    if len(classes) > 1:
        return f"{query.name} joins on {len(classes)} attributes; one common attribute is covered"
    if missing:
        return f"{listed(missing)} is linked to no other source; link every source with `=`"
    if len(classes[0]) != len(covered):
        return f"{query.name} joins two attributes of one source; one of each source is covered"
    return None


def _statistics(workload: Workload, query: Query) -> str | None:
    keys = key_columns(query)
    for source in query.sources:
        stream, key = workload.stream(source.name), keys[source.alias]
        attribute = stream.attributes.get(key)
        if stream.rate is None:
            return f"stream {stream.name} has no rate; declare it, or infer it with --data"
        if attribute is None:
            known = listed(stream.attributes)
            return f"stream {stream.name} has no attribute {key!r}; it has {known}"
        if distinct_values(attribute) is None:
            return f"{stream.name}.{key} has no distinct count; declare it, or infer it with --data"
    return None


def _sizes(workload: Workload, query: Query) -> str | None:
    digits = 0.0
    for source in query.sources:
        rate = workload.stream(source.name).rate
        if rate is not None and isinstance(source.window, TimeWindow):
            digits += max(0.0, math.log10(rate) + math.log10(source.window.seconds))
    if digits > MOST_DIGITS:
        return (
            f"the windows' product is near 1e{digits:.0f} tuples, too large to price; shrink them"
        )
    return None
