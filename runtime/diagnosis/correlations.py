"""What the model takes as independent and the run's tuples show to depend on each other.

A share is measured where it counts: of conditions asked for together, of the pairs that meet in
their windows, of the combinations that occur. Put into the workload, it is priced like any other.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, pairwise, product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from planner.files.text_codes import coded_texts
from planner.files.tuple_table import ColumnData, Table
from planner.plan.cost import MET
from planner.statistics.distributions import Distribution, satisfying
from planner.statistics.selectivity import filters_selectivity, predicate_selectivity
from planner.statistics.substitution import place_of, with_attribute, with_selectivity
from planner.workload.query import Column, Filter, Predicate, Query, TimeWindow
from planner.workload.streams import Attribute
from planner.workload.validation import microseconds
from planner.workload.workload import Workload
from runtime.diagnosis import chance
from runtime.diagnosis.cause import Cause, Direct, difference, percent
from runtime.diagnosis.measured_statistics import MeasuredStatistics, keys_subject
from runtime.diagnosis.suspects import log_ratio

Mask = NDArray[np.bool_]
Numbers = NDArray[np.int64]
# Of both windows; None where it has no length of time.
Lengths = tuple[int | None, int | None]

# Fewer combinations than this part of what independent attributes have are a sign.
_NEARLY_ALL = 0.9
_LARGEST = 2**62
# Of hundreds of queries these are read: each has windows and filters of its own.
_MOST_QUERIES = 16
# Of shares that differ from window to window, so many are estimated.
_MOST_SHARES = 12
_INDEPENDENT = "equalities are taken as independent of each other"
_SPREAD = "keys are not spread as assumed"
_FILTERED = "equal keys depend on the filters"
_DRIFTING = "keys change over time"


def correlation_causes(found: MeasuredStatistics) -> Iterator[Cause]:
    """Conditions, groups and keys that are not independent."""
    pairs: dict[str, list[_Pair]] = {}
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
                pair = _Pair(found, query, links)
                pairs.setdefault(keys_subject(query, pair.columns[-1]), []).append(pair)
    for subject, same in pairs.items():
        yield from _keys(found, subject, same)


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
        usual = chance.of_share(assumed, len(table))
        sure = not chance.is_chance(counted - assumed, usual)
        yield Cause(subject, reason, differs, ((changed,),), sure=sure)


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


class _Pair:
    """Two sources of a query and their equalities: how often these hold in all pairs, in those that
    pass the filters, and in those of these that meet in their windows."""

    def __init__(self, found: MeasuredStatistics, query: Query, links: Sequence[Predicate]) -> None:
        self.query, self.links = query, links
        self.assumed = math.prod(predicate_selectivity(found.workload, query, p) for p in links)
        self.columns = columns = [[link.left, link.right] for link in links]
        tables = [_table(found, query, column) for column in columns[0]]
        self._sides = [
            _SourceTuples(table.ts if len(table.ts) else np.zeros_like(codes), codes)
            for table, codes in zip(tables, _codes(tables, columns), strict=True)
        ]
        passing = [np.ones(len(table), np.bool_) for table in tables]
        for condition in query.filters:
            for at, column in enumerate(columns[0]):
                if condition.column.alias == column.alias:
                    passing[at] &= _passes(tables[at], condition)
        self._passed = [side.only(mask) for side, mask in zip(self._sides, passing, strict=True)]
        windows = [query.source(column.alias).window for column in columns[0]]
        one, other = (
            microseconds(w.seconds) if isinstance(w, TimeWindow) else None for w in windows
        )
        self.lengths: Lengths = one, other

    @cached_property
    def everywhere(self) -> _Met:
        """Of all pairs."""
        return _equal(self._sides, (None, None))

    @cached_property
    def filtered(self) -> _Met:
        """Of the pairs that pass the filters."""
        return _equal(self._passed, (None, None))

    def within(self, lengths: Lengths) -> _Met:
        """Of those that meet in windows of these lengths."""
        return _equal(self._passed, lengths)

    @cached_property
    def met(self) -> _Met:
        """Of those that meet in their own windows."""
        return self.within(self.lengths)

    @property
    def because(self) -> str:
        """What makes the difference between the share that is assumed and that of those that
        meet: the first that leaves less than half of it."""
        error = abs(log_ratio(self.assumed, self.met.share))
        shares = {
            _INDEPENDENT if len(self.links) > 1 else _SPREAD: self.everywhere.share,
            _FILTERED: self.filtered.share,
        }
        left = (why for why, s in shares.items() if abs(log_ratio(s, self.met.share)) <= error / 2)
        return next(left, _DRIFTING)

    @property
    def is_sure(self) -> bool:
        """Whether so many pairs would hardly be equal by chance."""
        left, right = _shares_of(self._passed)
        rows = len(self._passed[0].keys), len(self._passed[1].keys)
        assumed = self.assumed or self.everywhere.share
        usual = chance.of_equal_pairs(left, right, rows, assumed, self.met.pairs)
        return not chance.is_chance(self.met.share - self.assumed, usual * assumed)


def _keys(found: MeasuredStatistics, subject: str, pairs: Sequence[_Pair]) -> Iterator[Cause]:
    """All equalities of two sources, in every query that has them. Where ages matter, shares differ
    from one window to the next."""
    worst = max(pairs, key=lambda pair: difference(pair.assumed, pair.met.share))
    if (differs := difference(worst.assumed, worst.met.share)) <= MET:
        return
    shares = _at_ages(pairs) if worst.because == _DRIFTING else {}
    shares |= {_digits(pair.met.share): pair.assumed for pair in pairs}
    shares = dict(list(shares.items())[-_MOST_SHARES:])
    because = "by chance" if found.drawn else worst.because
    if because == _DRIFTING:
        near = worst.met.share > worst.filtered.share
        because += f": equal keys come {'near each other' if near else 'far apart'} in time"
    reason = (
        f"{because}, so that {percent(worst.met.share)} of the pairs that meet pass "
        f"{' and '.join(map(str, worst.links))}, where {percent(worst.assumed)} is assumed"
    )
    if worst.because != _SPREAD and not found.drawn:
        reason += f", and {percent(worst.everywhere.share)} of all pairs do"
    direct = (log_ratio(share, assumed) for share, assumed in shares.items())
    yield Cause(
        subject,
        reason,
        differs,
        tuple((way,) for share in shares for way in _with_share(found, pairs, share)),
        tuple(Direct(found.streams_of(worst.query, worst.links), effect) for effect in direct),
        sure=any(pair.is_sure for pair in pairs),
    )


def _at_ages(pairs: Sequence[_Pair]) -> dict[float, float]:
    """The shares of equal pairs up to the length of each window, and between one and the next."""
    own = sorted({length for pair in pairs for length in pair.lengths if length is not None})
    shares = {}
    for pair in pairs:
        met = [pair.within((length, length)) for length in own]
        for inner, outer in pairwise([_Met(0.0, 0.0), *met]):
            shares[_digits((outer - inner).share)] = shares[_digits(outer.share)] = pair.assumed
    return shares


def _digits(share: float) -> float:
    """Shares that are alike are estimated once."""
    return float(f"{share:.2g}")


def _with_share(
    found: MeasuredStatistics, pairs: Sequence[_Pair], share: float
) -> Iterator[Workload]:
    """Workloads in which so many pairs are equal: as declared, and by fewer or more keys."""
    stated = fewer = found.workload
    for pair in pairs:
        last = predicate_selectivity(found.workload, pair.query, pair.links[-1])
        scaled = min(1.0, share * last / pair.assumed) if pair.assumed else share
        stated = with_selectivity(stated, pair.query, pair.links[-1], scaled)
        if len(pair.links) == 1 and share:
            members = next(c for c in pair.query.equality_classes() if pair.links[0].left in c)
            for left, right in combinations(sorted(members), 2):
                fewer = with_selectivity(fewer, pair.query, Predicate(left, "=", right), None)
            for column in members:
                known = Attribute(max(1, round(1 / share)))
                fewer = with_attribute(fewer, place_of(pair.query, column), known)
    yield stated
    if fewer is not found.workload:
        yield fewer


class _SourceTuples(NamedTuple):
    """When the tuples of a source came, and the numbers of their keys; -1 where one is missing."""

    ts: Numbers
    keys: Numbers

    def only(self, mask: Mask) -> _SourceTuples:
        """Those of them that the mask has."""
        return _SourceTuples(self.ts[mask], self.keys[mask])


@dataclass(frozen=True, slots=True)
class _Met:
    """How many pairs met, and how many of these are equal."""

    equal: float
    pairs: float

    @property
    def share(self) -> float:
        """The share of them that are equal."""
        return self.equal / self.pairs if self.pairs else 0.0

    def __sub__(self, inner: _Met) -> _Met:
        return _Met(self.equal - inner.equal, self.pairs - inner.pairs)


def _equal(sides: Sequence[_SourceTuples], windows: Lengths) -> _Met:
    """The pairs with equal keys, among all or among those that meet in their windows.

    A tuple meets those of the other source that came in that one's window before it, and those
    that come in its own window after it. What has no length of time is met at all times.
    """
    left, right = sides
    if not len(left.keys) or not len(right.keys):
        return _Met(0.0, 0.0)
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
    return _Met(float((until - since)[left.keys >= 0].sum()), float(met))


def _shares_of(sides: Sequence[_SourceTuples]) -> tuple[chance.Floats, chance.Floats]:
    """How often each value occurs on both sides; -1 is no value."""
    values = 1 + max((int(side.keys.max(initial=-1)) for side in sides), default=-1)
    first, second = (
        np.bincount(side.keys[side.keys >= 0], minlength=values) / max(len(side.keys), 1)
        for side in sides
    )
    return first, second


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
