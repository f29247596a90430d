"""The plans of one aggregation: built, listed, priced, ranked and explained."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from planner.families.base import ListedSpace
from planner.families.early_aggregation import NAME, EarlyAggregation, explain, pricing, titles
from planner.families.early_aggregation.coverage import EarlyRule, column_text
from planner.families.early_aggregation.explain import SourceSizes
from planner.families.early_aggregation.model import AggregationModel, model_of
from planner.families.early_aggregation.ranking import PlanCosts, by_kind, plan_costs, total
from planner.families.early_aggregation.search import Order, orders
from planner.families.protocol import Explanation, Ranking
from planner.joins.loop_work import loop_work
from planner.joins.probes import probe_params
from planner.joins.upkeep import feed_of, kept_by
from planner.plan.cost import Cost, Estimate, UnitCosts
from planner.plan.plan import Operator, Plan
from planner.seconds.kernel_work import KernelWork
from planner.workload.workload import Workload


class AggregationPlanBuilder:
    """Builds the plans of one aggregation. What several plans begin with is made once."""

    def __init__(self, model: AggregationModel) -> None:
        self._model = model
        windows = model.join.windows
        when = model.join.timing.expire_text
        self._feeds = [feed_of(window) for window in windows]
        pairs = zip(windows, self._feeds, strict=True)
        self._windows = [kept_by(window, feed, when) for window, feed in pairs]
        self._sets = [self._set(place) for place in range(model.count)]

    def plan(self, mask: int) -> Plan:
        """The plan that aggregates the sources of this mask early, in the best orders."""
        found = orders(self._model, mask)
        ends = tuple(self._end(mask, order) for order in found)
        query = ("query", self._model.join.query)
        group = ("group", column_text(self._model.group_by))
        functions = ("functions", ", ".join(self._model.functions))
        update = Operator("update", (query, group, functions), ends)
        output = Operator("output", (query,), (update,))
        return Plan(NAME, self._model.label(mask), (output,))

    def _end(self, mask: int, order: Order) -> Operator:
        """The last probe of an origin; a source that is alone goes to the output at once.

        A window that no other source probes is still held: its tuples have to leave.
        """
        origin = order[0]
        alone = len(self._model.origins) == 1
        reached = self._windows[origin] if alone else self._feeds[origin]
        for level in range(1, len(order)):
            target = order[level]
            is_set = bool(mask >> target & 1)
            content = ("content", "set" if is_set else "window")
            params = probe_params(self._model.join, origin, order[:level], target, content)
            stored = self._sets[target] if is_set else self._windows[target]
            reached = Operator("probe", params, (reached, stored))
        return reached

    def _set(self, place: int) -> Operator:
        rule = self._model.rules[place]
        params = (
            ("source", rule.source),
            ("group", rule.group_text),
            ("functions", rule.functions_text),
        )
        return Operator("aggregate", params, (self._windows[place],))


class AggregationPlans(ListedSpace):
    """LAP and every EAP of one workload. It knows how often extrema are looked for again."""

    def __init__(self, workload: Workload, units: UnitCosts | None = None) -> None:
        self.model = model_of(workload)
        super().__init__(workload, units, EarlyAggregation.objective)
        self.baseline = self.model.label(0)

    @cached_property
    def _builder(self) -> AggregationPlanBuilder:
        return AggregationPlanBuilder(self.model)

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
        left_out = sorted(set(range(1 << model.count)) - set(model.masks))
        return tuple((model.label(mask), model.why_excluded) for mask in left_out)

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

    def title(self, label: str) -> str:
        return titles.title(label, self.model.join.aliases)

    def facts(self, label: str) -> tuple[str, ...]:
        return tuple(explain.facts(self.model, label)) if len(self.labels) > 1 else ()

    def explanation(self, ranking: Ranking) -> Explanation:
        answer = explain.answer(self.model, ranking, self.title)
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

    # --- switched while it runs ------------------------------------------------------------------

    def moved(self, before: Plan, after: Plan) -> Cost:
        """A set that is new is built from its window, which every plan holds: an update a tuple."""
        masks = self.model.mask(before.label), self.model.mask(after.label)
        new = masks[1] & ~masks[0]
        windows = enumerate(self.model.join.windows)
        return Cost(group_updates=sum(w.kept for place, w in windows if new >> place & 1))

    def why_not_switched(self, _before: Plan, _after: Plan) -> str | None:
        return None
