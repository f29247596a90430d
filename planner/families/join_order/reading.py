"""A covered workload read into what the model is made of: timing, windows and the join graph."""

from __future__ import annotations

import math
from collections.abc import Sequence

from planner.declared import all_predicates, declared
from planner.execution import Every, Execution
from planner.families.join_order.coverage import relation_of
from planner.families.join_order.graph import JoinGraph, Key, KeyClass, Link, Twins
from planner.families.join_order.windows import FilterStep, JoinWindow, Timing
from planner.query import Column, Comparison, CountWindow, Predicate, Query, Source, TimeWindow
from planner.selectivity import attribute_of, filter_selectivity, predicate_selectivity
from planner.streams import Attribute
from planner.workload import Workload

_MIRRORED: dict[Comparison, Comparison] = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}


def timing_of(execution: Execution) -> Timing:
    """When results are computed and tuples removed: with lazy evaluation, then at the earliest."""
    evaluate = execution.evaluate.seconds if isinstance(execution.evaluate, Every) else None
    expire = execution.expire.seconds if isinstance(execution.expire, Every) else evaluate
    return Timing(evaluate, expire)


def graph_of(workload: Workload, query: Query) -> JoinGraph:
    """The classes of equal attributes, the other predicates, declared costs."""
    places = {source.alias: place for place, source in enumerate(query.sources)}
    classes = tuple(
        _key_class(workload, query, sorted(columns, key=lambda c: places[c.alias]), places)
        for columns in query.equality_classes()
    )
    worths = []
    for predicate in all_predicates(query):
        given = declared(workload.statistics, query, predicate)
        if given is not None and given.cost != 1:
            left, right = places[predicate.left.alias], places[predicate.right.alias]
            worths.append((left, right, given.cost))
    return JoinGraph(classes, tuple(_links(workload, query, places)), None, tuple(worths))


def _key_class(
    workload: Workload, query: Query, columns: Sequence[Column], places: dict[str, int]
) -> KeyClass:
    keys = []
    for column in columns:
        attribute = attribute_of(workload, query, column)
        first, last = _passing(query, column, attribute)
        place, count = places[column.alias], last - first + 1
        keys.append(Key(place, column.attribute, count, attribute.zipf, first))
    stated = None
    if len(columns) == 2:
        # In a larger class shares of pairs do not say how often three attributes are equal.
        given = declared(workload.statistics, query, Predicate(columns[0], "=", columns[1]))
        stated = given.selectivity if given is not None else None
    return KeyClass(tuple(keys), stated)


def _passing(query: Query, column: Column, attribute: Attribute) -> tuple[int, int]:
    """The ranks of a key that its source's filters let through: generated values are 1..distinct.

    Values that are listed, and texts, keep all their ranks: comparisons do not follow those.
    """
    assert attribute.distinct is not None, "`refusal` has seen that it is known"
    first, last = 1, attribute.distinct
    for condition in query.filters:
        constant = condition.constant
        if condition.column != column or isinstance(constant, str):
            continue
        if condition.comparison in ("<", "<=", "="):
            whole = math.ceil(constant) - 1 if condition.comparison == "<" else math.floor(constant)
            last = min(last, whole)
        if condition.comparison in (">", ">=", "="):
            whole = math.floor(constant) + 1 if condition.comparison == ">" else math.ceil(constant)
            first = max(first, whole)
    ranked = attribute.type == "integer" and not attribute.values
    return (first, last) if ranked and first <= last else (1, attribute.distinct)


def _links(workload: Workload, query: Query, places: dict[str, int]) -> list[Link]:
    """One link for each two columns: the two sides of a band are one condition."""
    by_columns: dict[tuple[Column, Column], list[Predicate]] = {}
    for predicate in query.predicates:
        if predicate.comparison == "=" and not predicate.offset:
            continue
        first, second = sorted((predicate.left, predicate.right))
        by_columns.setdefault((first, second), []).append(predicate)
    found = []
    for (first, second), predicates in by_columns.items():
        shares = [predicate_selectivity(workload, query, p) for p in predicates]
        product = 1.0
        for one in shares:
            product *= one
        # Every pair satisfies a side of a band, so the shares of both sides overlap by their sum
        # less 1; taking them as independent would make a narrow band far too wide.
        share = max(0.0, sum(shares) - 1) if _is_band(first, predicates) else product
        found.append(Link(places[first.alias], places[second.alias], share))
    return found


