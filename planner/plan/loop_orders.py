"""The loop orders of a join plan, read off its operators, and which kernel can run them."""

from __future__ import annotations

from planner.plan.plan import Operator, Plan
from planner.workload.query import TimeWindow
from planner.workload.workload import Workload


def pipeline_of(end: Operator) -> list[Operator]:
    """The operators that lead to this one: what the outermost loop starts from, then probes."""
    chain = [end]
    while chain[-1].kind == "probe":
        chain.append(chain[-1].inputs[0])
    return chain[::-1]


def pipelines(plan: Plan) -> dict[str, list[Operator]]:
    """Of each origin the operators of its loops: what the outermost starts from, then probes."""
    (output,) = plan.roots
    return {str(end.param("origin")): pipeline_of(end) for end in output.inputs}


def is_multiway(plan: Plan, workload: Workload) -> bool:
    """Whether the multi-way kernel runs it: a join that it knows, new tuples outermost."""
    return fits_multiway(workload) and all(
        pipeline_of(end)[0].kind == "arrive" for output in plan.roots for end in output.inputs
    )


def fits_multiway(workload: Workload) -> bool:
    """Whether the multi-way kernel knows the join: eager, on one common attribute, no filters."""
    (query,) = workload.queries
    classes = query.equality_classes()
    return (
        workload.execution.evaluate == "eager"
        and workload.execution.expire == "eager"
        and not query.filters
        and len(classes) == 1
        and len(classes[0]) == len(query.sources)
        and all(p.is_equality for p in query.predicates)
        and all(isinstance(source.window, TimeWindow) for source in query.sources)
    )
