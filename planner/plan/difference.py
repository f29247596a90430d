"""Two plans beside each other, operator by operator: what both have, and what only one has."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from planner.plan.cost import Cost, total
from planner.plan.plan import Operator, Plan

Where = Literal["both", "first", "second"]


@dataclass(frozen=True, slots=True)
class ComparedPlan:
    """A plan with its costs by operator: predicted, and measured where it was run."""

    name: str
    plan: Plan
    predicted: Mapping[str, Cost]
    measured: Mapping[str, Cost] | None = None

    def whole(self, measured: bool = False) -> Cost | None:
        """The cost of the whole plan; None where it was not measured."""
        costs = self.measured if measured else self.predicted
        return total(costs, (root.id for root in self.plan.roots)) if costs else None


@dataclass(frozen=True, slots=True)
class Aligned:
    """One operator of either plan: which of them has it, and what it costs in each."""

    operator: Operator
    where: Where
    predicted: tuple[Cost | None, Cost | None]
    measured: tuple[Cost | None, Cost | None]

    def figures(self, field: str, measured: bool = False) -> tuple[float | None, float | None]:
        """One kind of work in both plans; None where a plan lacks it, or was not measured."""
        first, second = self.measured if measured else self.predicted
        return _of(first, field), _of(second, field)


def _of(cost: Cost | None, field: str) -> float | None:
    return None if cost is None else float(getattr(cost, field))


def aligned(first: ComparedPlan, second: ComparedPlan) -> list[Aligned]:
    """All operators of both plans, each once: what it does and what feeds it makes it the same."""
    ids = [{operator.id for operator in side.plan.operators()} for side in (first, second)]
    every = {op.id: op for side in (first, second) for op in side.plan.operators()}
    return [
        Aligned(
            operator,
            "both" if all(name in known for known in ids) else ("first", "second")[name in ids[1]],
            (first.predicted.get(name), second.predicted.get(name)),
            ((first.measured or {}).get(name), (second.measured or {}).get(name)),
        )
        for name, operator in every.items()
    ]
