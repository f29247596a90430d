"""Which workloads a chain of sliced joins covers; the first thing it does not, said plainly."""

from __future__ import annotations

from planner.joins.coverage import join_refusal, relation_of
from planner.joins.query_groups import BOTH, groups_of
from planner.joins.shares import StreamShares, TooManyError
from planner.workload.execution import Execution
from planner.workload.query import CountWindow, Query, TimeWindow
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
            or _sources(workload, query)
            or _windows(query)
            or join_refusal(workload, query)
            or _hashing(workload, query)
        )
        if reason is not None:
            return reason
    return _combinations(workload)


def _combinations(workload: Workload) -> str | None:
    """Why the conditions of the queries are too many to tell what passes which of them."""
    try:
        for group in groups_of(workload):
            for side in BOTH:
                StreamShares(group, side, workload.stream(group.streams[side]))
    except TooManyError as error:
        return error.message
    return None


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


def _sources(workload: Workload, query: Query) -> str | None:
    alone = f"join_order plans it with --query {query.name}"
    for source in query.sources:
        if relation_of(workload, source) is not None:
            return f"{query.name} joins the relation {source.name}, which has no window; {alone}"
    count = len(query.sources)
    if count == 1:
        return f"{query.name} reads one stream and joins nothing; {alone}"
    if count > 2:
        return (
            f"{query.name} joins {count} streams: their tuples in one result differ in age, so "
            "they lie in different slices, and states would have to be read across slices and "
            f"would not be disjoint; {alone}"
        )
    if query.sources[0].name == query.sources[1].name:
        return f"{query.name} joins {query.sources[0].name} with itself; {alone}"
    return None


def _windows(query: Query) -> str | None:
    alone = f"join_order plans it with --query {query.name}"
    for source in query.sources:
        if source.window is None:
            return f"{source.alias} is a stream without a window; only a relation has none"
        if not isinstance(source.window, TimeWindow | CountWindow):
            return f"{query.name} has a window [{source.window}], which does not slide; {alone}"
    if len({type(source.window) for source in query.sources}) > 1:
        return (
            f"{query.name} has a RANGE and a ROWS window: ages in seconds and in rows make no "
            f"common slices; {alone}"
        )
    return None


def _hashing(workload: Workload, query: Query) -> str | None:
    """A tuple is stored and probes by the same bucket, so both streams need the same ones."""
    execution, (left, right) = workload.execution, query.sources
    if execution.method(left) != execution.method(right):
        return (
            f"{left.name} and {right.name} are joined in different ways; a slice hashes both or "
            "none: set execution.join to one of nested and hash"
        )
    if execution.bucket_count(left) != execution.bucket_count(right):
        return (
            f"{left.name} and {right.name} have different numbers of buckets, and a slice has one; "
            "set execution.buckets to one number"
        )
    return None
