"""Aggregates over a join that sheds: which are covered, and what can be said of each policy's."""

from __future__ import annotations

from typing import Literal

from planner.joins.coverage import sums_refusal, values_refusal
from planner.statistics.selectivity import attribute_of
from planner.workload.query import Query
from planner.workload.workload import Workload

# The windows are evaluated so often in a run, last at its last tuple.
EVALUATIONS = 20
MOST_GROUPS = 1_000
# 95 of 100 values of a normal distribution are within so many standard errors.
WITHIN = 1.96

# What the figure of an aggregate is: exact, right on average, or only of what was found.
Meaning = Literal["exact", "unbiased", "lower bound", "of what was found"]


def meaning_of(function: str, is_exact: bool, is_unbiased: bool) -> Meaning:
    """What is known of an aggregate of the results that were found.

    >>> meaning_of("count", is_exact=False, is_unbiased=False)
    'lower bound'
    """
    if is_exact:
        return "exact"
    if is_unbiased:
        return "unbiased"
    return "lower bound" if function == "count" else "of what was found"


def aggregation_refusal(workload: Workload, query: Query) -> str | None:
    """Why the aggregates of a query are not covered; None where they are, or there are none."""
    if query.group_by and not query.aggregates:
        return f"{query.name} has GROUP BY and no aggregate; add COUNT(*)"
    for aggregate in query.aggregates:
        if aggregate.function not in ("count", "sum") or aggregate.distinct:
            return (
                f"{aggregate.default_name()} has no estimate without a bias where tuples are shed; "
                "COUNT and SUM have"
            )
    if len(query.group_by) > 1:
        return f"{query.name} groups by {len(query.group_by)} attributes; one is covered"
    columns = [a.column for a in query.aggregates if a.column is not None]
    if unknown := values_refusal(workload, query, [*columns, *query.group_by]):
        return unknown
    for column in columns:
        if missing := attribute_of(workload, query, column).missing:
            return (
                f"{column} is missing in {100 * missing:.3g}% of the tuples; fill it in, or leave "
                "those tuples out"
            )
    for column in query.group_by:
        groups = attribute_of(workload, query, column).distinct or 0
        if groups > MOST_GROUPS:
            return f"{column} has {groups:,} values; at most {MOST_GROUPS:,} groups are covered"
    return sums_refusal(workload, query)
