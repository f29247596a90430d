"""Statistics: declared, derived, or inferred from the user's own data where nothing is declared."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from planner.checks import MAX_DISTINCT
from planner.declared import all_predicates, declared, keys
from planner.distributions import (
    Distribution,
    counted_distribution,
    share_of_pairs,
    share_of_values,
)
from planner.errors import PlanError
from planner.execution import DeclaredStatistic
from planner.query import Column, Filter, Predicate, Query
from planner.selectivity import (
    Provenance,
    filter_selectivity,
    predicate_selectivity,
    provenance,
    selectivity_place,
)
from planner.streams import Arrivals, Attribute, Relation, Stream
from planner.tables import Table
from planner.workload import Workload

__all__ = [
    "Provenance",
    "filter_selectivity",
    "infer",
    "predicate_selectivity",
    "provenance",
]

# Tuples that share their ts arrive in bursts when there are this many of them on average.
LEAST_BURST = 1.5
# The squared coefficient of variation of gaps is 0 for regular and 1 for Poisson arrivals.
REGULAR_BELOW = 0.25
FEWEST_ARRIVALS = 10


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
        return filled, provenance(filled, self._found)

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
        times = [t.ts for t in self._tables.values() if len(t.ts)]
        count = sum(len(ts) for ts in times)
        micros = max(int(ts[-1]) for ts in times) - min(int(ts[0]) for ts in times) if times else 0
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
        rows = relation.rows
        if rows is None:
            rows = len(table)
            self._found[f"{place}.rows"] = "rows of the file"
        return replace(relation, rows=rows, attributes=self._attributes(relation, place))

    def _attributes(self, source: Stream | Relation, place: str) -> dict[str, Attribute]:
        attributes = dict(source.attributes)
        for name, column in self._tables[source.name].columns.items():
            attribute = attributes.get(name)
            if attribute is not None and attribute.distinct is not None:
                continue
            # A column without a value joins nothing; it is planned as if it held one.
            distinct = max(1, len(self._distribution(source.name, name).values))
            self._found[f"{place}.attributes.{name}.distinct"] = f"{len(column.values)} rows"
            known = attribute or Attribute(type=_type_of(column.values))
            attributes[name] = replace(known, distinct=min(distinct, MAX_DISTINCT))
        return attributes

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
                place = selectivity_place(query, condition, kind)
                self._found[place] = "counted over all values of the data"
        return filled

    def _measured(self, query: Query, condition: Predicate | Filter) -> float | None:
        if isinstance(condition, Filter):
            values = self._of(query, condition.column)
            if values is None:
                return None
            return share_of_values(values, condition.comparison, condition.constant)
        left, right = self._of(query, condition.left), self._of(query, condition.right)
        if left is None or right is None:
            return None
        return share_of_pairs(left, condition.comparison, right, condition.offset)


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


def _type_of(values: NDArray[np.generic]) -> Literal["integer", "float", "string"]:
    if values.dtype == object:
        return "string"
    return "integer" if np.issubdtype(values.dtype, np.integer) else "float"
