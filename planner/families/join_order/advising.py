"""The search for index advice: exact where that takes a moment, else plan and split in turn."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from planner.cost import rounded
from planner.families.join_order.bounding import BoxSearch
from planner.families.join_order.choices import Choices
from planner.families.join_order.perorigin import is_ranked
from planner.families.join_order.space import lists_naive
from planner.families.join_order.splitting import OrderSplit, PlanSplit

Method = Literal["exact", "greedy"]
Buckets = tuple[int, ...]

# Sums of a search over orders and budgets: about a second; beyond it plan and split take turns.
MOST_SUMS = 300_000_000
# An order for each origin: boxes of choices that are looked into for one budget, times the loops
# that each prices.
MOST_BOXED = 60_000_000
MOST_BOXED_SOURCES = 6


@dataclass(frozen=True, slots=True)
class Found:
    """The buckets of each window, what their best plan costs, and how they were found."""

    buckets: Buckets
    cost: float
    method: Method


class Advising:
    """Finds the best buckets for any budget up to the one of the choices."""

    def __init__(self, choices: Choices) -> None:
        self.choices = choices
        self._costs: dict[Buckets, float] = {}
        self._orders: list[OrderSplit] = []
        self._boxes: BoxSearch | None = None
        self._plans: dict[str, PlanSplit] = {}
        if is_ranked(choices.model):
            if choices.is_settled and len(choices.memory) <= MOST_BOXED_SOURCES:
                self._boxes = BoxSearch(choices.of_origins(), choices.keeping, choices.memory)
        elif OrderSplit.work(choices.memory, choices.budget) <= MOST_SUMS:
            self._orders = list(self._order_splits())

    def _order_splits(self) -> Iterator[OrderSplit]:
        """The search over multiway orders, and that over naive ones where these are ranked."""
        choices = self.choices
        tables = [choices.multiway()]
        if lists_naive(choices.model):
            tables.append(choices.naive())
        for table in tables:
            paid = zip(table, choices.keeping, strict=True)
            costs = [steps + keeping for steps, keeping in paid]
            yield OrderSplit(costs, choices.memory, choices.budget)

    @property
    def is_exact_throughout(self) -> bool:
        """Whether the best buckets are proved so for every budget at once."""
        return bool(self._orders)

    def cost(self, buckets: Buckets) -> float:
        """What the best plan costs with these buckets."""
        if buckets not in self._costs:
            objective, model = self.choices.objective, self.choices.model.with_buckets(buckets)
            if objective.upkeep:
                cost = objective.price(model, objective.plan(model))
            else:
                cost = objective.probing(model)
            self._costs[buckets] = rounded(cost)
        return self._costs[buckets]

    def best(self, budget: int) -> Found:
        """The best buckets within a budget."""
        if self._orders:
            split = min(self._orders, key=lambda split: rounded(split.least[budget]))
            return self._found(split.choices(budget), "exact")
        known = self._in_turn(budget)
        if self._boxes is None:
            return self._found(known, "greedy")
        loops = len(self.choices.memory) ** 2 << len(self.choices.memory)
        chosen, proved = self._boxes.best(budget, known, MOST_BOXED // loops)
        return self._found(chosen, "exact" if proved else "greedy")

    def quick(self, budget: int) -> Found:
        """Good buckets within a smaller budget, found fast: for the plans seen so far."""
        if self._orders:
            return self.best(budget)
        split = min(self._plans.values(), key=lambda split: split.least[budget])
        found = self._found(split.choices(budget), "greedy")
        equal = self.choices.equal(budget)
        return min(found, Found(equal, self.cost(equal), "greedy"), key=lambda one: one.cost)

    def _found(self, chosen: list[int], method: Method) -> Found:
        buckets = tuple(choice + 1 for choice in chosen)
        return Found(buckets, self.cost(buckets), method)

    def _in_turn(self, budget: int) -> list[int]:
        """Plan for some buckets, split the budget for that plan, plan again, until nothing changes.

        It begins without indexes and with an equal split, so it is never worse than these.
        """
        choices = self.choices
        starts = choices.equal(0), choices.equal(budget)
        for start in starts:
            buckets = start
            while True:
                loops = choices.objective.plan(choices.model.with_buckets(buckets))
                if loops.label in self._plans:
                    break
                paid = zip(choices.of_plan(loops), choices.keeping, strict=True)
                costs = [loop + keeping for loop, keeping in paid]
                self._plans[loops.label] = PlanSplit(costs, choices.memory, choices.budget)
                buckets = tuple(c + 1 for c in self._plans[loops.label].choices(budget))
        best = min(self._plans.values(), key=lambda split: split.least[budget])
        found = tuple(choice + 1 for choice in best.choices(budget))
        # On several attributes a split pays for indexes that its plan may not use.
        return [count - 1 for count in min((found, *starts), key=self.cost)]
