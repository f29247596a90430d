"""Statistics: declared, derived, or inferred from the user's own data where nothing is declared."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from planner.errors import PlanError
from planner.files.tuple_table import FIRST, LAST, ColumnData, Table
from planner.statistics.distributions import (
    CountedValues,
    Distribution,
    counted_distribution,
    fitted_exponents,
    share_of_pairs,
    share_of_values,
)
from planner.statistics.selectivity import (
    Provenance,
    all_predicates,
    attribute_of,
    declared,
    keys,
    provenance,
    selectivity_place,
)
from planner.workload.execution import DeclaredStatistic, RunSettings
from planner.workload.query import Column, Filter, Predicate, Query
from planner.workload.streams import Arrivals, Attribute, Relation, RelationChanges, Stream
from planner.workload.validation import MAX_DISTINCT
from planner.workload.workload import Workload

# Tuples that share their ts arrive in bursts when there are this many of them on average.
LEAST_BURST = 1.5
# The squared coefficient of variation of gaps is 0 for regular and 1 for Poisson arrivals.
REGULAR_BELOW = 0.25
FEWEST_ARRIVALS = 10
# So many values stand for a column of which every value counts.
TYPICAL_VALUES = 40

SourceType = TypeVar("SourceType", Stream, Relation)


def infer(
    workload: Workload, tables: Mapping[str, Table]
) -> tuple[Workload, tuple[Provenance, ...]]:
    """The workload with what it does not declare filled in from the data, and where it is from.

    Declared numbers win. Arrivals are inferred with the rate: where that is declared, they are too.
    """
    return _Inference(workload, tables).filled()


class _Inference:
    """Fills one workload; `found` says how each number was come by."""

    def __init__(self, workload: Workload, tables: Mapping[str, Table]) -> None:
        self._workload = workload
        self._tables = tables
        self._found: dict[str, str] = {}
        self._distributions: dict[tuple[str, str], Distribution] = {}

    def filled(self) -> tuple[Workload, tuple[Provenance, ...]]:
        """The filled workload and the provenance of its numbers."""
        filled = replace(
            self._workload,
            streams=tuple(self._stream(stream) for stream in self._workload.streams),
            relations=tuple(self._relation(r) for r in self._workload.relations),
            statistics=replace(
                self._workload.statistics,
                predicates=self._selectivities("predicates"),
                filters=self._selectivities("filters"),
            ),
        )
        filled = self._skewed(filled)
        filled = replace(filled, run=self._run(filled))
        return filled, provenance(filled, self._found)

    def _skewed(self, filled: Workload) -> Workload:
        """Keys that are joined and unevenly spread get a Zipf exponent, where that fits better."""
        found: dict[tuple[str, str], float] = {}
        for query in filled.queries:
            for joined in query.equality_classes():
                spread = {column: self._undeclared(query, column) for column in sorted(joined)}
                for column, exponent in fitted_exponents(spread).items():
                    found[query.source(column.alias).name, column.attribute] = exponent

        def skewed(source: SourceType, kind: str) -> SourceType:
            attributes = dict(source.attributes)
            for name, attribute in attributes.items():
                if exponent := found.get((source.name, name)):
                    attributes[name] = replace(attribute, zipf=exponent)
                    place = f"{kind}.{source.name}.attributes.{name}.zipf"
                    self._found[place] = "two tuples are equal as often as in the data"
            return replace(source, attributes=attributes)

        return replace(
            filled,
            streams=tuple(skewed(stream, "streams") for stream in filled.streams),
            relations=tuple(skewed(relation, "relations") for relation in filled.relations),
        )

    def _undeclared(self, query: Query, column: Column) -> CountedValues | None:
        """The values of a column of which nothing was declared, and how many rows there are."""
        values = self._of(query, column)
        if values is None or attribute_of(self._workload, query, column).distinct is not None:
            return None
        return CountedValues(values, len(self._tables[query.source(column.alias).name]))

    def _run(self, filled: Workload) -> RunSettings:
        """Where a relation grows, its size depends on what is measured: all that the data cover.

        So does the importance of all results, which is what a bound of memory is planned by.
        """
        grows = any(r.changes.inserts != r.changes.deletes for r in filled.relations)
        first, last = self._covered()
        seconds = (last - first) / 1e6
        if filled.execution.memory is not None:
            # n arrivals have n - 1 gaps between the first and the last.
            count = sum(len(table.ts) for table in self._tables.values())
            seconds *= count / max(1, count - 1)
        elif not grows:
            return filled.run
        seconds -= filled.warmup
        return replace(filled.run, duration=seconds) if seconds > 0 else filled.run

    def _covered(self) -> tuple[int, int]:
        """The times of the first and the last tuple; 0 where there is none."""
        times = [table.ts for table in self._tables.values() if len(table.ts)]
        if not times:
            return 0, 0
        return min(int(ts[0]) for ts in times), max(int(ts[-1]) for ts in times)

    def _stream(self, stream: Stream) -> Stream:
        table = self._tables.get(stream.name)
        if table is None:
            return stream
        place = f"streams.{stream.name}"
        stream = replace(stream, attributes=self._attributes(stream, place))
        if stream.rate is not None:
            return stream
        rate = self._rate(table, f"{place}.rate")
        self._found[f"{place}.rate"] = f"{len(table)} rows"
        if stream.arrivals != Arrivals() or len(table) < FEWEST_ARRIVALS:
            return replace(stream, rate=rate)
        arrivals, detail = arrivals_of(table.ts)
        self._found[f"{place}.arrivals"] = detail
        return replace(stream, rate=rate, arrivals=arrivals)

    def _rate(self, table: Table, place: str) -> float:
        """A stream's share of all arrivals, over the time that all streams cover together."""
        count = sum(len(t.ts) for t in self._tables.values())
        first, last = self._covered()
        micros = last - first
        if not len(table) or not micros:
            why = "all rows have the same ts" if len(table) else "the file has no rows"
            raise PlanError(f"cannot be inferred, since {why}; declare it", place)
        # n arrivals have n - 1 gaps between the first and the last.
        return len(table) / count * (count - 1) / (micros / 1e6)

    def _relation(self, relation: Relation) -> Relation:
        table = self._tables.get(relation.name)
        if table is None:
            return relation
        place = f"relations.{relation.name}"
        rows, changes = relation.rows, relation.changes
        active, counted = self._validity(table)
        if changes == RelationChanges() and counted != changes:
            changes = counted
            for name in ("inserts", "deletes"):
                self._found[f"{place}.changes.{name}"] = f"begin and end of {len(table)} rows"
        if rows is None:
            rows = active
            text = "rows of the file" if rows == len(table) else "rows active at the first ts"
            self._found[f"{place}.rows"] = text
        attributes = self._attributes(relation, place)
        return replace(relation, rows=rows, attributes=attributes, changes=changes)

    def _validity(self, table: Table) -> tuple[int, RelationChanges]:
        """The rows that are active when the first tuple arrives, and what changes after it."""
        if table.begin is None and table.end is None:
            return len(table), RelationChanges()
        first, last = self._covered()
        begin = np.full(len(table), FIRST) if table.begin is None else table.begin
        end = np.full(len(table), LAST) if table.end is None else table.end
        ever = begin < end
        active = int((ever & (begin <= first) & (first < end)).sum())
        seconds = (last - first) / 1e6
        if not seconds:
            return active, RelationChanges()
        come = int((ever & (first < begin) & (begin <= last)).sum())
        gone = int((ever & (first < end) & (end <= last)).sum())
        return active, RelationChanges(come / seconds, gone / seconds)

    def _attributes(self, source: Stream | Relation, place: str) -> dict[str, Attribute]:
        attributes = dict(source.attributes)
        for name, column in self._tables[source.name].columns.items():
            attribute = attributes.get(name)
            if attribute is not None and attribute.distinct is not None:
                # Files say what a column holds, whatever was declared of it.
                attributes[name] = _typed(attribute, column)
                continue
            # A column without a value joins nothing; it is planned as if it held one.
            distinct = max(1, len(self._distribution(source.name, name).values))
            self._found[f"{place}.attributes.{name}.distinct"] = f"{len(column.values)} rows"
            known = _typed(attribute or Attribute(), column)
            attributes[name] = replace(known, distinct=min(distinct, MAX_DISTINCT))
            typical = typical_values(column) if self._is_importance(source, name) else ()
            if typical:
                attributes[name] = replace(known, values=typical)
                text = f"{len(typical)} typical values of {len(column.values)} rows"
                self._found[f"{place}.attributes.{name}.distinct"] = text
        return attributes

    def _is_importance(self, source: Stream | Relation, name: str) -> bool:
        """Whether a column is an importance and nothing else: then its values matter, not keys."""
        if not isinstance(source, Stream) or source.importance != name:
            return False
        compared = (
            (query.source(column.alias).name, column.attribute)
            for query in self._workload.queries
            for column in (
                *(side for p in query.predicates for side in (p.left, p.right)),
                *(condition.column for condition in query.filters),
            )
        )
        return (source.name, name) not in compared

    def _distribution(self, source: str, attribute: str) -> Distribution:
        key = (source, attribute)
        if key not in self._distributions:
            self._distributions[key] = counted_distribution(self._tables[source].columns[attribute])
        return self._distributions[key]

    def _of(self, query: Query, column: Column) -> Distribution | None:
        source = query.source(column.alias).name
        table = self._tables.get(source)
        known = table is not None and column.attribute in table.columns and len(table) > 0
        return self._distribution(source, column.attribute) if known else None

    def _selectivities(self, kind: str) -> dict[str, DeclaredStatistic]:
        statistics = self._workload.statistics
        filled = dict(statistics.filters if kind == "filters" else statistics.predicates)
        for query in self._workload.queries:
            conditions = query.filters if kind == "filters" else all_predicates(query)
            for condition in conditions:
                given = declared(statistics, query, condition) or DeclaredStatistic()
                measured = self._measured(query, condition)
                if given.selectivity is not None or measured is None:
                    continue
                filled[next(keys(query, condition))] = replace(given, selectivity=measured)
                place = selectivity_place(query, condition)
                self._found[place] = "counted over all values of the data"
        return filled

    def _measured(self, query: Query, condition: Predicate | Filter) -> float | None:
        if isinstance(condition, Filter):
            values = self._of(query, condition.column)
            if values is None:
                return None
            return share_of_values(values, condition)
        left, right = self._of(query, condition.left), self._of(query, condition.right)
        if left is None or right is None:
            return None
        return share_of_pairs(left, condition.comparison, right, condition.offset)


