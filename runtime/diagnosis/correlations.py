"""What the model takes as independent and the run's tuples show to depend on each other.

A share is measured where it counts: of conditions asked for together, of the pairs that meet in
their windows, of the combinations that occur. Put into the workload, it is priced like any other.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import combinations, product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from planner.files.text_codes import coded_texts
from planner.files.tuple_table import ColumnData, Table
from planner.plan.cost import MET
from planner.statistics.distributions import Distribution, satisfying
from planner.statistics.selectivity import filters_selectivity, predicate_selectivity
from planner.workload.query import Column, Filter, Predicate, Query, TimeWindow
from planner.workload.streams import Attribute
from planner.workload.validation import microseconds
from runtime.diagnosis.cause import (
    Cause,
    difference,
    percent,
    place_of,
    with_attribute,
    with_selectivity,
)
from runtime.diagnosis.measured_statistics import MeasuredStatistics, keys_subject
from runtime.diagnosis.suspects import log_ratio

Mask = NDArray[np.bool_]
Numbers = NDArray[np.int64]

# Fewer combinations than this part of what independent attributes have are a sign.
_NEARLY_ALL = 0.9
_LARGEST = 2**62
# Of hundreds of queries these are read: each has windows and filters of its own.
_MOST_QUERIES = 16
_INDEPENDENT = "they are taken as independent of each other"
_SPREAD = "the values are not spread as assumed"


def correlation_causes(found: MeasuredStatistics) -> Iterator[Cause]:
    """Conditions, groups and keys that are not independent."""
    for query in found.workload.queries[:_MOST_QUERIES]:
        for source in query.sources:
            asked = [f for f in query.filters if f.column.alias == source.alias]
            if len({condition.column for condition in asked}) > 1:
                yield from _conditions(found, query, asked)
            used = [*query.group_by, *(c for p in query.predicates for c in (p.left, p.right))]
            columns = [column for column in dict.fromkeys(used) if column.alias == source.alias]
            if len(columns) > 1:
                yield from _combinations(found, query, columns)
        for one, other in combinations(query.sources, 2):
            links = [
                Predicate(left, "=", right)
                for members in query.equality_classes()
                for left, right in product(sorted(members), repeat=2)
                if (left.alias, right.alias) == (one.alias, other.alias)
            ]
            if links:
                yield from _keys(found, query, links)


def _conditions(
    found: MeasuredStatistics, query: Query, asked: Sequence[Filter]
) -> Iterator[Cause]:
    """Filters on several attributes: each gets its share of what passed those before it."""
    table, changed = _table(found, query, asked[0].column), found.workload
    passed = np.ones(len(table), np.bool_)
    for condition in asked:
        both = passed & _passes(table, condition)
        share = float(both.sum() / max(passed.sum(), 1))
        changed = with_selectivity(changed, query, condition, share)
        passed = both
    counted = float(passed.sum()) / max(len(table), 1)
    assumed = filters_selectivity(found.workload, query, asked)
    if (differs := difference(assumed, counted)) > MET:
        subject = f"{query.name}: {' and '.join(map(str, asked))}"
        reason = found.share_reason(query, asked, assumed, counted)
        yield Cause(subject, reason, differs, ((changed,),))


def _combinations(
    found: MeasuredStatistics, query: Query, columns: Sequence[Column]
) -> Iterator[Cause]:
    """Attributes of one source that do not occur in all combinations."""
    table = _table(found, query, columns[0])
    (codes,) = _codes([table], [[column] for column in columns])
    counts = [len(np.unique(_ranks([table.columns[c.attribute]]))) for c in columns]
    occur, every = len(np.unique(codes)), math.prod(counts)
    # So many of them occur where each tuple has any, whatever the others have.
    if not occur or occur >= _NEARLY_ALL * every * -math.expm1(-len(table) / every):
        return
    names = " and ".join(map(str, columns))
    reason = (
        f"{names} depend on each other: {occur:,} combinations of their values occur, where "
        f"{every:,} are assumed"
    )
    ways = []
    for column, count in zip(columns, counts, strict=True):
        fewer = Attribute(max(1, round(occur / every * count)))
        ways.append((with_attribute(found.workload, place_of(query, column), fewer),))
    yield Cause(f"{query.name}: {names}", reason, every / occur, tuple(ways))


def _keys(found: MeasuredStatistics, query: Query, links: Sequence[Predicate]) -> Iterator[Cause]:
    """All equalities of two sources: how often they hold in all pairs, in those that pass the
    filters, and in those of these that meet in their windows."""
    assumed = math.prod(predicate_selectivity(found.workload, query, link) for link in links)
    columns = [[link.left, link.right] for link in links]
    tables = [_table(found, query, column) for column in columns[0]]
    sides = [
        _Side(table.ts if len(table.ts) else np.zeros_like(codes), codes)
        for table, codes in zip(tables, _codes(tables, columns), strict=True)
    ]
    passing = [np.ones(len(table), np.bool_) for table in tables]
    for condition in query.filters:
        for at, column in enumerate(columns[0]):
            if condition.column.alias == column.alias:
                passing[at] &= _passes(tables[at], condition)
    passed = [side.only(mask) for side, mask in zip(sides, passing, strict=True)]
    windows = [query.source(column.alias).window for column in columns[0]]
    lengths = [microseconds(w.seconds) if isinstance(w, TimeWindow) else None for w in windows]
    shares = {
        _INDEPENDENT if len(links) > 1 else _SPREAD: _equal(sides, (None, None)),
        "equal keys depend on the filters": _equal(passed, (None, None)),
        "equal keys come near each other in time": _equal(passed, lengths),
    }
    everywhere, *_, met = shares.values()
    differs = difference(assumed, met)
    if differs <= MET:
        return
    error = abs(log_ratio(assumed, met))
    because = next(w for w, share in shares.items() if abs(log_ratio(share, met)) <= error / 2)
    reason = (
        f"{percent(met)} of the pairs that meet pass {' and '.join(map(str, links))}, where "
        f"{percent(assumed)} is assumed, and {percent(everywhere)} of all pairs do: "
        f"{'this is chance' if found.drawn else because}"
    )
    last = predicate_selectivity(found.workload, query, links[-1])
    share = min(1.0, met * last / assumed) if assumed else met
    ways = [(with_selectivity(found.workload, query, links[-1], share),)]
    if len(links) == 1 and met:
        changed = with_selectivity(found.workload, query, links[0], None)
        for column in columns[0]:
            fewer = Attribute(max(1, round(1 / met)))
            changed = with_attribute(changed, place_of(query, column), fewer)
        ways.append((changed,))
    yield Cause(keys_subject(query, columns[-1]), reason, differs, tuple(ways))


class _Side(NamedTuple):
    """When the tuples of a source came, and the numbers of their keys; -1 where one is missing."""

    ts: Numbers
    keys: Numbers

    def only(self, mask: Mask) -> _Side:
        """Those of them that the mask has."""
        return _Side(self.ts[mask], self.keys[mask])


def _equal(sides: Sequence[_Side], windows: Sequence[int | None]) -> float:
    """The share of pairs with equal keys, among all or among those that meet in their windows.

    A tuple meets those of the other source that came in that one's window before it, and those
    that come in its own window after it. What has no length of time is met at all times.
    """
    left, right = sides
    if not len(left.keys) or not len(right.keys):
        return 0.0
    first = min(int(side.ts[0]) for side in sides)
    span = max(int(side.ts[-1]) for side in sides) - first + 1
    mine, theirs = left.ts - first, right.ts - first
    begin = np.zeros_like(mine) if windows[1] is None else np.maximum(mine - windows[1] + 1, 0)
    end = np.full_like(mine, span) if windows[0] is None else np.minimum(mine + windows[0], span)
    met = int((np.searchsorted(theirs, end) - np.searchsorted(theirs, begin)).sum())
    # Key and time as one number: equal keys are side by side, in order of time.
    scale = 1 + (int(max(left.keys.max(), right.keys.max())) + 2) * span // _LARGEST
    length = span // scale + 1
    ordered = np.sort(right.keys * length + theirs // scale)
    until, since = (
        np.searchsorted(ordered, left.keys * length + at // scale) for at in (end, begin)
    )
    return float((until - since)[left.keys >= 0].sum()) / met if met else 0.0


def _codes(tables: Sequence[Table], links: Sequence[Sequence[Column]]) -> list[Numbers]:
    """The values of all linked columns as one number, the same in all tables; -1 where one is
    missing. `links` has a column of each table."""
    rows = [len(table) for table in tables]
    codes: Numbers = np.zeros(sum(rows), np.int64)
    present = np.ones(sum(rows), np.bool_)
    for columns in links:
        data = [t.columns[c.attribute] for t, c in zip(tables, columns, strict=True)]
        if len({column.values.dtype == object for column in data}) > 1:
            # Text and numbers are never equal.
            return [np.full(count, -1) for count in rows]
        ranks = _ranks(data)
        _, codes = np.unique(codes * (len(ranks) + 1) + ranks, return_inverse=True)
        valid = [np.ones(len(c.values), np.bool_) if c.valid is None else c.valid for c in data]
        present &= np.concatenate(valid)
    return np.split(np.where(present, codes, -1), np.cumsum(rows)[:-1])


def _ranks(columns: Sequence[ColumnData]) -> Numbers:
    """The values of all columns as numbers, equal where they are equal."""
    values = np.concatenate([column.values for column in columns])
    if values.dtype == object:
        return coded_texts(values).codes
    return np.unique(values, return_inverse=True)[1]


def _table(found: MeasuredStatistics, query: Query, column: Column) -> Table:
    return found.tables[query.source(column.alias).name]


def _passes(table: Table, condition: Filter) -> Mask:
    column = table.columns[condition.column.attribute]
    every = Distribution(column.values, np.ones(len(column.values)))
    passed = satisfying(every, [condition])
    return passed if column.valid is None else passed & column.valid
