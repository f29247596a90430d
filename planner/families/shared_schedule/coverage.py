"""Which workloads a schedule covers: joins that share one scan; what it does not, said plainly."""

from __future__ import annotations

from planner.joins.shared.pair_coverage import Reasons, combinations_refusal, shared_join_refusal
from planner.joins.shared.query_groups import groups_of
from planner.seconds.clock import takes_no_time
from planner.workload.query import CountWindow, Query
from planner.workload.validation import listed
from planner.workload.workload import Workload

_REASONS = Reasons(
    lazy_evaluation="a schedule orders scans that arrivals ask for",
    lazy_expiration="a schedule drops tuples as others arrive",
    aggregates="its answer is no stream of results that could be late",
    many_streams=", and a scan goes through one window",
)


def refusal(workload: Workload) -> str | None:
    """One sentence that names what is not covered, or None when the workload is covered."""
    return (
        shared_join_refusal(workload, _REASONS, _one_window)
        or _no_time(workload)
        or _one_join(workload)
        or combinations_refusal(workload)
    )


def _no_time(workload: Workload) -> str | None:
    if takes_no_time(workload.execution):
        return (
            "a scan takes no time, so nothing ever waits; give compare or output a time in "
            "execution.unit_costs"
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
