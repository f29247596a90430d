"""The model of a join that join orders cover."""

from __future__ import annotations

from planner.errors import PlanError
from planner.families.join_order import NAME
from planner.joins.coverage import join_refusal, relation_of, several_refusal
from planner.joins.model import JoinModel, join_of
from planner.workload.execution import Execution
from planner.workload.query import CountWindow, LandmarkWindow, Query, TimeWindow
from planner.workload.validation import MAX_STREAMS, exact, microseconds
from planner.workload.workload import Workload

# A label joins aliases with these, so an alias that holds one could not be read back.
LABEL_MARKS = ",;:="


def refusal(workload: Workload) -> str | None:
    """One sentence that names what is not covered, or None when the workload is covered."""
    if (several := several_refusal(workload)) is not None:
        return several
    query = workload.queries[0]
    # In this order: each check may rely on what those before it have seen.
    return (
        _sources(query)
        or _clauses(query)
        or _timing(workload.execution)
        or _windows(workload, query)
        or join_refusal(workload, query)
    )


def _sources(query: Query) -> str | None:
    count = len(query.sources)
    if count < 2:
        return f"{query.name} has one source; a join order needs two or more"
    if count > MAX_STREAMS:
        return f"{query.name} joins {count} sources; at most {MAX_STREAMS} are planned"
    for source in query.sources:
        marks = [mark for mark in LABEL_MARKS if mark in source.alias]
        if marks or source.alias != source.alias.strip():
            return f"the alias {source.alias!r} cannot stand in a label; give it a plain alias"
    return None


def _clauses(query: Query) -> str | None:
    if query.aggregates or query.group_by:
        return f"{query.name} aggregates; join orders are planned for SELECT * alone"
    return None


def _timing(execution: Execution) -> str | None:
    evaluate, expire = execution.evaluate, execution.expire
    if evaluate == "eager" or expire == "eager":
        return None
    if microseconds(expire.seconds) % microseconds(evaluate.seconds):
        return (
            f"expiration every {exact(expire.seconds)} s does not fall on evaluations every "
            f"{exact(evaluate.seconds)} s; make execution.expire a multiple of execution.evaluate"
        )
    return None


def _windows(workload: Workload, query: Query) -> str | None:
    relations = [relation_of(workload, source) for source in query.sources]
    if all(relations):
        return f"{query.name} joins relations alone; a join order needs a stream"
    for source, relation in zip(query.sources, relations, strict=True):
        if relation is not None:
            continue
        if source.window is None:
            return f"{source.alias} is a stream without a window; only a relation has none"
        if not isinstance(source.window, TimeWindow | CountWindow | LandmarkWindow):
            covered = "[RANGE ...], [ROWS ...] and [LANDMARK] are covered"
            return f"{source.alias} has the window [{source.window}]; {covered}"
        lazy = workload.execution.evaluate != "eager" or workload.execution.expire != "eager"
        if lazy and isinstance(source.window, LandmarkWindow):
            return (
                f"{source.alias} has the window [LANDMARK], which never ends and is planned for "
                "eager joins alone; set execution.evaluate and execution.expire to eager"
            )
    return None


def model_of(workload: Workload) -> JoinModel:
    """The model of a covered workload; a PlanError that says why where it is not covered."""
    reason = refusal(workload)
    if reason is not None:
        raise PlanError(reason, NAME)
    return join_of(workload)
