"""Counters of an aggregation as costs of the plan's operators."""

from __future__ import annotations

from collections.abc import Sequence

from planner.cost import Cost
from planner.plan import Operator
from runtime.kernels.aggregation_types import AggregationCounters
from runtime.programs.costs import join_cost
from runtime.programs.nest import Nest

# In the counters of the output.
_UPDATES, _RECOMPUTED, _EXAMINED, _CHANGES = range(4)


def aggregation_costs(
    operators: Sequence[Operator], nest: Nest, counters: AggregationCounters, seconds: float
) -> dict[str, Cost]:
    """What was counted for each operator, per second of the span."""
    return nest.filter_costs(operators, counters, seconds) | {
        operator.id: _cost(operator, nest, counters, seconds)
        for operator in operators
        if operator.kind != "filter"
    }


def _cost(operator: Operator, nest: Nest, counters: AggregationCounters, seconds: float) -> Cost:
    if operator.kind == "output":
        return Cost(rows_out=counters.late[_CHANGES] / seconds)
    if operator.kind == "update":
        return Cost(
            comparisons=counters.late[_EXAMINED] / seconds,
            group_updates=counters.late[_UPDATES] / seconds,
            state_tuples=counters.late_held[0] / 1_000_000 / seconds,
        )
    if operator.kind == "aggregate":
        place = nest.sources.index(str(operator.param("source")))
        return Cost(
            comparisons=counters.set_examined[place] / seconds,
            group_updates=counters.set_updates[place] / seconds,
            state_tuples=counters.set_held[place] / 1_000_000 / seconds,
        )
    return join_cost(operator, nest.sources, counters, seconds)


def recomputations(
    operators: Sequence[Operator], nest: Nest, counters: AggregationCounters, seconds: float
) -> dict[str, float]:
    """How often per second each aggregation looked for an extremum anew."""
    found = {}
    for operator in operators:
        if operator.kind == "update":
            found[operator.id] = float(counters.late[_RECOMPUTED] / seconds)
        elif operator.kind == "aggregate":
            place = nest.sources.index(str(operator.param("source")))
            found[operator.id] = float(counters.set_recomputed[place] / seconds)
    return found
