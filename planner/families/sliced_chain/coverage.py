"""Which workloads a chain of sliced joins covers; the first thing it does not, said plainly."""

from __future__ import annotations

from planner.joins.coverage import join_refusal
from planner.joins.pair_coverage import (
    access_refusal,
    combinations_refusal,
    sliding_refusal,
    two_streams_refusal,
)
from planner.workload.execution import Execution
from planner.workload.query import Query
from planner.workload.workload import Workload


def refusal(workload: Workload) -> str | None:
    """One sentence that names what is not covered, or None when the workload is covered."""
    reason = _timing(workload.execution)
    if reason is not None:
        return reason
    for query in workload.queries:
        # In this order: each check may rely on what those before it have seen.
        reason = (
            _clauses(query)
            or two_streams_refusal(workload, query)
            or sliding_refusal(query)
            or join_refusal(workload, query)
            or access_refusal(workload, query)
        )
        if reason is not None:
            return reason
    return combinations_refusal(workload)


def _timing(execution: Execution) -> str | None:
    if execution.evaluate != "eager":
        return "slices are purged and probed at each arrival; set execution.evaluate: eager"
    if execution.expire != "eager":
        return "slices are purged at each arrival; set execution.expire: eager"
    return None


def _clauses(query: Query) -> str | None:
    if query.aggregates or query.group_by:
        return (
            f"{query.name} aggregates, and slices share joins alone; early_aggregation plans it "
            f"with --query {query.name}"
        )
    return None
