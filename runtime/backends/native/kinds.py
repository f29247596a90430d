"""What Spark's own operators can express: the kinds of plans, by the family they are of."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from planner.plan.plan import Plan
from planner.workload.workload import Workload
from runtime.backends.native import aggregation, join, slices
from runtime.backends.native.description import NativePlan, Use


class Kind(Protocol):
    """How the plans of a family are described for Spark's own operators."""

    def refuses(self, plan: Plan, workload: Workload, use: Use) -> str | None:
        """Say in one sentence why they do not express this plan; None where they do."""

    def describe(self, plan: Plan, workload: Workload) -> NativePlan:
        """The plan as joins of Spark's; it is not refused."""


_KINDS: Mapping[str, Kind] = {
    "join_order": join,
    "early_aggregation": aggregation,
    "sliced_chain": slices,
}


def refusal(plan: Plan, workload: Workload, use: Use) -> str | None:
    """Why Spark's own operators do not run or export this plan; None where they do."""
    if plan.family not in _KINDS:
        return f"plans of {plan.family} need operators that Spark does not have"
    return _KINDS[plan.family].refuses(plan, workload, use)


def describe(plan: Plan, workload: Workload) -> NativePlan:
    """What Spark's own operators are to do for a plan; `refusal` has nothing against it."""
    return _KINDS[plan.family].describe(plan, workload)