def _is_band(first: Column, predicates: Sequence[Predicate]) -> bool:
    """Whether these are `lower <= first - second <= upper` with lower at most upper."""
    lower, upper = [], []
    for predicate in predicates:
        comparison, offset = predicate.comparison, predicate.offset
        if predicate.left != first:
            comparison, offset = _MIRRORED.get(comparison, comparison), -offset
        if comparison in ("<", "<="):
            upper.append(offset)
        elif comparison in (">", ">="):
            lower.append(offset)
    return len(predicates) == 2 and len(lower) == len(upper) == 1 and lower[0] <= upper[0]


def window_of(
    workload: Workload, query: Query, source: Source, graph: JoinGraph, timing: Timing
) -> JoinWindow:
    """One source: its rate after filters, its sizes, and how it is probed."""
    place = query.sources.index(source)
    key = next((key for c in graph.classes if (key := c.key(place)) is not None), None)
    hashed = key is not None and workload.execution.method(source) == "hash"
    relation = relation_of(workload, source)
    steps, passing = _filters(workload, query, source)
    arrivals = _arrivals(workload, source)
    rate = 0.0 if relation is not None else arrivals * passing
    tuples, per_second, text = rate, 0.0, str(source.window)
    kept = None
    if relation is not None:
        tuples, kept, text = (relation.rows or 0) * passing, float(relation.rows or 0), ""
    elif isinstance(source.window, TimeWindow):
        tuples, per_second = rate * source.window.seconds, 1 / source.window.seconds
    elif isinstance(source.window, CountWindow):
        tuples, per_second = float(source.window.rows), rate / source.window.rows
    return JoinWindow(
        alias=source.alias,
        name=source.name,
        rate=rate,
        tuples=tuples,
        examined=tuples + rate * timing.examined_extra,
        kept=tuples + rate * timing.kept_extra if kept is None else kept,
        per_second=per_second,
        access="hash" if hashed else "scan",
        buckets=workload.execution.bucket_count(source) if hashed else 1,
        distinct=key.distinct if key is not None else 0,
        window=text or None,
        counted=isinstance(source.window, CountWindow),
        arrivals=arrivals,
        filters=steps,
        inserts=relation.changes.inserts if relation is not None else 0.0,
        deletes=relation.changes.deletes if relation is not None else 0.0,
    )


def _arrivals(workload: Workload, source: Source) -> float:
    """Tuples per second before filters; of a relation, the rows it gains."""
    relation = relation_of(workload, source)
    if relation is not None:
        return relation.changes.inserts
    rate = workload.stream(source.name).rate
    assert rate is not None, "`refusal` has seen that it is known"
    return rate


def _filters(
    workload: Workload, query: Query, source: Source
) -> tuple[tuple[FilterStep, ...], float]:
    """The filters of a source in turn, and the share of its tuples that pass them all."""
    steps, passing = [], 1.0
    arrivals = _arrivals(workload, source)
    for condition in dict.fromkeys(query.filters):
        if condition.column.alias == source.alias:
            reached = arrivals * passing
            passing *= filter_selectivity(workload, query, condition)
            steps.append(FilterStep(str(condition), reached, arrivals * passing))
    return tuple(steps), passing


def twins_of(windows: Sequence[JoinWindow], graph: JoinGraph) -> Twins | None:
    """The two aliases of one stream that are equal on one attribute, and on nothing else."""
    for earlier, first in enumerate(windows):
        same = [p for p, window in enumerate(windows) if window.name == first.name]
        if len(same) != 2 or same[0] != earlier or first.is_relation:
            continue
        later = same[1]
        keys = [[key for c in graph.classes if (key := c.key(p)) is not None] for p in same]
        shared = graph.linking([earlier], later)
        plain = len(keys[0]) == len(keys[1]) == 1 and shared is not None
        linked = any({link.left, link.right} & set(same) for link in graph.links)
        filtered = any(windows[p].filters for p in same)
        if not plain or linked or filtered or keys[0][0].attribute != keys[1][0].attribute:
            continue
        longer, shorter = sorted(same, key=lambda p: -windows[p].tuples)
        return Twins(
            earlier, later, longer, shorter, windows[shorter].tuples / windows[longer].tuples
        )
    return None
