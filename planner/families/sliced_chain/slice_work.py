"""The work of sliced joins as what takes their kernel's time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from planner.plan.cost import Cost
from planner.plan.plan import Operator, Plan
from planner.seconds.kernel_work import KernelWork, Work

# What several kinds of operators have in common: conditions evaluated as a tuple arrives.
_ALIKE = {"survive": "filter", "split": "filter"}


def slice_work(plan: Plan, costs: Mapping[str, Cost]) -> KernelWork:
    """The work of a plan; all conditions that arriving tuples meet are filters."""
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
    return KernelWork("slices", tuple(found), _batch(operators, costs))


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


def _batch(operators: Sequence[Operator], costs: Mapping[str, Cost]) -> Work:
    """Every chain reads all tuples that any of them holds."""
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
    return Work("slices batch", Cost(rows_out=float(len(slices))), max(by_chain) * len(by_chain))
