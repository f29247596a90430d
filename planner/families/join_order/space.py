"""The join orders of one workload: listed, priced, ranked, explained, and what to index."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import islice

from planner.families.base import BaseSpace
from planner.families.grid_pricing import GridPrices, PriceParts
from planner.families.join_order import (
    JoinOrder,
    explain,
    grid_pricing,
    plan_space,
    pricing,
    ranking,
    switching,
    titles,
)
from planner.families.join_order.heuristic import HeuristicTrace
from planner.families.join_order.model import model_of
from planner.families.join_order.plans import JoinPlanBuilder, algorithm_of, multiway
from planner.families.join_order.ranking import RankingUnits
from planner.families.protocol import MOST_CANDIDATES, Explanation, Ranking
from planner.joins.arrays import Floats
from planner.joins.loop_work import loop_work
from planner.plan.cost import Cost, Estimate, UnitCosts
from planner.plan.index_advice import Advice
from planner.plan.loop_orders import fits_multiway, is_multiway
from planner.plan.objective import Objective
from planner.plan.plan import Plan
from planner.seconds.kernel_work import KernelWork
from planner.workload.workload import Workload


class JoinOrders(BaseSpace):
    """The plans of one join. It advises indexes, knows loop orders, and switches plans."""

    def __init__(self, workload: Workload, units: UnitCosts | None = None) -> None:
        self.model = model_of(workload)
        work = JoinOrder.objective
        if self.model.graph.worths:
            # Some predicates are declared to cost more: their comparisons count for more.
            work = replace(work, title="Weighted comparisons/s", unit="weighted comparisons/s")
        super().__init__(workload, units, work)
        self._clock = RankingUnits(self.units, fits_multiway(workload))

    @cached_property
    def _builder(self) -> JoinPlanBuilder:
        return JoinPlanBuilder(self.model)

    def candidates(self) -> Iterator[Plan]:
        """The FROM order, then all others, cheapest first."""
        first = multiway(self.model, range(len(self.model.windows)))
        yield self._builder.plan(first)
        others = (e for e in plan_space.plans_by_cost(self.model) if e.label != first.label)
        for entry in islice(others, MOST_CANDIDATES - 1):
            yield self._builder.plan(entry.loops(self.model))

    def best_label(self, by: Objective) -> str:
        """The cheapest plan: exact for any number of streams on one attribute, and per origin."""
        if by == self.objectives[0]:
            return plan_space.best_plan(self.model).label
        return super().best_label(by)

    def plans(self, labels: Iterable[str]) -> Iterator[Plan]:
        """The plans of these labels: `S1,S2,S3`, `naive:S1,S2,S3`, `general:S1=S1,S3,S2;S2=...`.

        `multiway`, `naive` and `general` alone name the cheapest plan of that algorithm.
        """
        for label in labels:
            yield self._builder.plan(ranking.named(self.model, label))

    def title(self, label: str) -> str:
        return titles.title(label)

    def rank(self, by: Objective | None = None, top: int | None = None) -> Ranking:
        """The `top` best and the baseline, which is the FROM order; None lists all it may."""
        return ranking.rank(self.model, top, self._clock, by or self.objectives[0])

    def scores(self, labels: Sequence[str], by: Objective | None = None) -> tuple[float, ...]:
        by = by or self.objectives[0]
        loops = [ranking.named(self.model, label) for label in labels]
        if by == self.objectives[0]:
            return ranking.scores(self.model, loops)
        return ranking.figures(self.model, loops, self._clock, by)

    def price_parts(self, by: Objective) -> PriceParts | None:
        return grid_pricing.price_parts(self, by)

    def combined(self, parts: Floats, by: Objective) -> GridPrices:
        return grid_pricing.combined(self, parts, by)

    def estimate(self, plan: Plan) -> Estimate:
        return pricing.estimate(plan, self.model)

    def kernel_work(self, plan: Plan, costs: Mapping[str, Cost]) -> KernelWork:
        """The work of its loops, under the kernel that can run them."""
        kernel = "loops"
        if is_multiway(plan, self.workload):
            kernel = "multiway"
        elif any(operator.kind == "table" for operator in plan.operators()):
            kernel = "relations"
        return loop_work(kernel, plan, costs, self.workload)

    def facts(self, label: str) -> tuple[str, ...]:
        return tuple(explain.facts(self.model, label))

    def explanation(self, ranking: Ranking) -> Explanation:
        statistics = self.workload.statistics
        answer = explain.answer(self.model, ranking)
        return Explanation(answer, (), lambda: explain.why(self.model, statistics))

    def heuristic(self) -> HeuristicTrace:
        """The heuristic's steps as data: the pair, the fast streams, what moving them up did."""
        return plan_space.traced(self.model)

    def fluctuating_on_top(self, streams: Sequence[str]) -> str | None:
        """Golab and Özsu 2003, Section 5.4: the best multiway order that begins with them."""
        sources = self.workload.queries[0].sources
        on_top = {place for place, source in enumerate(sources) if source.name in streams}
        if not plan_space.is_listed(self.model):
            return None
        listed = (e for e in plan_space.plans_by_cost(self.model) if e.order and not e.is_naive)
        found = (e.label for e in listed if set(e.order[: len(on_top)]) == on_top)
        return next(found, None)

    def orders(self, plan: Plan) -> dict[str, tuple[str, ...]]:
        """The aliases in the plan's global order, under no name; else each origin's own order."""
        if algorithm_of(plan.label) == "general":
            return self.loops(plan)
        return {"": tuple(plan.label.removeprefix("naive:").split(","))}

    def loops(self, plan: Plan) -> dict[str, tuple[str, ...]]:
        """For each stream of a plan, the aliases in the order of the loops its tuples run."""
        found = ranking.named(self.model, plan.label).orders
        orders = zip(self.model.origins, found, strict=True)
        names = self.model.aliases
        return {names[origin]: tuple(names[p] for p in order) for origin, order in orders}

    def advise(self, buckets: int, upkeep: bool = False, units: UnitCosts | None = None) -> Advice:
        from planner.families.join_order.advice.advice_search import advise

        return advise(self.model, buckets, upkeep, units)

    def moved(self, before: Plan, after: Plan) -> Cost:
        return switching.moved(self.model, before, after)

    def why_not_switched(self, before: Plan, after: Plan) -> str | None:
        return switching.why_not_switched(self.workload, before, after)