def typical_values(column: ColumnData) -> tuple[float, ...]:
    """Values that stand for equal parts of a column's rows, each the mean of its part; none for
    text, or where there is no value.

    >>> typical_values(ColumnData(np.array([3, 1, 2])))
    (1.0, 2.0, 3.0)
    """
    present = column.values if column.valid is None else column.values[column.valid]
    if present.dtype == object or not len(present):
        return ()
    ordered = np.sort(present.astype(np.float64))
    parts = np.array_split(ordered, min(TYPICAL_VALUES, len(ordered)))
    found: list[float] = []
    for part in parts:
        mean = float(part.mean())
        # Values are listed once: equal ones differ by their last digits.
        found.append(np.nextafter(found[-1], np.inf) if found and mean <= found[-1] else mean)
    return tuple(map(float, found))


def arrivals_of(ts: NDArray[np.int64]) -> tuple[Arrivals, str]:
    """How tuples of these times arrive: bursts of equal times, evenly, or at random."""
    instants = np.unique(ts)
    burst = len(ts) / len(instants)
    if burst >= LEAST_BURST:
        return Arrivals("pareto", burst), f"{burst:.3g} tuples share a ts on average"
    gaps = np.diff(instants).astype(np.float64)
    spread = float(gaps.var() / gaps.mean() ** 2)
    kind = Arrivals("regular") if spread < REGULAR_BELOW else Arrivals("poisson")
    return kind, f"gaps vary by {spread:.3g} (0: regular, 1: Poisson)"


def _typed(attribute: Attribute, column: ColumnData) -> Attribute:
    """The attribute with what only the data can say: its type, and how often it is missing."""
    missing = 0.0 if len(column.values) else 1.0
    if column.valid is not None and len(column.valid):
        missing = 1 - column.valid.mean()
    kind = attribute.type if attribute.values else _type_of(column.values)
    return replace(attribute, type=kind, missing=round(float(missing), 9))


def _type_of(values: NDArray[np.generic]) -> Literal["integer", "float", "string"]:
    if values.dtype == object:
        return "string"
    return "integer" if np.issubdtype(values.dtype, np.integer) else "float"
