"""What joins must have to be shared: two streams, sliding windows of one kind, one access."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from planner.joins.coverage import join_refusal, relation_of
from planner.joins.shared.query_groups import BOTH, groups_of
from planner.joins.shared.shares import StreamShares, TooManyError
from planner.workload.query import CountWindow, LandmarkWindow, Query, TimeWindow
from planner.workload.validation import exact
from planner.workload.workload import Workload


@dataclass(frozen=True, slots=True)
class Reasons:
    """Why a family cannot do what no family that shares joins can, in its own words."""

    lazy_evaluation: str
    lazy_expiration: str
    aggregates: str
    many_streams: str


def shared_join_refusal(
    workload: Workload,
    reasons: Reasons,
    windows_refusal: Callable[[Query], str | None] = lambda _: None,
) -> str | None:
    """One sentence that names what is not covered, or None when every query can share a join."""
    if workload.execution.evaluate != "eager":
        return f"{reasons.lazy_evaluation}; set execution.evaluate: eager"
    if workload.execution.expire != "eager":
        return f"{reasons.lazy_expiration}; set execution.expire: eager"
    for query in workload.queries:
        # In this order: each check may rely on what those before it have seen.
        reason = (
            _clauses(query, reasons)
            or _two_streams(workload, query, reasons)
            or _sliding(query)
            or windows_refusal(query)
            or join_refusal(workload, query)
            or _access(workload, query)
        )
        if reason is not None:
            return reason
    return None


def _clauses(query: Query, reasons: Reasons) -> str | None:
    if query.aggregates or query.group_by:
        return (
            f"{query.name} aggregates, and {reasons.aggregates}; early_aggregation plans it with "
            f"--query {query.name}"
        )
    return None


def _two_streams(workload: Workload, query: Query, reasons: Reasons) -> str | None:
    alone = f"join_order plans it with --query {query.name}"
    for source in query.sources:
        if relation_of(workload, source) is not None:
            return f"{query.name} joins the relation {source.name}, which has no window; {alone}"
    count = len(query.sources)
    if count == 1:
        return f"{query.name} reads one stream and joins nothing; {alone}"
    if count > 2:
        return f"{query.name} joins {count} streams{reasons.many_streams}; {alone}"
    if query.sources[0].name == query.sources[1].name:
        return f"{query.name} joins {query.sources[0].name} with itself; {alone}"
    return None


def _sliding(query: Query) -> str | None:
    alone = f"join_order plans it with --query {query.name}"
    for source in query.sources:
        if source.window is None:
            return f"{source.alias} is a stream without a window; only a relation has none"
        if isinstance(source.window, LandmarkWindow):
            return (
                f"{query.name} has the window [LANDMARK], which does not slide: its tuples have no "
                f"age at which they leave; {alone}"
            )
        if not isinstance(source.window, TimeWindow | CountWindow):
            return (
                f"{query.name} has the window [{source.window}], which does not slide; write "
                f"[RANGE {exact(source.window.seconds)}]"
            )
    if len({type(source.window) for source in query.sources}) > 1:
        return (
            f"{query.name} has a RANGE and a ROWS window: ages in seconds and in rows make no "
            f"common slices; {alone}"
        )
    return None


def _access(workload: Workload, query: Query) -> str | None:
    """A tuple is stored and probes by the same bucket, so both streams need the same ones."""
    execution, (left, right) = workload.execution, query.sources
    if execution.method(left) != execution.method(right):
        return (
            f"{left.name} and {right.name} are joined in different ways; a shared join hashes "
            "both or none: set execution.join to one of nested and hash"
        )
    if execution.bucket_count(left) != execution.bucket_count(right):
        return (
            f"{left.name} and {right.name} have different numbers of buckets, and a shared join "
            "has one; set execution.buckets to one number"
        )
    return None


def combinations_refusal(workload: Workload) -> str | None:
    """Why the conditions of the queries are too many to tell what passes which of them."""
    try:
        for group in groups_of(workload):
            for side in BOTH:
                StreamShares(group, side, workload.stream(group.streams[side]))
    except TooManyError as error:
        return error.message
    return None
