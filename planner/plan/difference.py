"""Two plans beside each other, operator by operator: what both have, and what only one has."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from planner.plan.by_operator import CPU, by_operator
from planner.plan.cost import Cost, total
from planner.plan.objective import Objective
from planner.plan.plan import Operator, Plan

Where = Literal["both", "first", "second"]
# A figure of both plans; None where a plan lacks the operator, or was not measured.
Figures = tuple[float | None, float | None]


@dataclass(frozen=True, slots=True)
class ComparedPlan:
    """A plan with its costs by operator: predicted, and measured where it was run.

    `time` says what these take; without it, time is not compared.
    """

    name: str
    plan: Plan
    predicted: Mapping[str, Cost]
    measured: Mapping[str, Cost] | None = None
    time: Objective | None = None

    def figures(self, field: str, measured: bool = False) -> Mapping[str, float]:
        """One kind of figure by operator; empty where it was not measured."""
        costs = self.measured if measured else self.predicted
        return by_operator(self.plan, costs, field, self.time) if costs else {}

    def whole(self, field: str, measured: bool = False) -> float | None:
        """The figure of the whole plan; None where it was not measured."""
        costs = self.measured if measured else self.predicted
        if not costs:
            return None
        if field == CPU:
            return sum(self.figures(field, measured).values()) or None
        return float(getattr(total(costs, (root.id for root in self.plan.roots)), field))


@dataclass(frozen=True, slots=True)
class Aligned:
    """One operator of either plan: which of them has it, and its figure in each."""

    operator: Operator
    where: Where
    predicted: Figures
    measured: Figures


def aligned(first: ComparedPlan, second: ComparedPlan, field: str) -> list[Aligned]:
    """All operators of both plans, each once: what it does and what feeds it makes it the same."""
    ids = [{operator.id for operator in side.plan.operators()} for side in (first, second)]
    every = {op.id: op for side in (first, second) for op in side.plan.operators()}
    predicted, measured = (
        tuple(side.figures(field, counted) for side in (first, second)) for counted in (False, True)
    )
    return [
        Aligned(
            operator,
            "both" if all(name in known for known in ids) else ("first", "second")[name in ids[1]],
            (predicted[0].get(name), predicted[1].get(name)),
            (measured[0].get(name), measured[1].get(name)),
        )
        for name, operator in every.items()
    ]
