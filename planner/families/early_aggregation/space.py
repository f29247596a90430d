"""The plans of one aggregation: listed, priced, ranked and explained."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from planner.families.base import ListedSpace
from planner.families.early_aggregation import EarlyAggregation, explain, pricing
from planner.families.early_aggregation.coverage import EarlyRule
from planner.families.early_aggregation.explain import SourceSizes
from planner.families.early_aggregation.model import model_of
from planner.families.early_aggregation.plans import PlanBuilder
from planner.families.early_aggregation.ranking import PlanCosts, by_kind, plan_costs, total
from planner.families.protocol import Explanation, Ranking
from planner.joins.loop_work import loop_work
from planner.plan.cost import Cost, Estimate, UnitCosts
from planner.plan.plan import Plan
from planner.seconds.kernel_work import KernelWork
from planner.workload.workload import Workload


class AggregationPlans(ListedSpace):
    """LAP and every EAP of one workload. It knows how often extrema are looked for again."""

    def __init__(self, workload: Workload, units: UnitCosts | None = None) -> None:
        self.model = model_of(workload)
        super().__init__(workload, units, EarlyAggregation.objective)
        self.baseline = self.model.label(0)

    @cached_property
    def _builder(self) -> PlanBuilder:
        return PlanBuilder(self.model)

    @cached_property
    def _costs(self) -> PlanCosts:
        return plan_costs(self.model)

    @cached_property
    def labels(self) -> Sequence[str]:
        """LAP, then every EAP, in the order of their digits read from the right."""
        return tuple(map(self.model.label, self.model.masks))

    @cached_property
    def excluded(self) -> tuple[tuple[str, str], ...]:
        """Plans that are left out, the reason with the first of them; the others share it."""
        model = self.model
        if model.count == 1:
            why = "with one source the set is all that would be joined: LAP is the same plan"
            return (("EAP-1", why),)
        left_out = [mask for mask in range(1 << model.count) if mask not in set(model.masks)]
        return tuple(found for mask in left_out for found in model.excluded(mask))

    def plans(self, labels: Iterable[str]) -> Iterator[Plan]:
        """The plans of these labels: `LAP`, `EAP-10`."""
        for label in labels:
            yield self._builder.plan(self.model.mask(label))

    def cost(self, label: str) -> Cost:
        return total(self._costs.work(self.model.mask(label)))

    def score(self, label: str) -> float:
        """Operations per second: comparisons, inserts and group updates."""
        return self._costs.scores[self.model.mask(label)]

    def tags(self, ordered: Sequence[str], best: str) -> dict[str, str]:
        """The best plan, LAP, and the worst of several."""
        worst = {"worst": ordered[-1]} if len(ordered) > 1 else {}
        return super().tags(ordered, best) | worst

    def estimate(self, plan: Plan) -> Estimate:
        return pricing.estimate(plan, self.model)

    def kernel_work(self, plan: Plan, costs: Mapping[str, Cost]) -> KernelWork:
        return loop_work("aggregation", plan, costs, self.workload)

    def explanation(self, ranking: Ranking) -> Explanation:
        answer = explain.answer(self.model, ranking)
        return Explanation(answer, (), lambda: explain.why(self.model))

    def rules(self) -> tuple[EarlyRule, ...]:
        """What Rules 1 and 2 make of an early aggregation on each source, and why."""
        return self.model.rules

    def sizes(self) -> tuple[SourceSizes, ...]:
        """How many tuples each window and entries each set holds, under both models."""
        return explain.sizes(self.model)

    def work(self, labels: Sequence[str]) -> tuple[dict[str, float], ...]:
        """Operations per second of these plans by kind of work, which add up to their scores."""
        return tuple(by_kind(self._costs.work(self.model.mask(label))) for label in labels)

    def recomputations(self, plan: Plan) -> dict[str, float]:
        return pricing.recomputations(plan, self.model)
