"""Why more or less is held than expected: windows not full, rates, conditions, bursts, cells."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from planner.files.tuple_table import Table
from planner.numbers import amount
from planner.plan.cost import q_error
from planner.plan.operator_names import operator_name
from planner.plan.plan import Operator
from planner.statistics.distributions import counted_distribution, declared_distribution
from planner.statistics.selectivity import attribute_of
from planner.workload.query import Column, Query, TimeWindow
from planner.workload.validation import microseconds
from runtime.diagnosis import arrival_reasons
from runtime.diagnosis.arrival_overlap import explains, holding, slice_ages, sliced_holding
from runtime.diagnosis.diagnosis import MET, Origin
from runtime.diagnosis.filter_check import passing
from runtime.diagnosis.key_matches import column_of, skewed
from runtime.diagnosis.lineage import asked_ahead, joined_streams, query_fed
from runtime.runs.records import Run

# What others than windows hold.
_HELD = {"aggregate": "cells", "update": "groups"}

_NEARLY_ALL = 0.9


def of_state(run: Run, began: Origin, tables: Mapping[str, Table] | None) -> str:
    """What windows hold: they were not full yet, or what fills them came otherwise than planned."""
    workload, operator = run.workload, began.operator
    more = began.measured > began.predicted
    if workload.warmup < workload.longest_window and not more:
        return (
            f"counting began after {workload.warmup:g} s, when windows of up to "
            f"{workload.longest_window:g} s were not full yet; a longer warm-up would fill them"
        )
    said = _said(began)
    if cells := _of_cells(run, operator, tables, more):
        return f"{said}: {cells}"
    if rate := arrival_reasons.of_arrivals(run, operator, more):
        return rate
    if tables is not None and (passed := passing(run, tables, asked_ahead(run, operator))):
        return passed
    because = _of_arrivals(run, began, tables)
    return f"{said}: {because}" if because else said


def _said(began: Origin) -> str:
    where = operator_name(began.operator).removeprefix("insert ")
    what = _HELD.get(began.operator.kind, "tuples")
    return (
        f"{where} held {amount(began.measured)} where {amount(began.predicted)} {what} "
        "were expected"
    )


def _of_arrivals(run: Run, began: Origin, tables: Mapping[str, Table] | None) -> str:
    """How tuples came at their mean rate: unevenly, in bursts, or by chance."""
    if tables is not None and (uneven := _of_unevenness(run, began, tables)):
        return uneven
    if bursts := arrival_reasons.of_bursts(run, began.operator):
        return bursts
    if began.operator.kind in _HELD:
        return "as many different ones were there at a time"
    if run.request.data is None and arrival_reasons.is_chance(began.predicted, began.measured):
        return arrival_reasons.chance(began.predicted)
    return ""


def _of_unevenness(run: Run, began: Origin, tables: Mapping[str, Table]) -> str:
    """Streams that come unevenly, where that makes up for what was held."""
    operator = began.operator
    if operator.kind == "slice":
        streams, ages = joined_streams(operator), slice_ages(operator)
        if ages is None:
            return ""
        ratio = sliced_holding(run, tables, streams, ages)
        shortest = min(old - young for young, old in ages) / 1e6
    else:
        alias = dict(operator.params).get("source")
        source = next((s for s in query_fed(run, operator).sources if s.alias == alias), None)
        if source is None or not isinstance(source.window, TimeWindow):
            return ""
        streams, shortest = [source.name], source.window.seconds
        ratio = holding(run, tables, source.name, microseconds(shortest))
    error = math.log(max(began.measured, 1e-12) / max(began.predicted, 1e-12))
    if ratio is None or not explains(ratio, error):
        return ""
    return arrival_reasons.of_unevenness(run, tables, streams, shortest, ratio, "are held")


def _of_cells(run: Run, operator: Operator, tables: Mapping[str, Table] | None, more: bool) -> str:
    """Groups that are more or fewer than assumed, as the values of their attributes are."""
    if tables is None or operator.kind not in _HELD:
        return ""
    query = query_fed(run, operator)
    columns = _columns(query, str(operator.param("group")))
    for column in columns:
        counted = len(counted_distribution(column_of(query, tables, column)).values)
        assumed = len(declared_distribution(attribute_of(run.workload, query, column)).values)
        error = q_error(assumed, counted)
        if error is not None and error > MET and (counted > assumed) == more:
            many = "value" if counted == 1 else "values"
            return f"{column} has {amount(counted)} {many}, where {amount(assumed)} are assumed"
    if more:
        return ""
    for column in columns:
        values = counted_distribution(column_of(query, tables, column))
        if told := skewed(run.workload, query, column, values):
            return told
    return _dependent(query, tables, columns)


def _dependent(query: Query, tables: Mapping[str, Table], columns: list[Column]) -> str:
    """Attributes of one source that do not occur in all combinations."""
    if len(columns) < 2 or len({column.alias for column in columns}) > 1:
        return ""
    data = [column_of(query, tables, column) for column in columns]
    every = math.prod(len(np.unique(column.values)) for column in data)
    codes = [np.unique(column.values, return_inverse=True)[1] for column in data]
    found = len(np.unique(np.stack(codes, axis=1), axis=0))
    # So many of them occur where each tuple has any, whatever the others have.
    likely = every * -math.expm1(-len(data[0].values) / every) if every else 0.0
    if found >= _NEARLY_ALL * likely:
        return ""
    names = " and ".join(map(str, columns))
    return (
        f"{names} depend on each other: {amount(found)} combinations of their values occur, "
        f"where {amount(every)} are assumed"
    )


def _columns(query: Query, told: str) -> list[Column]:
    """The attributes of a group, as an operator names them."""
    asked = [*query.group_by, *(c for p in query.predicates for c in (p.left, p.right))]
    named = told.split(", ")
    return [c for c in dict.fromkeys(asked) if str(c) in named]
