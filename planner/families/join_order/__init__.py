"""Join orders: one multi-way window join, its sources in any order, new tuples in any loop."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from planner.families.join_order import explain, pricing, ranking
from planner.families.join_order.advice import advice
from planner.families.join_order.advice.advice import Advice
from planner.families.join_order.heuristic import Trace
from planner.families.join_order.model import model_of, refusal
from planner.families.join_order.plans import NAME, PlanBuilder, algorithm_of, multiway
from planner.families.join_order.ranking import Clock
from planner.families.protocol import MOST_CANDIDATES, Ranking
from planner.plan.cost import Estimate, UnitCosts
from planner.plan.loop_orders import fits_multiway
from planner.plan.plan import Plan
from planner.seconds.units import units_of
from planner.workload.workload import Workload


class JoinOrder:
    """Loop orders of a multi-way join: multiway, naive and general, eager and lazy."""

    name: str = NAME
    ranked_by: str = "comparisons"
    symbols: str = (
        "λ: rate of a stream; T: length of its window; v: distinct values of its join attribute; "
        "b: buckets of its hash index; φ: size of a join of windows. After Golab & Özsu 2003."
    )
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
        first = multiway(model, range(len(model.windows)))
        builder = PlanBuilder(model)
        yield builder.plan(first)
        others = (e for e in ranking.plans_by_cost(model) if e.label != first.label)
        for entry in islice(others, MOST_CANDIDATES - 1):
            yield builder.plan(entry.loops(model))

    def best(self, workload: Workload) -> Plan:
        """The cheapest plan: exact for any number of streams on one attribute, and per origin."""
        model = model_of(workload)
        return PlanBuilder(model).plan(ranking.best_plan(model).loops(model))

    def plan(self, workload: Workload, label: str) -> Plan:
        """The plan of a label: `S1,S2,S3`, `naive:S1,S2,S3`, `general:S1=S1,S3,S2;S2=...`.

        `multiway`, `naive` and `general` alone name the cheapest plan of that algorithm.
        """
        return next(self.plans(workload, [label]))

    def plans(self, workload: Workload, labels: Iterable[str]) -> Iterator[Plan]:
        """The plans of these labels, in turn."""
        model = model_of(workload)
        builder = PlanBuilder(model)
        for label in labels:
            yield builder.plan(ranking.named(model, label))

    def rank(
        self,
        workload: Workload,
        top: int | None,
        units: UnitCosts | None = None,
        by_seconds: bool = False,
    ) -> Ranking:
        """The `top` best and the baseline, which is the FROM order; None lists all it may."""
        clock = Clock(units_of(workload, units), fits_multiway(workload))
        return ranking.rank(model_of(workload), top, clock, by_seconds)

    def scores(self, workload: Workload, labels: Sequence[str]) -> tuple[float, ...]:
        """Comparisons per second of these plans, dearer where declared predicates are."""
        model = model_of(workload)
        return ranking.scores(model, [ranking.named(model, label) for label in labels])

    def lasting(self, label: str) -> str:
        """A label names sources, which stay."""
        return label

    def estimate(self, plan: Plan, workload: Workload) -> Estimate:
        """Price every operator of the plan."""
        return pricing.estimate(plan, model_of(workload))

    def why(self, workload: Workload) -> tuple[str, ...]:
        """The heuristic's steps, what the model leaves out, and the exact searches."""
        return explain.why(model_of(workload), workload.statistics)

    def answer(self, workload: Workload, ranking: Ranking) -> str:
        """Which plan wins, by how much, because of what, and what comes close to it."""
        return explain.answer(model_of(workload), ranking)

    def heuristic(self, workload: Workload) -> Trace:
        """The heuristic's steps as data: the pair, the fast streams, what moving them up did."""
        return ranking.traced(model_of(workload))

    def orders(self, workload: Workload, plan: Plan) -> dict[str, tuple[str, ...]]:
        """The aliases in the plan's global order, under no name; else each origin's own order."""
        if algorithm_of(plan.label) == "general":
            return self.loops(workload, plan)
        return {"": tuple(plan.label.removeprefix("naive:").split(","))}

    def advise(
        self,
        workload: Workload,
        buckets: int,
        upkeep: bool = False,
        units: UnitCosts | None = None,
    ) -> Advice:
        """Which windows to index within a budget of buckets; with upkeep, that counts too."""
        return advice.advise(model_of(workload), buckets, upkeep, units)

    def loops(self, workload: Workload, plan: Plan) -> dict[str, tuple[str, ...]]:
        """For each stream of a plan, the aliases in the order of the loops its tuples run."""
        model = model_of(workload)
        orders = zip(model.origins, ranking.named(model, plan.label).orders, strict=True)
        names = model.aliases
        return {names[origin]: tuple(names[p] for p in order) for origin, order in orders}
