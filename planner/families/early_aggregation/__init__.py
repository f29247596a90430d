"""Early aggregation: an aggregation over a join, with sources aggregated before they are joined."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from planner.families.early_aggregation import explain, pricing, ranking
from planner.families.early_aggregation.coverage import EarlyRule, refusal
from planner.families.early_aggregation.explain import SourceSizes
from planner.families.early_aggregation.model import NAME, model_of
from planner.families.early_aggregation.plans import PlanBuilder
from planner.families.early_aggregation.ranking import by_kind
from planner.families.early_aggregation.search import orders
from planner.families.protocol import Ranking
from planner.plan.cost import Estimate, UnitCosts
from planner.plan.plan import Plan
from planner.seconds.units import units_of
from planner.workload.workload import Workload


class EarlyAggregation:
    """LAP and every EAP: which sources are aggregated early, each joined in its best order."""

    name: str = NAME
    ranked_by: str = "operations"
    symbols: str = (
        "λ: rate of a stream, counted twice where tuples also leave one by one; w: tuples of a "
        "window; G: cells of a set, α: its entries, B: its buckets; g: groups of a source's own "
        "attributes; μ: composites that a tuple has; ρ: the share examined, σ: the share that "
        "matches, κ: own copies that a tuple of a self-join finds; γ: groups that a tuple changes; "
        "ν: how often a second a group is gone through for its next extremum, e: entries that are "
        "then begun with, c: what each of them compares; Δ⁻: rows that a relation loses per "
        "second, kept for the longest window, T_max. "
        "After Tran & Lee 2007."
    )
    cites: tuple[str, ...] = (
        "T. M. Tran, B. S. Lee. Transformation of Continuous Aggregation Join Queries over Data "
        "Streams. SSTD 2007.",
    )

    def refuses(self, workload: Workload) -> str | None:
        """Say in one sentence why early aggregation does not apply; None when it does."""
        return refusal(workload)

    def candidates(self, workload: Workload) -> Iterator[Plan]:
        """LAP, then every EAP, in the order of their digits read from the right."""
        model = model_of(workload)
        builder = PlanBuilder(model)
        for mask in model.masks:
            yield builder.plan(mask)

    def best(self, workload: Workload) -> Plan:
        """The plan with the fewest operations: all choices of sets, exact orders."""
        model = model_of(workload)
        return PlanBuilder(model).plan(ranking.best_mask(model))

    def plan(self, workload: Workload, label: str) -> Plan:
        """The plan of a label: `LAP`, `EAP-10`."""
        return next(self.plans(workload, [label]))

    def plans(self, workload: Workload, labels: Iterable[str]) -> Iterator[Plan]:
        """The plans of these labels, in turn."""
        model = model_of(workload)
        builder = PlanBuilder(model)
        for label in labels:
            yield builder.plan(model.mask(label))

    def rank(
        self,
        workload: Workload,
        top: int | None,
        units: UnitCosts | None = None,
        by_seconds: bool = False,
    ) -> Ranking:
        """The `top` best and the baseline, which is LAP; None lists all."""
        clock = units_of(workload, units)
        return ranking.rank(model_of(workload), workload, top, clock, by_seconds)

    def scores(self, workload: Workload, labels: Sequence[str]) -> tuple[float, ...]:
        """Operations per second of these plans: comparisons, inserts and group updates."""
        model = model_of(workload)
        return ranking.scores(model, [model.mask(label) for label in labels])

    def lasting(self, label: str) -> str:
        """A label names sources, which stay."""
        return label

    def estimate(self, plan: Plan, workload: Workload) -> Estimate:
        """Price every operator of the plan."""
        return pricing.estimate(plan, model_of(workload))

    def why(self, workload: Workload) -> tuple[str, ...]:
        """What the rules give for each source, the orders chosen, what the model leaves out."""
        return explain.why(model_of(workload))

    def answer(self, workload: Workload, ranking: Ranking) -> str:
        """Which plan wins, by how much, because of what, and what comes close to it."""
        return explain.answer(model_of(workload), ranking)

    def rules(self, workload: Workload) -> tuple[EarlyRule, ...]:
        """What Rules 1 and 2 make of an early aggregation on each source, and why."""
        return model_of(workload).rules

    def sizes(self, workload: Workload) -> tuple[SourceSizes, ...]:
        """How many tuples each window and entries each set holds, under both models."""
        return explain.sizes(model_of(workload))

    def work(self, workload: Workload, labels: Sequence[str]) -> tuple[dict[str, float], ...]:
        """Operations per second of these plans by kind of work, which add up to their scores."""
        model = model_of(workload)
        costs = ranking.plan_costs(model)
        return tuple(by_kind(costs.work(model.mask(label))) for label in labels)

    def recomputations(self, plan: Plan, workload: Workload) -> dict[str, float]:
        """How often per second each aggregation of a plan should look for an extremum anew."""
        return pricing.recomputations(plan, model_of(workload))

    def orders(self, workload: Workload, plan: Plan) -> dict[str, tuple[str, ...]]:
        """For each stream of a plan, the aliases in the order in which its tuples are joined."""
        model = model_of(workload)
        names = model.join.aliases
        found = orders(model, model.mask(plan.label))
        return {names[order[0]]: tuple(names[place] for place in order) for order in found}
