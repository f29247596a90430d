"""Counters of a join as costs of the plan's operators."""

from __future__ import annotations

from collections.abc import Sequence

from planner.plan.cost import Cost
from planner.plan.plan import Operator
from runtime.engines.aggregation.kernel.types import AggregationCounters
from runtime.engines.joins.kernel.loop_types import LoopCounters
from runtime.engines.joins.kernel.multiway import Counters


def join_cost(
    operator: Operator,
    sources: Sequence[str],
    counters: Counters | LoopCounters | AggregationCounters,
    seconds: float,
) -> Cost:
    """What was counted for one operator, per second of the span."""
    if operator.kind == "output":
        return Cost(rows_out=counters.matches[:, -1].sum() / seconds)
    if operator.kind == "probe":
        origin = sources.index(str(operator.param("origin")))
        level = int(operator.param("step")) - 1
        return Cost(
            comparisons=counters.comparisons[origin, level] / seconds,
            rows_out=counters.matches[origin, level] / seconds,
        )
    place = sources.index(str(operator.param("source")))
    if operator.kind == "arrive":
        return Cost(rows_out=counters.arrivals[place] / seconds)
    if operator.kind == "insert":
        return Cost(
            inserts=counters.inserts[place] / seconds,
            state_tuples=counters.held[place] / 1_000_000 / seconds,
        )
    if operator.kind == "table":
        return Cost(
            inserts=counters.inserts[place] / seconds,
            expirations=counters.expirations[place] / seconds,
            rows_out=counters.arrivals[place] / seconds,
            state_tuples=counters.held[place] / 1_000_000 / seconds,
        )
    if operator.kind == "expire":
        return Cost(expirations=counters.expirations[place] / seconds)
    raise ValueError(f"a join has no operator of kind {operator.kind}")


def filter_costs(
    conditions: Sequence[Operator], counters: LoopCounters | AggregationCounters, seconds: float
) -> dict[str, Cost]:
    """What was counted for the filters, which stand in the order of the query."""
    return {
        operator.id: Cost(
            comparisons=counters.evaluated[number] / seconds,
            rows_out=counters.passed[number] / seconds,
        )
        for number, operator in enumerate(conditions)
    }
