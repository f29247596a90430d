"""The plans of joins that may share a chain: listed, priced, ranked, explained and changed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from planner.families.base import ListedSpace
from planner.families.protocol import Explanation, Ranking
from planner.families.sliced_chain import SlicedChain, explain
from planner.families.sliced_chain.chain_search.chains import Mergings
from planner.families.sliced_chain.labels import CHAIN, CPU_OPT, MEM_OPT, STRATEGIES, UNSHARED
from planner.families.sliced_chain.model import model_of
from planner.families.sliced_chain.picture import (
    Balance,
    Picture,
    TradeOff,
    by_kind,
    pictures_of,
)
from planner.families.sliced_chain.plans import Built
from planner.families.sliced_chain.pricing import estimated, looks_of_entered, priced, slice_work
from planner.families.sliced_chain.ranking import Plans
from planner.plan.cost import Cost, Estimate, UnitCosts, rounded, total
from planner.plan.objective import Objective
from planner.plan.plan import Plan
from planner.seconds.kernel_work import KernelWork
from planner.workload.workload import Workload


class ChainPlans(ListedSpace):
    """Strategies and chains of one workload. Queries may change while such a plan runs."""

    baseline = UNSHARED
    # A ranking by another objective says the seconds of so many plans, and of those with a name.
    most_timed = 32
    strategies: tuple[str, ...] = (CPU_OPT, MEM_OPT)

    def __init__(self, workload: Workload, units: UnitCosts | None = None) -> None:
        self.model = model_of(workload)
        work = SlicedChain.objective
        if self.model.c_sys:
            # What a tuple that enters a slice costs beside, in comparisons.
            work = replace(
                work,
                title="Comparisons/s with overhead",
                unit="comparisons/s with overhead",
                figure="comparisons + c_sys x tuples entering",
            )
        super().__init__(workload, units, work)
        self._plans = Plans(self.model)

    @property
    def labels(self) -> Sequence[str]:
        return self._plans.listed

    @property
    def named(self) -> Sequence[str]:
        return STRATEGIES

    @property
    def is_whole(self) -> bool:
        return self._plans.all_mergings

    @property
    def excluded(self) -> tuple[tuple[str, str], ...]:
        return self._plans.excluded

    def plans(self, labels: Iterable[str]) -> Iterator[Plan]:
        """The plans of these labels: `unshared`, `mem-opt`, `chain:0-5-30`."""
        return (self.built(label).plan for label in labels)

    def cost(self, label: str) -> Cost:
        return self._plans.cost(label)

    def score(self, label: str) -> float:
        """Comparisons per second, and what the overhead of slices is worth."""
        return self._plans.score(label)

    def scores(self, labels: Sequence[str], by: Objective | None = None) -> tuple[float, ...]:
        """The scores of these plans; a strategy that is left out of the list still has a price."""
        meant = [at if at in STRATEGIES else self._plans.named(at) for at in labels]
        return super().scores(meant, by)

    def seconds_by_label(self, label: str) -> float:
        built = self.model.builder.build(label)
        return self.plan_seconds(built.plan, priced(built, self.model))

    def plan_seconds(self, plan: Plan, costs: Mapping[str, Cost]) -> float:
        seconds = self.kernel_work(plan, costs).seconds(self.units)
        if not self.units.kinds and self.model.c_sys:
            # Declared unit costs know no slices: what entering one takes is declared beside.
            entering = self._plans.entering(self.model.builder.build(plan.label))
            seconds += self.model.c_sys * self.units.default.compare * entering
        return rounded(seconds)

    def tags(self, ordered: Sequence[str], best: str) -> dict[str, str]:
        """The best plan, unshared, and the chains with the least state and the least work."""
        optima = {optimum: self._plans.named(optimum) for optimum in (MEM_OPT, CPU_OPT)}
        return super().tags(ordered, best) | optima

    def lasting(self, label: str) -> str:
        """A chain names windows: the best one is followed as what it is, the CPU-Opt chain."""
        return CPU_OPT if label.startswith(CHAIN) else label

    def estimate(self, plan: Plan) -> Estimate:
        return estimated(self.model.builder.build(plan.label), self.model)

    def kernel_work(self, plan: Plan, costs: Mapping[str, Cost]) -> KernelWork:
        return slice_work(plan, costs)

    def explanation(self, ranking: Ranking) -> Explanation:
        answer = explain.answer(self._plans, ranking)
        return Explanation(answer, explain.apart(self._plans), lambda: explain.why(self._plans))

    # --- changes while it runs -------------------------------------------------------------------

    def label_after_change(self, plan: Plan, asked: str) -> str:
        """A chain is optimised again: for memory if it held the least, else for its score."""
        if not asked.startswith(CHAIN):
            return asked
        return MEM_OPT if plan.label == self._plans.named(MEM_OPT) else CPU_OPT

    def cost_of_entered(self, plan: Plan, entered: Mapping[str, int]) -> Mapping[str, Cost]:
        return looks_of_entered(plan, self.model, entered)

    # --- as pictures -----------------------------------------------------------------------------

    def built(self, label: str) -> Built:
        """A plan, and by operator id what each of its operators is about."""
        return self.model.builder.build(self._plans.named(label))

    def pictures(self, label: str) -> tuple[Picture, ...]:
        """The joins of a plan by the age of what they hold, and who taps in, for each group."""
        return pictures_of(self.model, self.built(label))

    def mergings(self, label: str) -> tuple[Mergings, ...]:
        """The graph of mergings of each group, with the cheapest chain and that of this label."""
        chains, label = self._plans.chains, self._plans.named(label)
        chosen = self._plans.places(label) if label.startswith(CHAIN) else [()] * len(chains)
        return tuple(own.mergings(places) for own, places in zip(chains, chosen, strict=True))

    def balances(self, labels: Iterable[str]) -> tuple[Balance, ...]:
        """What plans hold, and what they do by kind of work."""
        return tuple(self._balance(self._plans.named(label)) for label in labels)

    def _balance(self, label: str) -> Balance:
        built = self.model.builder.build(label)
        costs = priced(built, self.model)
        overhead = self.model.c_sys * self._plans.entering(built) if self.model.c_sys else 0.0
        joins = [join for picture in pictures_of(self.model, built) for join in picture.joins]
        return Balance(
            label,
            len(joins),
            total(costs, (root.id for root in built.plan.roots)),
            sum(sum(join.bytes) for join in joins),
            by_kind(((op.kind, costs[op.id]) for op in built.plan.operators()), overhead),
        )

    def trade_off(self) -> tuple[TradeOff, ...]:
        """For each group the chains of which none is better in both memory and CPU.

        It is one point where all chains of a group hold the same tuples.
        """
        best = tuple(chains.cheapest for chains in self._plans.chains)
        found = []
        for at, chains in enumerate(self._plans.chains):
            points = chains.front.points
            labels = (self._plans.label((*best[:at], p.ends, *best[at + 1 :])) for p in points)
            found.append(
                TradeOff(
                    chains.model.group.number,
                    tuple(labels),
                    tuple(point.cost for point in points),
                    tuple(point.state for point in points),
                    chains.front.epsilon,
                )
            )
        return tuple(found)
