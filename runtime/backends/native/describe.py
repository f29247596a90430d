"""What Spark's own operators are to do for a plan, whichever family it is of."""

from __future__ import annotations

from planner.plan.plan import Plan
from planner.workload.workload import Workload
from runtime.backends.native.describe_aggregation import NativeAggregation, describe_aggregation
from runtime.backends.native.describe_join import describe_join
from runtime.backends.native.describe_slices import describe_slices
from runtime.backends.native.description import NativeJoins


def describe(plan: Plan, workload: Workload) -> NativeJoins | NativeAggregation:
    """The plan as joins of Spark's; `refusal` has nothing against it."""
    if plan.family == "early_aggregation":
        return describe_aggregation(plan, workload)
    return describe_joins(plan, workload)


def describe_joins(plan: Plan, workload: Workload) -> NativeJoins:
    """A plan that joins, and aggregates nothing."""
    if plan.family == "sliced_chain":
        return describe_slices(plan, workload)
    return describe_join(plan, workload)
