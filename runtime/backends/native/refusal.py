"""What Spark's own operators cannot express, each with the reason in one sentence."""

from __future__ import annotations

from planner.plan.plan import Plan
from planner.workload.query import CountWindow, Query, common_block
from planner.workload.workload import Workload
from runtime.runs.records import Way

FAMILIES = ("join_order", "early_aggregation", "sliced_chain")
MOST_STREAM_JOINS = 40


def refusal(plan: Plan, workload: Workload, way: Way) -> str | None:
    """Why Spark's own operators do not run this plan this way; None where they do."""
    if plan.family not in FAMILIES:
        return f"plans of {plan.family} need operators that Spark does not have"
    if workload.run.changes and plan.family == "sliced_chain":
        return (
            "Spark's own operators cannot change their queries while they run; remove run.changes"
        )
    counted = _counted(workload)
    if counted is not None:
        return (
            f"{counted}: Spark's joins know how old a tuple is, not how many came after it; use a "
            "window of time"
        )
    if plan.family == "early_aggregation":
        return _aggregation(workload.queries[0], way)
    joins = sum(operator.kind == "slice" for operator in plan.operators())
    if way == "stream" and joins > MOST_STREAM_JOINS:
        return (
            f"it has {joins} joins, each with state stores of its own on Spark; at most "
            f"{MOST_STREAM_JOINS} are streamed: use replay, or a plan with fewer slices"
        )
    return None


def _counted(workload: Workload) -> str | None:
    """The first source whose window is one of rows."""
    for query in workload.queries:
        for source in query.sources:
            if isinstance(source.window, CountWindow):
                return f"{source.alias} of {query.name} has the window [{source.window}]"
    return None


def _aggregation(query: Query, way: Way) -> str | None:
    if not common_block(query):
        return (
            "Spark aggregates a join by blocks of time: all windows must be tumbling and of one "
            "length; groups that follow a sliding or landmark window it does not keep"
        )
    if way == "stream":
        return "aggregations are not streamed on Spark's own operators yet; use replay"
    return None
