"""Counters of sliced joins as costs of the plan's operators."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from planner.cost import Cost
from planner.plan import Operator
from runtime.kernels.slice_types import (
    FOUND,
    INSERTS,
    LOOKS,
    PASSED,
    PROBES,
    PURGES,
    ROUTED,
    ROUTES,
)
from runtime.programs.slice_counters import SliceCounters

# The rows of counters that are an operator's own; what they are rows of follows from its kind.
Meter = list[int]


def raw_costs(
    operators: Sequence[Operator], meters: Mapping[str, list[Meter]], counters: SliceCounters
) -> dict[str, Cost]:
    """What was counted for each operator in all of the span; state in tuple-seconds."""
    return {
        op.id: sum((_cost(op.kind, meter, counters) for meter in meters[op.id]), Cost())
        for op in operators
    }


def _cost(kind: str, meter: Meter, counters: SliceCounters) -> Cost:
    row = meter[0]
    if kind == "arrive":
        return Cost(rows_out=counters.arrivals.flat[row])
    if kind in ("filter", "survive", "split"):
        return Cost(comparisons=counters.gates[row, LOOKS], rows_out=counters.gates[row, PASSED])
    if kind == "select":
        looks, passed = counters.selects[row]
        return Cost(comparisons=looks, rows_out=passed)
    if kind == "output":
        return Cost(rows_out=counters.outputs.flat[row])
    if kind == "union":
        # A chain's union takes a punctuation of every male; that of several joins every result.
        found = counters.outputs.flat[row]
        merged = found if len(meter) == 1 else counters.males[meter[1]]
        return Cost(comparisons=merged, rows_out=found)
    if kind == "probe" and len(meter) > 1:
        return Cost(comparisons=counters.selects[row, meter[1]])
    counts = counters.slices[row]
    if kind == "slice":
        return Cost(
            comparisons=counts[PURGES],
            inserts=counts[INSERTS],
            state_tuples=counters.held[row] / 1_000_000,
        )
    if kind == "probe":
        return Cost(comparisons=counts[PROBES], rows_out=counts[FOUND])
    if kind == "route":
        return Cost(comparisons=counts[ROUTES], rows_out=counts[ROUTED])
    raise ValueError(f"sliced joins have no operator of kind {kind}")
