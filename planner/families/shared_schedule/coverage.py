"""Which workloads a schedule covers: joins that share one scan; what it does not, said plainly."""

from __future__ import annotations

from planner.joins.coverage import join_refusal
from planner.joins.pair_coverage import (
    access_refusal,
    combinations_refusal,
    sliding_refusal,
    two_streams_refusal,
)
from planner.joins.query_groups import groups_of
from planner.workload.execution import Execution
from planner.workload.query import CountWindow, Query
from planner.workload.validation import listed
from planner.workload.workload import Workload


def refusal(workload: Workload) -> str | None:
    """One sentence that names what is not covered, or None when the workload is covered."""
    reason = _execution(workload.execution)
    if reason is not None:
        return reason
    for query in workload.queries:
        # In this order: each check may rely on what those before it have seen.
        reason = (
            _clauses(query)
            or _count(query)
            or two_streams_refusal(workload, query)
            or sliding_refusal(query)
            or _one_window(query)
            or join_refusal(workload, query)
            or access_refusal(workload, query)
        )
        if reason is not None:
            return reason
    return _one_join(workload) or combinations_refusal(workload)


def _execution(execution: Execution) -> str | None:
    if execution.evaluate != "eager":
        return "a schedule orders scans that arrivals ask for; set execution.evaluate: eager"
    if execution.expire != "eager":
        return "a schedule drops tuples as others arrive; set execution.expire: eager"
    units = execution.unit_costs
    if units is not None and not units.get("compare") and not units.get("output"):
        return (
            "a scan takes no time by execution.unit_costs, so that nothing waits; give compare or "
            "output a time"
        )
    return None


def _clauses(query: Query) -> str | None:
    if query.aggregates or query.group_by:
        return (
            f"{query.name} aggregates, and its answer is no stream of results that could be late; "
            f"early_aggregation plans it with --query {query.name}"
        )
    return None


def _count(query: Query) -> str | None:
    if len(query.sources) > 2:
        return (
            f"{query.name} joins {len(query.sources)} streams, and a scan goes through one window; "
            f"join_order plans it with --query {query.name}"
        )
    return None


def _one_window(query: Query) -> str | None:
    left, right = query.sources
    if left.window != right.window:
        return (
            f"{query.name} has windows [{left.window}] and [{right.window}], and scans end at one "
            f"age; give both streams of {query.name} the same window"
        )
    return None


def _one_join(workload: Workload) -> str | None:
    groups = groups_of(workload)
    if len(groups) == 1:
        return None
    kinds = {isinstance(q.sources[0].window, CountWindow) for q in workload.queries}
    if len(kinds) > 1:
        return (
            "some windows are in seconds and some in rows, and scans go by one kind of age; use "
            "RANGE or ROWS in all queries"
        )
    own = {member.query for member in groups[0].members}
    others = listed((q.name for q in workload.queries if q.name not in own), 3)
    return (
        "queries join differently, and a schedule orders the work of one join: plan "
        f"{others} apart from {listed(member.query for member in groups[0].members)}"
    )
