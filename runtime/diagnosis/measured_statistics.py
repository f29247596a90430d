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

from planner.files.tuple_table import Table
from planner.plan.cost import MET
from planner.statistics.distributions import (
    Distribution,
    counted_distribution,
    declared_distribution,
    zipf_exponent,
)
from planner.statistics.inference import SourceType, infer
from planner.statistics.selectivity import (
    Condition,
    attribute_of,
    declared,
    filter_selectivity,
    predicate_selectivity,
)
from planner.statistics.substitution import place_of, with_attribute, with_selectivity
from planner.workload.changes import with_every_query
from planner.workload.execution import Statistics
from planner.workload.query import Column, Filter, Predicate, Query
from planner.workload.streams import Attribute, RelationChanges
from planner.workload.workload import Workload
from runtime.diagnosis import chance
from runtime.diagnosis.arrival_rates import arrival_causes, is_drawn
from runtime.diagnosis.cause import ALIKE, Cause, Direct, difference, percent
from runtime.diagnosis.suspects import log_ratio
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

        relations = [
            replace(r, rows=None, changes=RelationChanges()) for r in self.workload.relations
        ]
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
        return is_drawn(self.run)

    def causes(self) -> Iterator[Cause]:
        """Every statistic that differs from what is assumed."""
        yield from arrival_causes(self.workload, self.tables)
        yield from self._relations()
        for name, subject in self._subjects().items():
            yield from self._of_subject(name, subject)

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
            _unmatched(column, found.missing)
            for column, found in overlap.items()
            if found.missing - self._lacking(subject.columns, column) > _LACKING
        ]
        reasons = [reason for reason in reasons if reason]
        if differs <= ALIKE and not reasons:
            return
        sure = bool(reasons) or any(
            not chance.is_chance(found - assumed, self._deviation(query, condition, assumed))
            for query, condition in subject.conditions
            for assumed, found in [shares[query.name, condition]]
        )
        if differs > ALIKE:
            query, worst = max(
                subject.conditions, key=lambda one: difference(*shares[one[0].name, one[1]])
            )
            reasons.insert(1, self.share_reason(query, [worst], *shares[query.name, worst]))
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
        direct = (
            Direct(self.streams_of(query, [condition]), log_ratio(found, assumed))
            for query, condition in subject.conditions
            if isinstance(condition, Predicate)
            for assumed, found in [shares[query.name, condition]]
        )
        # Two reasons say it: keys that are skewed on both sides are named once.
        reason = "; so ".join(reasons[:2])
        yield Cause(name, reason, differs, tuple((way,) for way in ways), tuple(direct), sure)

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

    def streams_of(self, query: Query, predicates: Sequence[Predicate]) -> frozenset[str]:
        """The streams that these predicates compare; relations do not arrive."""
        streams = {stream.name for stream in self.workload.streams}
        sides = (column for p in predicates for column in (p.left, p.right))
        return frozenset(streams & {query.source(column.alias).name for column in sides})

    def _deviation(self, query: Query, condition: Condition, assumed: float) -> float:
        """How far the share of what satisfies a condition is usually from the one assumed."""
        if isinstance(condition, Filter):
            return chance.of_share(assumed, self._rows(query, condition.column))
        rows = self._rows(query, condition.left), self._rows(query, condition.right)
        if not condition.is_equality:
            return chance.of_pairs(assumed, *rows)
        left, right = (
            self.values[place_of(query, column)] for column in (condition.left, condition.right)
        )
        both: list[chance.Floats] = [np.zeros(0), np.zeros(0)]
        if left.is_text == right.is_text:
            _, *places = np.intersect1d(left.values, right.values, return_indices=True)
            both = [side.shares[at] for side, at in zip((left, right), places, strict=True)]
        return assumed * chance.of_equal_pairs(both[0], both[1], rows, assumed)

    def _rows(self, query: Query, column: Column) -> int:
        return len(self.tables[query.source(column.alias).name])

    def _lacking(self, columns: Mapping[Column, Query], column: Column) -> float:
        """The share of a key's tuples that no other source should have: as keys are declared, and
        as few as its tuples may be."""
        query = columns[column]
        own = declared_distribution(attribute_of(self.workload, query, column))
        absent = np.ones(len(own.values))
        for other in columns:
            known = declared_distribution(attribute_of(self.workload, query, other))
            if other == column or known.is_text != own.is_text:
                continue
            there = np.isin(own.values, known.values)
            shares = np.zeros(len(own.values))
            shares[there] = known.shares[np.searchsorted(known.values, own.values[there])]
            rows = self._rows(query, other)
            absent *= np.exp(rows * np.log1p(-np.minimum(shares, 1 - 1e-12)))
        return float(1 - own.shares.sum() + own.shares @ absent)

    def share_reason(
        self, query: Query, conditions: Sequence[Condition], assumed: float, counted: float
    ) -> str:
        """How many tuples or pairs satisfy all of these conditions."""
        given = [declared(self.workload.statistics, query, condition) for condition in conditions]
        stated = any(one is not None and one.selectivity is not None for one in given)
        of_what = "tuples" if isinstance(conditions[0], Filter) else "pairs"
        by_chance = ", by chance" if self.drawn and not stated else ""
        return (
            f"{percent(counted)} of all {of_what} pass {' and '.join(map(str, conditions))}, where "
            f"{percent(assumed)} is {'declared' if stated else 'assumed'}{by_chance}"
        )

    def _attribute_reason(self, query: Query, column: Column) -> str:
        """How the values of a column differ from those assumed; empty where they do not."""
        known, found = attribute_of(self.workload, query, column), self._attribute(query, column)
        values = self.values[place_of(query, column)].shares
        usual, most = float(declared_distribution(known).shares.max()), float(values.max(initial=0))
        usually = chance.of_share(usual, self._rows(query, column))
        if found.zipf and most > _SKEWED * usual and not chance.is_chance(most - usual, usually):
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
        shares = declared_distribution(attribute_of(self.workload, query, column)).shares
        seen, usually = chance.of_values_seen(shares, self._rows(query, column))
        found = len(self.values[place_of(query, column)].values)
        return difference(seen, found) > MET and not chance.is_chance(found - seen, usually)

    def _attribute(self, query: Query, column: Column) -> Attribute:
        """The attribute as measured; keys have an exponent that fits those they are joined with."""
        found, known = (
            attribute_of(workload, query, column) for workload in (self.measured, self.workload)
        )
        joined = any(column in members for members in query.equality_classes())
        if not joined:
            exponent = zipf_exponent(
                self.values[place_of(query, column)], self._rows(query, column)
            )
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


def _unmatched(column: Column, share: float) -> str:
    if share >= 1:
        return f"no value of {column} occurs in another source"
    return f"{percent(share)} of all {column} match no other source"


def _values(count: int) -> str:
    return "1 value" if count == 1 else f"{count:,} values"
