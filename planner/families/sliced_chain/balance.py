"""Plans against each other: memory in tuples and bytes, CPU in all and by kind of work."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from planner.cost import Cost, total
from planner.families.sliced_chain.picture import pictures_of
from planner.families.sliced_chain.pricing import priced
from planner.families.sliced_chain.ranking import Plans
from planner.families.sliced_chain.work import by_kind


@dataclass(frozen=True, slots=True)
class Balance:
    """What one plan holds and does. `work` adds up to its score, by kind of work."""

    label: str
    joins: int
    cost: Cost
    state_bytes: float
    work: Mapping[str, float]

    @property
    def score(self) -> float:
        """What plans are ranked by."""
        return sum(self.work.values())


def balances_of(plans: Plans, labels: Iterable[str]) -> Iterator[Balance]:
    """The plans of these labels, in turn."""
    for label in labels:
        built = plans.model.builder.build(label)
        costs = priced(built, plans.model)
        operators = built.plan.operators()
        overhead = plans.model.c_sys * plans.entering(built) if plans.model.c_sys else 0.0
        joins = [join for picture in pictures_of(plans.model, built) for join in picture.joins]
        yield Balance(
            label,
            len(joins),
            total(costs, (root.id for root in built.plan.roots)),
            sum(sum(join.bytes) for join in joins),
            by_kind(((op.kind, costs[op.id]) for op in operators), overhead),
        )
