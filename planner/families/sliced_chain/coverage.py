"""Which workloads a chain of sliced joins covers; the first thing it does not, said plainly."""

from __future__ import annotations

from planner.joins.shared.pair_coverage import Reasons, combinations_refusal, shared_join_refusal
from planner.workload.workload import Workload

_REASONS = Reasons(
    lazy_evaluation="slices are purged and probed at each arrival",
    lazy_expiration="slices are purged at each arrival",
    aggregates="slices share joins alone",
    many_streams=(
        ": their tuples in one result differ in age, so they lie in different slices, and states "
        "would have to be read across slices and would not be disjoint"
    ),
)


def refusal(workload: Workload) -> str | None:
    """One sentence that names what is not covered, or None when the workload is covered."""
    return shared_join_refusal(workload, _REASONS) or combinations_refusal(workload)
