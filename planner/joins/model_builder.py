"""A covered workload read into what the model is made of: timing, windows and the join graph."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Literal

import numpy as np

from planner.joins.coverage import apart, relation_of
from planner.joins.graph import JoinGraph, Key, KeyClass, Link, Twins
from planner.joins.windows import FilterStep, JoinWindow, Timing
from planner.statistics.selectivity import (
    all_predicates,
    attribute_of,
    declared,
    declared_share,
    filters_selectivity,
    predicate_selectivity,
)
from planner.time_limit import check
from planner.workload.execution import Every, Execution
from planner.workload.query import (
    Column,
    CountWindow,
    LandmarkWindow,
    Predicate,
    Query,
    Source,
    TimeWindow,
    TumblingWindow,
)
from planner.workload.streams import Arrivals, Attribute, RelationChanges
from planner.workload.workload import Workload

_BURSTS = 2_000


def chance_of_any(arrivals: Arrivals, rate: float, passing: float, seconds: float) -> float:
    """The chance that so many seconds bring a tuple that passes the filters.

    >>> round(chance_of_any(Arrivals(), 2, 0.5, 1), 4), chance_of_any(Arrivals("regular"), 2, 1, 1)
    (0.6321, 1.0)
    """
    if arrivals.kind == "regular":
        whole, rest = divmod(rate * seconds, 1)
        none = math.pow(1 - passing, whole) * (1 - rest * passing)
    elif arrivals.kind == "poisson":
        none = math.exp(-rate * passing * seconds)
    else:
        bursts = rate * seconds / arrivals.burst
        none = math.exp(-bursts * _burst_passes(arrivals.burst, passing))
    return 1 - none


def _burst_passes(burst: float, passing: float) -> float:
    """The chance that some tuple of a burst passes, over the sizes that bursts have."""
    if passing >= 1:
        return 1.0
    shape = burst / (burst - 1)
    evenly = (np.arange(_BURSTS) + 0.5) / _BURSTS
    sizes = evenly ** (-1 / shape)
    return float(1 - np.mean((1 - passing) ** sizes))


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
    links = [*_links(workload, query, places), *_crossings(query)]
    return JoinGraph(classes, tuple(links), None, tuple(worths))


def _crossings(query: Query) -> Iterator[Link]:
    """Sources that are cross joined meet all others, where predicates alone would not link them."""
    if not apart(query, crossing=False):
        return
    crossed = [place for place, source in enumerate(query.sources) if source.crossed]
    for left, right in combinations(range(len(query.sources)), 2):
        if left in crossed or right in crossed:
            yield Link(left, right, 1.0)


def _key_class(
    workload: Workload, query: Query, columns: Sequence[Column], places: dict[str, int]
) -> KeyClass:
    keys, lists = [], set()
    for column in columns:
        attribute = attribute_of(workload, query, column)
        first, last = ranks_of(query, column, attribute)
        place, count = places[column.alias], last - first + 1
        present = 1 - attribute.missing
        keys.append(Key(place, column.attribute, count, attribute.zipf, first, present))
        lists.add(attribute.values)
    stated = None
    if len(columns) == 2:
        # In a larger class shares of pairs do not say how often three attributes are equal.
        stated = declared_share(workload, query, Predicate(columns[0], "=", columns[1]))
    return KeyClass(tuple(keys), stated, by_rank=len(lists) > 1)


def ranks_of(query: Query, column: Column, attribute: Attribute) -> tuple[int, int]:
    """The ranks of a key that its source's filters let through: generated values are 1..distinct.

    Values that are listed, and texts, keep all their ranks: comparisons do not follow those.
    """
    assert attribute.distinct is not None, "`refusal` has seen that it is known"
    first, last = 1, attribute.distinct
    for condition in query.filters:
        numbers = [c for c in condition.constants if not isinstance(c, str)]
        if condition.column != column or not numbers:
            continue
        # Of several constants, the ranks from the least to the greatest: what is between counts.
        least, most = min(numbers), max(numbers)
        if condition.comparison in ("<", "<=", "="):
            whole = math.ceil(most) - 1 if condition.comparison == "<" else math.floor(most)
            last = min(last, whole)
        if condition.comparison in (">", ">=", "="):
            whole = math.floor(least) + 1 if condition.comparison == ">" else math.ceil(least)
            first = max(first, whole)
    ranked = attribute.type == "integer" and not attribute.values
    return (first, last) if ranked and first <= last else (1, attribute.distinct)


def _links(workload: Workload, query: Query, places: dict[str, int]) -> list[Link]:
    """One link for each two columns: the two sides of a band are one condition."""
    by_columns: dict[tuple[Column, Column], list[Predicate]] = {}
    for predicate in query.predicates:
        if predicate.is_equality:
            continue
        first, second = sorted((predicate.left, predicate.right))
        by_columns.setdefault((first, second), []).append(predicate)
    found = []
    equal = {frozenset((p.left, p.right)) for p in query.predicates if p.is_equality}
    for (first, second), predicates in by_columns.items():
        share = _together(
            {p: predicate_selectivity(workload, query, p) for p in predicates},
            first,
            math.prod(1 - attribute_of(workload, query, c).missing for c in (first, second)),
            frozenset((first, second)) in equal,
        )
        found.append(Link(places[first.alias], places[second.alias], share))
    return found


def _together(
    shares: Mapping[Predicate, float], first: Column, present: float, equal: bool
) -> float:
    """The share of pairs that satisfy all these conditions on the difference of two columns.

    `present` is the share of pairs in which no value is missing.
    They leave an interval of it. Every pair is below its upper or above its lower end, so the
    shares of the ends overlap by their sum less 1; taken as independent they would make a band far
    too wide.
    """
    upper, lower = (math.inf, False, present), (-math.inf, False, present)
    points: dict[float, float] = {}
    exactly: dict[float, float] = {0.0: 1.0} if equal else {}
    for predicate, share in shares.items():
        own = predicate if predicate.left == first else predicate.flipped
        comparison, offset = own.comparison, own.offset
        if comparison in ("<", "<="):
            upper = min(upper, (offset, comparison == "<=", share))
        elif comparison in (">", ">="):
            lower = max(lower, (offset, comparison == ">", share))
        elif comparison == "<>":
            points[offset] = max(0.0, present - share)
        else:
            exactly[offset] = share

    def inside(difference: float) -> bool:
        below = difference < upper[0] or (difference == upper[0] and upper[1])
        return below and (difference > lower[0] or (difference == lower[0] and not lower[1]))

    if exactly:
        # At most one difference can hold; equality of the columns is priced by their class.
        fits = [share for d, share in exactly.items() if inside(d) and d not in points]
        return min(fits) if len(fits) == len(exactly) == 1 else 0.0
    if upper[0] < lower[0] or (upper[0] == lower[0] and not inside(upper[0])):
        return 0.0
    held = upper[2] + lower[2] - present
    return max(0.0, held - sum(share for d, share in points.items() if inside(d)))


def window_of(
    workload: Workload, query: Query, source: Source, graph: JoinGraph, timing: Timing
) -> JoinWindow:
    """One source: its rate after filters, its sizes, and how it is probed."""
    place = query.sources.index(source)
    key = next((key for c in graph.classes if (key := c.key(place)) is not None), None)
    hashed = key is not None and workload.execution.method(source) == "hash"
    relation = relation_of(workload, source)
    changes = RelationChanges() if relation is None else relation.changes
    # Before filters; of a relation, the rows it gains.
    arrivals, how = changes.inserts, Arrivals()
    if relation is None:
        stream = workload.stream(source.name)
        assert stream.rate is not None, "`refusal` has seen that it is known"
        arrivals, how = stream.rate, stream.arrivals
    steps, passing = _filters(workload, query, source, arrivals)
    rate = 0.0 if relation is not None else arrivals * passing
    tuples, per_second, active = rate, 0.0, 1.0
    # What a window holds beyond the tuples that results may use: when scanned, and on average.
    extra, kept_extra = rate * timing.examined_extra, rate * timing.kept_extra
    if relation is None and timing.evaluate is not None:
        active = chance_of_any(how, arrivals, passing, timing.evaluate)
    if relation is not None:
        # At the middle of what is measured: a relation that grows has no other mean.
        gained = (changes.inserts - changes.deletes) * workload.middle
        tuples = max(0.0, (relation.rows or 0) + gained) * passing
        # Rows that end between two evaluations stay for the tuples that came before.
        extra = changes.deletes * passing * (timing.evaluate or 0.0)
        kept_extra = extra / 2
    elif isinstance(source.window, TimeWindow):
        tuples, per_second = rate * source.window.seconds, 1 / source.window.seconds
    elif isinstance(source.window, CountWindow):
        # Rows are counted before filters: the window holds those of them that pass.
        tuples, per_second = source.window.rows * passing, arrivals / source.window.rows
    elif isinstance(source.window, TumblingWindow):
        # On average over a block, in which it grows from nothing.
        tuples, per_second = rate * source.window.seconds / 2, 2 / source.window.seconds
    elif isinstance(source.window, LandmarkWindow):
        tuples, per_second = rate * workload.middle, 1 / workload.middle
    return JoinWindow(
        alias=source.alias,
        name=source.name,
        rate=rate,
        tuples=tuples,
        examined=tuples + extra,
        kept=tuples + kept_extra,
        per_second=per_second,
        access="hash" if hashed else "scan",
        buckets=workload.execution.bucket_count(source) if hashed else 1,
        distinct=key.distinct if key is not None else 0,
        window=None if relation is not None else str(source.window),
        counted=isinstance(source.window, CountWindow),
        arrivals=arrivals,
        filters=steps,
        active=active,
        ends=_ends(workload, query, source),
        tumbling=isinstance(source.window, TumblingWindow),
        bursts=how.kind == "pareto",
        inserts=changes.inserts * passing,
        deletes=changes.deletes * passing,
    )


def _ends(workload: Workload, query: Query, source: Source) -> Literal["each", "together", "never"]:
    if isinstance(source.window, LandmarkWindow):
        return "never"
    # Tumbling windows of one length: their tuples are dropped block by block.
    windows = {s.window for s in query.sources if relation_of(workload, s) is None}
    together = len(windows) == 1 and isinstance(next(iter(windows)), TumblingWindow)
    return "together" if together else "each"


def _filters(
    workload: Workload, query: Query, source: Source, arrivals: float
) -> tuple[tuple[FilterStep, ...], float]:
    """The filters of a source in turn, and the share of its tuples that pass them all."""
    steps, passing = [], 1.0
    own = [f for f in dict.fromkeys(query.filters) if f.column.alias == source.alias]
    for place, condition in enumerate(own, start=1):
        check()
        reached = arrivals * passing
        passing = filters_selectivity(workload, query, own[:place])
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
