"""A plan's work as what takes time: which kernel does it, and what each operator is given."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from planner.joins.probes import EACH, HASH, HASH_CHECKED, SCAN, SCAN_CHECKED
from planner.plan.cost import Cost, UnitCosts
from planner.plan.loop_orders import is_multiway
from planner.plan.plan import Operator, Plan
from planner.workload.execution import Every
from planner.workload.query import CountWindow, Predicate, Query, TimeWindow
from planner.workload.workload import Workload

# What runs a plan: the fast eager join, loops of every kind (compiled apart where there are
# relations), aggregations, or sliced joins.
Kernel = Literal["multiway", "loops", "relations", "aggregation", "slices"]
KERNELS: tuple[Kernel, ...] = get_args(Kernel)

# What several kinds of operators have in common: conditions looked at as a tuple arrives.
_ALIKE = {"survive": "filter", "split": "filter"}


@dataclass(frozen=True, slots=True)
class Work:
    """What one operator does per second of stream time; `given` is how often it is asked to.

    A probe is given what the loop above it passes on; the first slice of a chain, all that arrives;
    the output of loops, evaluations.
    """

    kind: str
    cost: Cost
    given: float = 0.0


def kernel_of(plan: Plan, workload: Workload) -> Kernel:
    """The kernel that runs a plan."""
    if plan.family == "early_aggregation":
        return "aggregation"
    if plan.family == "sliced_chain":
        return "slices"
    if is_multiway(plan, workload):
        return "multiway"
    relations = any(operator.kind == "table" for operator in plan.operators())
    return "relations" if relations else "loops"


def seconds_of(
    plan: Plan, costs: Mapping[str, Cost], workload: Workload, units: UnitCosts
) -> float:
    """Seconds of work per second of stream time."""
    return sum(units.seconds(w.kind, w.cost, w.given) for w in work_of(plan, costs, workload))


def work_of(plan: Plan, costs: Mapping[str, Cost], workload: Workload) -> tuple[Work, ...]:
    """The work of all operators, by `kernel kind` or, of probes, `kernel kind access`."""
    kernel = kernel_of(plan, workload)
    if kernel == "slices":
        return slice_work(plan, costs)
    operators = plan.operators()
    found = []
    for operator in operators:
        kind, given = f"{kernel} {operator.kind}", 0.0
        if operator.kind == "probe":
            kind = f"{kind} {_access(operator, workload.queries[0])}"
            given = _looked_up(operator, kernel, operators, costs, workload)
        elif operator.kind == "output" and kernel in ("loops", "relations"):
            given = sum(_evaluations(op, costs, workload) for op in operators)
        found.append(Work(kind, costs[operator.id], given))
    return tuple(found)


def slice_work(plan: Plan, costs: Mapping[str, Cost]) -> tuple[Work, ...]:
    """The same of sliced joins; all conditions that arriving tuples meet are filters."""
    operators = plan.operators()
    arriving = _arriving(operators, costs)
    found = []
    for operator in operators:
        kind, given = f"slices {_ALIKE.get(operator.kind, operator.kind)}", 0.0
        if operator.kind == "slice" and all(op.kind != "slice" for op in operator.inputs):
            given = sum(arriving[operator.id].values())
        elif operator.kind == "probe":
            kind = f"{kind} {operator.inputs[0].param('access')}"
        found.append(Work(kind, costs[operator.id], given))
    return tuple(found)


def _arriving(
    operators: Sequence[Operator], costs: Mapping[str, Cost]
) -> dict[str, dict[str, float]]:
    """For every operator the streams that feed it, with how many tuples arrive on each."""
    found: dict[str, dict[str, float]] = {}
    for operator in operators:
        if operator.kind == "arrive":
            found[operator.id] = {operator.id: costs[operator.id].rows_out}
        elif operator.kind in ("filter", "survive", "split", "slice"):
            found[operator.id] = {}
            for source in operator.inputs:
                found[operator.id] |= found.get(source.id, {})
    return found


def batch_work(plan: Plan, costs: Mapping[str, Cost], workload: Workload) -> Work:
    """What a micro-batch takes beside: kernel calls (rows), and tuples held that are laid out anew.

    Chains look at all tuples that any of them holds.
    """
    kernel, operators = kernel_of(plan, workload), plan.operators()
    if kernel != "slices":
        held = sum(costs[op.id].state_tuples for op in operators if op.kind in ("insert", "table"))
        return Work(f"{kernel} batch", Cost(rows_out=1.0), held)
    by_chain: list[float] = []
    chain_of: dict[str, int] = {}
    slices = [op for op in operators if op.kind == "slice"]
    for operator in slices:
        before = next((op for op in operator.inputs if op.kind == "slice"), None)
        if before is None:
            chain_of[operator.id] = len(by_chain)
            by_chain.append(0.0)
        else:
            chain_of[operator.id] = chain_of[before.id]
        by_chain[chain_of[operator.id]] += costs[operator.id].state_tuples
    return Work(f"{kernel} batch", Cost(rows_out=float(len(slices))), max(by_chain) * len(by_chain))


def _access(probe: Operator, query: Query) -> str:
    """How a probe of a join goes through its window: only where keys are equal can it scan them."""
    above, joined = probe.inputs[0], set()
    while above.kind == "probe":
        joined.add(str(above.param("source")))
        above = above.inputs[0]
    joined.add(str(above.param("source")))
    target = str(probe.param("source"))
    classes = [{column.alias for column in columns} for columns in query.equality_classes()]
    equal = sum(target in aliases and bool(aliases & joined) for aliases in classes)
    if not equal or target == str(probe.param("origin")):
        return EACH
    pairs = ({p.left.alias, p.right.alias} for p in query.predicates if not _is_equality(p))
    others = any(target in pair and bool(pair & joined) for pair in pairs)
    if probe.param("access") == "hash":
        return HASH_CHECKED if equal > 1 or others else HASH
    return SCAN_CHECKED if equal > 1 or others else SCAN


def _is_equality(predicate: Predicate) -> bool:
    return predicate.comparison == "=" and not predicate.offset


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
