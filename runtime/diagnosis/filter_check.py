"""Conditions that more or fewer tuples pass than the model assumes, as counted in the tuples."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from planner.files.tuple_table import Table
from planner.plan.cost import q_error
from planner.statistics.distributions import (
    Distribution,
    counted_distribution,
    satisfying,
    share_of_values,
)
from planner.statistics.selectivity import filter_selectivity, filters_selectivity
from planner.workload.query import Filter, Query
from runtime.diagnosis.diagnosis import MET
from runtime.runs.records import Run

_DEVIATIONS = 3.0


def passing(run: Run, tables: Mapping[str, Table], queries: Sequence[Query]) -> str:
    """The condition of these queries that is furthest from what is assumed; empty where all are
    near. Where each of them is near, several that are asked for together may not be."""
    return _worst(_single(run, tables, queries), run) or _worst(
        _together(run, tables, queries), run
    )


Share = tuple[str, float, float, int]


def _worst(shares: Iterator[Share], run: Run) -> str:
    worst, told = MET, ""
    for words, counted, assumed, rows in shares:
        error = q_error(assumed, counted) or math.inf
        if error > worst:
            worst = error
            told = f"{100 * counted:.3g}% of the tuples pass {words}, where "
            told += f"{100 * assumed:.3g}% were assumed"
            if run.request.data is None and _by_chance(assumed, counted, rows):
                told += f", by chance in {rows:,} tuples"
    return told


def _single(run: Run, tables: Mapping[str, Table], queries: Sequence[Query]) -> Iterator[Share]:
    for query in queries:
        for condition in query.filters:
            table = tables[query.source(condition.column.alias).name]
            values = counted_distribution(table.columns[condition.column.attribute])
            counted = share_of_values(values, condition.comparison, condition.constant)
            assumed = filter_selectivity(run.workload, query, condition)
            yield str(condition), counted, assumed, len(table)


def _together(run: Run, tables: Mapping[str, Table], queries: Sequence[Query]) -> Iterator[Share]:
    """Conditions on several attributes of one source: are they independent, as is assumed?"""
    for query in queries:
        for source in query.sources:
            asked = [f for f in query.filters if f.column.alias == source.alias]
            if len({condition.column for condition in asked}) < 2:
                continue
            table = tables[source.name]
            passed = np.logical_and.reduce([_passes(table, f) for f in asked])
            counted = float(passed.mean()) if len(table) else 0.0
            assumed = filters_selectivity(run.workload, query, asked)
            yield " and ".join(map(str, asked)), counted, assumed, len(table)


def _passes(table: Table, condition: Filter) -> NDArray[np.bool_]:
    column = table.columns[condition.column.attribute]
    every = Distribution(column.values, np.ones(len(column.values)))
    passed = satisfying(every, [(condition.comparison, condition.constant)])
    return passed if column.valid is None else passed & column.valid


def _by_chance(assumed: float, counted: float, rows: int) -> bool:
    usual = math.sqrt(max(assumed * (1 - assumed), 1e-12) / max(rows, 1))
    return abs(counted - assumed) <= _DEVIATIONS * usual
