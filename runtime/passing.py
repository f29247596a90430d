"""Conditions that more or fewer tuples pass than the model assumes, as counted in the tuples."""

from __future__ import annotations

import math
from collections.abc import Mapping

from planner.changes import queries_of_run
from planner.cost import q_error
from planner.distributions import counted_distribution, share_of_values
from planner.selectivity import filter_selectivity
from planner.tables import Table
from runtime.diagnosis import MET
from runtime.records import Run

_DEVIATIONS = 3.0


def passing(run: Run, tables: Mapping[str, Table]) -> str:
    """The condition of a query that is furthest from what is assumed; empty where all are near."""
    worst, told = MET, ""
    for query in queries_of_run(run.workload):
        for condition in query.filters:
            table = tables[query.source(condition.column.alias).name]
            values = counted_distribution(table.columns[condition.column.attribute])
            counted = share_of_values(values, condition.comparison, condition.constant)
            assumed = filter_selectivity(run.workload, query, condition)
            error = q_error(assumed, counted) or math.inf
            if error > worst:
                worst = error
                told = (
                    f"{100 * counted:.3g}% of the tuples pass {condition}, where "
                    f"{100 * assumed:.3g}% were assumed"
                )
                if run.request.data is None and _by_chance(assumed, counted, len(table)):
                    told += f", by chance in {len(table):,} tuples"
    return told


def _by_chance(assumed: float, counted: float, rows: int) -> bool:
    usual = math.sqrt(max(assumed * (1 - assumed), 1e-12) / max(rows, 1))
    return abs(counted - assumed) <= _DEVIATIONS * usual
