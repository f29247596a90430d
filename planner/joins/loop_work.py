"""The work of nested loops as what takes a kernel's time: shared by families whose plans probe."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from planner.joins.probes import EACH, HASH, HASH_CHECKED, SCAN, SCAN_CHECKED
from planner.plan.cost import Cost
from planner.plan.loop_orders import pipeline_of
from planner.plan.plan import Operator, Plan
from planner.seconds.kernel_work import Kernel, KernelWork, Work
from planner.workload.execution import Every
from planner.workload.query import CountWindow, Query, TimeWindow
from planner.workload.workload import Workload

# Kernels of lazy and eager joins, which go through their loops at evaluations.
_EVALUATED = ("loops", "relations")


def loop_work(
    kernel: Kernel, plan: Plan, costs: Mapping[str, Cost], workload: Workload
) -> KernelWork:
    """The work of a plan whose pipelines of probes this kernel runs."""
    operators = plan.operators()
    found = []
    for operator in operators:
        kind, given = f"{kernel} {operator.kind}", 0.0
        if operator.kind == "probe":
            kind = f"{kind} {_access(operator, workload.queries[0])}"
            given = _looked_up(operator, kernel, operators, costs, workload)
        elif operator.kind == "output" and kernel in _EVALUATED:
            given = sum(_evaluations(op, costs, workload) for op in operators)
        found.append(Work(kind, costs[operator.id], given))
    held = sum(costs[op.id].state_tuples for op in operators if op.kind in ("insert", "table"))
    return KernelWork(kernel, tuple(found), Work(f"{kernel} batch", Cost(rows_out=1.0), held))


def _access(probe: Operator, query: Query) -> str:
    """How a probe of a join goes through its window: only where keys are equal can it scan them."""
    joined = {str(above.param("source")) for above in pipeline_of(probe.inputs[0])}
    target = str(probe.param("source"))
    classes = [{column.alias for column in columns} for columns in query.equality_classes()]
    equal = sum(target in aliases and bool(aliases & joined) for aliases in classes)
    if not equal or target == str(probe.param("origin")):
        return EACH
    pairs = ({p.left.alias, p.right.alias} for p in query.predicates if not p.is_equality)
    others = any(target in pair and bool(pair & joined) for pair in pairs)
    if probe.param("access") == "hash":
        return HASH_CHECKED if equal > 1 or others else HASH
    return SCAN_CHECKED if equal > 1 or others else SCAN


def _evaluations(operator: Operator, costs: Mapping[str, Cost], workload: Workload) -> float:
    """How often per second the loops of a stream that arrives are gone through."""
    if operator.kind != "arrive":
        return 0.0
    arrivals = costs[operator.id].rows_out
    every = workload.execution.evaluate
    return min(arrivals, 1 / every.seconds) if isinstance(every, Every) else arrivals


def _looked_up(
    probe: Operator,
    kernel: Kernel,
    operators: Sequence[Operator],
    costs: Mapping[str, Cost],
    workload: Workload,
) -> float:
    """How often a probe looks into its window: for every row that the loop above it passes on.

    An outermost loop over what is stored goes through all of it, at every evaluation.
    """
    above = probe.inputs[0]
    origin = str(probe.param("origin"))
    if above.kind == "probe":
        return costs[above.id].rows_out
    if str(above.param("source")) == origin:
        window = workload.queries[0].source(origin).window
        # An aggregation goes through the join again when a tuple leaves.
        leaving = kernel == "aggregation" and isinstance(window, TimeWindow | CountWindow)
        return costs[above.id].rows_out * (2 if leaving else 1)
    stored = above.inputs[0] if above.kind == "expire" else above
    while stored.kind == "filter":
        stored = stored.inputs[0]
    arriving = next(
        op for op in operators if op.kind == "arrive" and str(op.param("source")) == origin
    )
    return costs[stored.id].state_tuples * _evaluations(arriving, costs, workload)
