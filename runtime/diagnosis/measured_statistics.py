"""Statistics of a run's tuples that differ from those it was planned with, each a cause.

`infer` measures them all for a workload that declares none. What belongs together is one cause: a
filter in all queries that have it; attributes that are joined, and how often they are equal.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from planner.files.tuple_table import Table
from planner.numbers import amount
from planner.plan.cost import MET
from planner.statistics.distributions import (
    Distribution,
    counted_distribution,
    declared_distribution,
    zipf_exponent,
)
from planner.statistics.inference import (
    FEWEST_ARRIVALS,
    LEAST_BURST,
    SourceType,
    arrivals_of,
    infer,
)
from planner.statistics.selectivity import (
    Condition,
    attribute_of,
    declared,
    filter_selectivity,
    predicate_selectivity,
)
from planner.workload.changes import with_every_query
from planner.workload.execution import Statistics
from planner.workload.query import Column, Filter, Predicate, Query
from planner.workload.streams import Arrivals, Attribute, Changes
from planner.workload.workload import Workload
from runtime.diagnosis.cause import (
    ALIKE,
    Cause,
    difference,
    percent,
    place_of,
    with_attribute,
    with_selectivity,
)
from runtime.runs.records import Run

# A value that is so many times as frequent as assumed makes a column skewed.
_SKEWED = 2.0
# More of a key's tuples than this match nothing.
_LACKING = 0.05


@dataclass
class _Subject:
    """Attributes, and conditions on them, that are put in together; columns are of one query."""

    columns: dict[Column, Query] = field(default_factory=dict)
    conditions: list[tuple[Query, Condition]] = field(default_factory=list)


@dataclass(frozen=True)
class MeasuredStatistics:
    """The tuples of a run beside the workload that it was planned with."""

    run: Run
    tables: Mapping[str, Table]

    @cached_property
    def workload(self) -> Workload:
        """What the model was given, with all queries of the run."""
        return with_every_query(self.run.workload)

    @cached_property
    def measured(self) -> Workload:
        """The same with all statistics but rates as they are in the tuples."""

        def bare(source: SourceType) -> SourceType:
            return replace(source, attributes=dict.fromkeys(source.attributes, Attribute()))

        relations = [replace(r, rows=None, changes=Changes()) for r in self.workload.relations]
        unknown = replace(
            self.workload,
            streams=tuple(bare(stream) for stream in self.workload.streams),
            relations=tuple(bare(relation) for relation in relations),
            statistics=Statistics(),
        )
        return infer(unknown, self.tables)[0]

    @cached_property
    def values(self) -> Mapping[tuple[str, str], Distribution]:
        """The values of all attributes that queries use."""
        places = {
            place_of(query, column) for query in self.workload.queries for column in _used(query)
        }
        return {p: counted_distribution(self.tables[p[0]].columns[p[1]]) for p in sorted(places)}

    @property
    def drawn(self) -> bool:
        """Whether the tuples were drawn at random as the workload says."""
        return self.run.request.data is None

    def causes(self) -> Iterator[Cause]:
        """Every statistic that differs from what is assumed."""
        yield from self._arrivals()
        yield from self._relations()
        for name, subject in self._subjects().items():
            yield from self._of_subject(name, subject)

    def _arrivals(self) -> Iterator[Cause]:
        # Streams that no query uses have no tuples.
        for stream in (s for s in self.workload.streams if s.name in self.tables):
            ts, assumed = self.tables[stream.name].ts, stream.arrivals
            found = _measured_arrivals(ts) if len(ts) >= FEWEST_ARRIVALS else assumed
            differs = difference(assumed.burst, found.burst)
            if found.kind != assumed.kind or differs > LEAST_BURST:
                others = {s.name: s for s in self.workload.streams}
                others[stream.name] = replace(stream, arrivals=found)
                changed = replace(self.workload, streams=tuple(others.values()))
                reason = f"comes {_manner(found)}, where {_manner(assumed)} is assumed"
                yield Cause(stream.name, f"{stream.name} {reason}", differs, ((changed,),))

    def _relations(self) -> Iterator[Cause]:
        for known, found in zip(self.workload.relations, self.measured.relations, strict=True):
            rows, assumed = found.rows or 0, known.rows or 0
            if (differs := difference(assumed, rows)) > ALIKE:
                others = {r.name: r for r in self.workload.relations}
                others[known.name] = replace(known, rows=rows, changes=found.changes)
                changed = replace(self.workload, relations=tuple(others.values()))
                reason = f"{known.name} has {rows:,} rows, where {assumed:,} are assumed"
                yield Cause(known.name, reason, differs, ((changed,),))

    def _subjects(self) -> dict[str, _Subject]:
        """What is put in together: attributes that are joined, each filter, each other predicate,
        and each attribute that is grouped or aggregated only."""
        found: dict[str, _Subject] = {}
        known: set[tuple[str, str]] = set()
        for query in self.workload.queries:
            for members in query.equality_classes():
                columns = sorted(members)
                subject = found.setdefault(keys_subject(query, columns), _Subject())
                subject.columns = subject.columns or dict.fromkeys(columns, query)
                pairs = combinations(columns, 2)
                subject.conditions += [(query, Predicate(c, "=", other)) for c, other in pairs]
                known |= {place_of(query, column) for column in columns}
            conditions: list[Condition] = [*query.filters, *query.predicates]
            for condition in conditions:
                if isinstance(condition, Filter):
                    name = f"{query.source(condition.column.alias).name}: {condition}"
                elif condition.is_equality:
                    continue
                else:
                    name = str(condition)
                found.setdefault(name, _Subject()).conditions.append((query, condition))
        for query in self.workload.queries:
            for column in _used(query):
                if place_of(query, column) not in known:
                    subject = found.setdefault(keys_subject(query, [column]), _Subject())
                    subject.columns = subject.columns or {column: query}
        return found

    def _of_subject(self, name: str, subject: _Subject) -> Iterator[Cause]:
        """The cause, if any of its statistics differs. A family may follow declared shares, the
        values alone, or which of them the other sources have."""
        shares = {(q.name, c): self._shares(q, c) for q, c in subject.conditions}
        differs = max((difference(*pair) for pair in shares.values()), default=1.0)
        reasons = [self._attribute_reason(q, c) for c, q in subject.columns.items()]
        overlap = self._overlapping(subject.columns) if subject.conditions else {}
        reasons += [
            f"{percent(found.missing)} of all {column} match no other source"
            for column, found in overlap.items()
            if found.missing - self._attribute(subject.columns[column], column).missing > _LACKING
        ]
        reasons = [reason for reason in reasons if reason]
        if differs <= ALIKE and not reasons:
            return
        if differs > ALIKE:
            query, worst = max(
                subject.conditions, key=lambda one: difference(*shares[one[0].name, one[1]])
            )
            reasons.insert(0, self.share_reason(query, [worst], *shares[query.name, worst]))
        spread = narrowed = self.workload
        for column, query in subject.columns.items():
            place, found = place_of(query, column), self._attribute(query, column)
            spread = with_attribute(spread, place, found)
            narrowed = with_attribute(narrowed, place, overlap.get(column, found))
        stated = spread
        for query, condition in subject.conditions:
            share = shares[query.name, condition][1]
            stated = with_selectivity(stated, query, condition, share)
            spread = with_selectivity(spread, query, condition, None)
            narrowed = with_selectivity(narrowed, query, condition, None)
        ways = (stated, spread, narrowed) if subject.columns else (stated,)
        # Two reasons say it: keys that are skewed on both sides are named once.
        yield Cause(name, ": ".join(reasons[:2]), differs, tuple((way,) for way in ways))

    def _shares(self, query: Query, condition: Condition) -> tuple[float, float]:
        """The share of tuples or pairs that satisfy a condition, as assumed and as measured."""
        if isinstance(condition, Filter):
            assumed, found = (
                filter_selectivity(workload, query, condition)
                for workload in (self.workload, self.measured)
            )
        else:
            assumed, found = (
                predicate_selectivity(workload, query, condition)
                for workload in (self.workload, self.measured)
            )
        return assumed, found

    def share_reason(
        self, query: Query, conditions: Sequence[Condition], assumed: float, counted: float
    ) -> str:
        """How many tuples or pairs satisfy all of these conditions."""
        given = [declared(self.workload.statistics, query, condition) for condition in conditions]
        stated = any(one is not None and one.selectivity is not None for one in given)
        of_what = "tuples" if isinstance(conditions[0], Filter) else "pairs"
        chance = ", by chance" if self.drawn and not stated else ""
        return (
            f"{percent(counted)} of all {of_what} pass {' and '.join(map(str, conditions))}, where "
            f"{percent(assumed)} is {'declared' if stated else 'assumed'}{chance}"
        )

    def _attribute_reason(self, query: Query, column: Column) -> str:
        """How the values of a column differ from those assumed; empty where they do not."""
        known, found = attribute_of(self.workload, query, column), self._attribute(query, column)
        values = self.values[place_of(query, column)].shares
        usual, most = float(declared_distribution(known).shares.max()), float(values.max(initial=0))
        if found.zipf and most > _SKEWED * usual:
            return (
                f"the values are skewed, the most frequent one of {column} is in {percent(most)} "
                f"of its tuples, where {percent(usual)} is assumed"
            )
        if self._other_count(query, column):
            assumed = len(declared_distribution(known).values)
            return f"{column} has {_values(found.distinct or 0)}, where {assumed:,} are assumed"
        if difference(1 - known.missing, 1 - found.missing) > MET:
            return f"{percent(found.missing)} of all {column} are missing"
        return ""

    def _other_count(self, query: Query, column: Column) -> bool:
        """Whether so many tuples would show another number of values if all were as assumed."""
        rows = len(self.tables[query.source(column.alias).name])
        shares = declared_distribution(attribute_of(self.workload, query, column)).shares
        seen = float(-np.expm1(rows * np.log1p(-np.minimum(shares, 1 - 1e-12))).sum())
        return difference(seen, len(self.values[place_of(query, column)].values)) > MET

    def _attribute(self, query: Query, column: Column) -> Attribute:
        """The attribute as measured; keys have an exponent that fits those they are joined with."""
        found, known = (
            attribute_of(workload, query, column) for workload in (self.measured, self.workload)
        )
        joined = any(column in members for members in query.equality_classes())
        if not joined:
            rows = len(self.tables[query.source(column.alias).name])
            exponent = zipf_exponent(self.values[place_of(query, column)], rows)
            found = replace(found, zipf=exponent)
        # Few tuples do not show all values there are.
        if self._other_count(query, column):
            return found
        return replace(known, zipf=found.zipf, missing=found.missing)

    def _overlapping(self, columns: Mapping[Column, Query]) -> dict[Column, Attribute]:
        """Keys that no other source has join nothing: their tuples are as without a key."""
        found = {}
        for column, query in columns.items():
            mine = self.values[place_of(query, column)]
            others = [self.values[place_of(query, other)] for other in columns if other != column]
            shared = np.zeros(len(mine.values), np.bool_)
            for other in others:
                if other.is_text == mine.is_text:
                    shared |= np.isin(mine.values, other.values)
            missing = round(max(0.0, 1 - float(mine.shares[shared].sum())), 9)
            distinct = max(1, int(shared.sum()))
            known = self._attribute(query, column)
            found[column] = replace(known, values=(), distinct=distinct, missing=missing)
        return found


def keys_subject(query: Query, columns: Sequence[Column]) -> str:
    """What the statistics of attributes that are joined are called."""
    return " = ".join(sorted(".".join(place_of(query, column)) for column in columns))


def _used(query: Query) -> list[Column]:
    """The attributes that a query joins, groups or aggregates."""
    joined = [column for members in query.equality_classes() for column in sorted(members)]
    aggregated = [a.column for a in query.aggregates if a.column is not None]
    return [*joined, *query.group_by, *aggregated]


def _values(count: int) -> str:
    return "1 value" if count == 1 else f"{count:,} values"


def _measured_arrivals(ts: NDArray[np.int64]) -> Arrivals:
    """How tuples of these times arrive. One waits for the next as long as for bursts at random
    times of this size on the mean, whether tuples of a burst share their time or not."""
    gaps = np.diff(ts).astype(np.float64)
    mean = float(gaps.mean())
    burst = (1 + float(gaps.var()) / mean**2) / 2 if mean else float(len(ts))
    return Arrivals("pareto", burst) if burst > LEAST_BURST else arrivals_of(ts)[0]


def _manner(arrivals: Arrivals) -> str:
    if arrivals.kind == "pareto":
        return f"in bursts of {amount(arrivals.burst)}"
    return "evenly" if arrivals.kind == "regular" else "at random"
