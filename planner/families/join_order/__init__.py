"""Join orders: one multi-way window join, evaluated eagerly, in any global order of its streams."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from planner.cost import Estimate, UnitCosts
from planner.families.join_order import pricing, ranking, telling
from planner.families.join_order.coverage import refusal
from planner.families.join_order.heuristic import Trace, trace
from planner.families.join_order.model import model_of
from planner.families.join_order.plans import NAME, PlanBuilder, order_of
from planner.families.join_order.table import step_table
from planner.family import MOST_CANDIDATES, Ranking
from planner.plan import Plan
from planner.workload import Workload


class JoinOrder:
    """Probe orders of a multi-way join on one common attribute."""

    name: str = NAME
    cites: tuple[str, ...] = (
        "L. Golab, M. T. Özsu. Processing Sliding Window Multi-Joins in Continuous Queries "
        "over Data Streams. Technical Report CS-2003-01, University of Waterloo, 2003.",
    )

    def refuses(self, workload: Workload) -> str | None:
        """Say in one sentence why join orders do not apply; None when they do."""
        return refusal(workload)

    def candidates(self, workload: Workload) -> Iterator[Plan]:
        """The FROM order, then all others, cheapest first."""
        model = model_of(workload)
        naive = tuple(range(len(model.windows)))
        builder = PlanBuilder(model)
        yield builder.plan(naive)
        others = (order for order in ranking.orders_by_cost(model) if order != naive)
        for order in islice(others, MOST_CANDIDATES - 1):
            yield builder.plan(order)

    def best(self, workload: Workload) -> Plan:
        """The cheapest order, exact for any number of streams."""
        model = model_of(workload)
        return PlanBuilder(model).plan(next(ranking.orders_by_cost(model)))

    def plan(self, workload: Workload, label: str) -> Plan:
        """The plan of a global order such as `S1,S2,S3`."""
        return next(self.plans(workload, [label]))

    def plans(self, workload: Workload, labels: Iterable[str]) -> Iterator[Plan]:
        """The plans of these global orders, in turn."""
        model = model_of(workload)
        builder = PlanBuilder(model)
        for label in labels:
            yield builder.plan(order_of(model, label))

    def rank(
        self,
        workload: Workload,
        top: int | None,
        units: UnitCosts | None = None,
        by_seconds: bool = False,
    ) -> Ranking:
        """The `top` best and the baseline, which is the FROM order; None lists all it may."""
        return ranking.rank(model_of(workload), top, units, by_seconds)

    def scores(self, workload: Workload, labels: Sequence[str]) -> tuple[float, ...]:
        """Comparisons per second of the orders with these labels."""
        model = model_of(workload)
        orders = [order_of(model, label) for label in labels]
        return tuple(map(float, step_table(model).price(orders)))

    def estimate(self, plan: Plan, workload: Workload) -> Estimate:
        """Price every operator of the plan."""
        return pricing.estimate(plan, model_of(workload))

    def why(self, workload: Workload) -> tuple[str, ...]:
        """The heuristic's steps, the exact search beside it, and what the model leaves out."""
        return telling.why(model_of(workload), workload.statistics)

    def answer(self, workload: Workload, ranking: Ranking) -> str:
        """Which order wins, by how much, because of what, and what comes close to it."""
        return telling.answer(model_of(workload), ranking)

    def heuristic(self, workload: Workload) -> Trace:
        """The heuristic's steps as data: the pair, the fast streams, what moving them up did."""
        model = model_of(workload)
        return trace(model, step_table(model))

    def order(self, workload: Workload, plan: Plan) -> tuple[str, ...]:
        """The aliases of a plan in its global order, as its join tree shows them."""
        model = model_of(workload)
        return tuple(model.aliases[place] for place in order_of(model, plan.label))
