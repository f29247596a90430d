"""The plans of joins that may share a chain: three strategies, and chains of mergings."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, combinations, product

import numpy as np

from planner.errors import PlanError
from planner.families.base import ListedSpace
from planner.families.grid_pricing import GridPrices, PriceParts
from planner.families.protocol import Explanation, Ranking
from planner.families.sliced_chain import SlicedChain, grid_pricing, layout, titles
from planner.families.sliced_chain.chain_search.chains import GroupChains, Mergings, Places
from planner.families.sliced_chain.labels import (
    CHAIN,
    CPU_OPT,
    MEM_OPT,
    PULL_UP,
    PUSH_DOWN,
    STRATEGIES,
    UNSHARED,
    ends_of,
    label_of,
)
from planner.families.sliced_chain.layout import SlicedJoin
from planner.families.sliced_chain.model import model_of
from planner.families.sliced_chain.picture import Balance, Picture, TradeOff, by_kind, pictures_of
from planner.families.sliced_chain.plans import BuiltChain
from planner.families.sliced_chain.pricing import estimated, looks_of_entered, priced, slice_work
from planner.joins.arrays import Floats
from planner.joins.shared.shares import TooManyError
from planner.plan.cost import Cost, Estimate, UnitCosts, rounded, total
from planner.plan.objective import Objective
from planner.plan.plan import Plan
from planner.seconds.kernel_work import KernelWork
from planner.workload.workload import Workload

# Up to so many mergings are listed, all of them; of more, those that say something.
MOST_MERGINGS = 4_096
# With more windows the trade-off takes seconds: it is worked out where it is asked for.
MOST_TRADED = 300
MOST_JOINS = 64


@dataclass(frozen=True)
class Strategy:
    """A plan that is no chain, with its price."""

    built: BuiltChain
    costs: dict[str, Cost]
    score: float


class ChainPlans(ListedSpace):
    """Strategies and chains of one workload. Queries may change while such a plan runs."""

    baseline = UNSHARED
    # A ranking by another objective says the seconds of so many plans, and of those with a name.
    most_timed = 32
    named = STRATEGIES
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
        self.chains = tuple(GroupChains(group, self.model.c_sys) for group in self.model.groups)
        self._groups = [group.group for group in self.model.groups]
        self._strategies: dict[str, Strategy] = {}

    # --- labels ----------------------------------------------------------------------------------

    def meant(self, label: str) -> str:
        """The label that is meant: `mem-opt` and `cpu-opt` stand for chains.

        Filters are pushed down nowhere where there are none: also when the last query that has one
        leaves while the plan runs.
        """
        if label == PUSH_DOWN and not self._filtered:
            return PULL_UP
        if label == MEM_OPT:
            return self.label(tuple(chains.every for chains in self.chains))
        if label == CPU_OPT:
            return self.label(tuple(chains.cheapest for chains in self.chains))
        for excluded, why in self.excluded:
            if label == excluded:
                raise PlanError(f"is left out: {why}", label)
        if label not in STRATEGIES:
            ends_of(self._groups, label)
        return label

    def label(self, places: Sequence[Places]) -> str:
        pairs = zip(self._groups, places, strict=True)
        ends = tuple(tuple(group.boundaries[at] for at in own) for group, own in pairs)
        return label_of(self._groups, ends)

    def places(self, label: str) -> tuple[Places, ...]:
        pairs = zip(self._groups, ends_of(self._groups, label), strict=True)
        return tuple(tuple(np.searchsorted(group.boundaries, own).tolist()) for group, own in pairs)

    @property
    def _filtered(self) -> bool:
        return any(group.has_conditions for group in self._groups)

    @cached_property
    def _optima(self) -> dict[str, str]:
        return {optimum: self.meant(optimum) for optimum in (CPU_OPT, MEM_OPT)}

    def title(self, label: str) -> str:
        return titles.beside_optima(label, self._optima)

    def lasting(self, label: str) -> str:
        """A chain names windows: the best one is followed as what it is, the CPU-Opt chain."""
        return CPU_OPT if label.startswith(CHAIN) else label

    def tags(self, ordered: Sequence[str], best: str) -> dict[str, str]:
        """The best plan, unshared, and the chains with the least state and the least work."""
        optima = (MEM_OPT, CPU_OPT)
        return super().tags(ordered, best) | {name: self._optima[name] for name in optima}

    # --- which plans there are -------------------------------------------------------------------

    @cached_property
    def excluded(self) -> tuple[tuple[str, str], ...]:
        if not self._filtered:
            return ((PUSH_DOWN, "no query has a filter, so it would be the same as pull-up"),)
        try:
            joins = sum(1 for group in self._groups for _ in layout.pushed_down(group))
        except TooManyError as error:
            return ((PUSH_DOWN, error.message),)
        if joins > MOST_JOINS:
            why = f"the parts of the streams need {joins:,} joins; at most {MOST_JOINS} are planned"
            return ((PUSH_DOWN, why),)
        return ()

    @cached_property
    def chain_count(self) -> int:
        return math.prod(2 ** (chains.edges.last - 1) for chains in self.chains)

    @property
    def is_whole(self) -> bool:
        """Whether every merging of slices is listed."""
        return self.chain_count <= MOST_MERGINGS

    @cached_property
    def labels(self) -> Sequence[str]:
        """Unshared, the other strategies, then chains, those with the most slices first."""
        chosen = self._all() if self.is_whole else self._instructive()
        return tuple(dict.fromkeys(chain(self.strategies_planned, map(self.label, chosen))))

    @cached_property
    def strategies_planned(self) -> tuple[str, ...]:
        left_out = {label for label, _ in self.excluded}
        return tuple(label for label in STRATEGIES if label not in left_out)

    def _all(self) -> Iterator[tuple[Places, ...]]:
        """Every merging of every group, the most slices first."""
        each = []
        for chains in self.chains:
            last = chains.edges.last
            inner = range(last - 1, -1, -1)
            picks = chain.from_iterable(combinations(range(1, last), n) for n in inner)
            each.append([(*picked, last) for picked in picks])
        return product(*each)

    def _instructive(self) -> Iterator[tuple[Places, ...]]:
        """Mem-Opt, CPU-Opt, the chains of the front, and those next to CPU-Opt."""
        yield tuple(chains.every for chains in self.chains)
        best = tuple(chains.cheapest for chains in self.chains)
        yield best
        for at, chains in enumerate(self.chains):
            front = chains.front.points if chains.edges.last <= MOST_TRADED else ()
            for places in chain((point.ends for point in front), chains.neighbours(best[at])):
                yield (*best[:at], places, *best[at + 1 :])

    def built(self, label: str) -> BuiltChain:
        """A plan, and by operator id what each of its operators is about."""
        return self.model.build(self.meant(label))

    def plans(self, labels: Iterable[str]) -> Iterator[Plan]:
        """The plans of these labels: `unshared`, `mem-opt`, `chain:0-5-30`."""
        return (self.built(label).plan for label in labels)

    # --- prices ----------------------------------------------------------------------------------

    def score(self, label: str) -> float:
        """Comparisons per second, and what the overhead of slices is worth."""
        if label in STRATEGIES:
            return self._strategy(label).score
        pairs = zip(self.chains, self.places(label), strict=True)
        return sum(chains.score(places) for chains, places in pairs)

    def scores(self, labels: Sequence[str], by: Objective | None = None) -> tuple[float, ...]:
        """The scores of these plans; a strategy that is left out of the list still has a price."""
        return super().scores([at if at in STRATEGIES else self.meant(at) for at in labels], by)

    def cost(self, label: str) -> Cost:
        if label in STRATEGIES:
            strategy = self._strategy(label)
            return total(strategy.costs, (root.id for root in strategy.built.plan.roots))
        pairs = zip(self.chains, self.places(label), strict=True)
        work = sum((chains.work(places) for chains, places in pairs), Cost())
        return work + Cost(rows_out=self._rows)

    @cached_property
    def _rows(self) -> float:
        return sum(g.results(member).value for g in self.model.groups for member in g.group.members)

    def _strategy(self, label: str) -> Strategy:
        if label not in self._strategies:
            built = self.model.build(label)
            costs = priced(built, self.model)
            score = sum(cost.comparisons for cost in costs.values()) + self._overhead(built)
            self._strategies[label] = Strategy(built, costs, score)
        return self._strategies[label]

    def entering(self, built: BuiltChain) -> float:
        """Tuples per second that enter the slices and joins of a plan to probe."""
        joins = {id(s): s for s in built.subjects.values() if isinstance(s, SlicedJoin)}
        return sum(
            flow.entering.value
            for join in joins.values()
            for flow in self.model.by_group[join.group].flows(join)
        )

    def _overhead(self, built: BuiltChain) -> float:
        """What entering slices and joins is worth in comparisons per second."""
        return self.model.c_sys * self.entering(built) if self.model.c_sys else 0.0

    def seconds_by_label(self, label: str) -> float:
        built = self.model.build(label)
        return self.plan_seconds(built.plan, priced(built, self.model))

    def price_parts(self, by: Objective) -> PriceParts | None:
        is_default = by.name == self.objectives[0].name
        return grid_pricing.price_parts(self) if is_default else super().price_parts(by)

    def combined(self, parts: Floats, by: Objective) -> GridPrices:
        is_default = by.name == self.objectives[0].name
        return grid_pricing.combined(self, parts, by) if is_default else super().combined(parts, by)

    def plan_seconds(self, plan: Plan, costs: Mapping[str, Cost]) -> float:
        seconds = self.kernel_work(plan, costs).seconds(self.units)
        if not self.units.kinds and self.model.c_sys:
            # Declared unit costs know no slices: what entering one takes is declared beside.
            entering = self.entering(self.model.build(plan.label))
            seconds += self.model.c_sys * self.units.default.compare * entering
        return rounded(seconds)

    def estimate(self, plan: Plan) -> Estimate:
        return estimated(self.model.build(plan.label), self.model)

    def kernel_work(self, plan: Plan, costs: Mapping[str, Cost]) -> KernelWork:
        return slice_work(plan, costs)

    def facts(self, label: str) -> tuple[str, ...]:
        from planner.families.sliced_chain import explain

        return tuple(explain.facts(self, self.meant(label)))

    def explanation(self, ranking: Ranking) -> Explanation:
        from planner.families.sliced_chain import explain

        return Explanation(
            explain.answer(self, ranking), explain.apart(self), lambda: explain.why(self)
        )

    # --- changes while it runs -------------------------------------------------------------------

    def label_after_change(self, plan: Plan, asked: str) -> str:
        """A chain is optimised again: for memory if it held the least, else for its score."""
        if not asked.startswith(CHAIN):
            return asked
        return MEM_OPT if plan.label == self.meant(MEM_OPT) else CPU_OPT

    def moved(self, _before: Plan, _after: Plan) -> Cost:
        """Slices are split and merged where they are: no tuple is compared or stored again."""
        return Cost()

    def why_not_switched(self, _before: Plan, _after: Plan) -> str | None:
        return None

    def cost_of_entered(self, plan: Plan, entered: Mapping[str, int]) -> Mapping[str, Cost]:
        return looks_of_entered(plan, self.model, entered)

    # --- as pictures -----------------------------------------------------------------------------

    def pictures(self, label: str) -> tuple[Picture, ...]:
        """The joins of a plan by the age of what they hold, and who taps in, for each group."""
        return pictures_of(self.model, self.built(label))

    def mergings(self, label: str) -> tuple[Mergings, ...]:
        """The graph of mergings of each group, with the cheapest chain and that of this label."""
        label = self.meant(label)
        chosen = self.places(label) if label.startswith(CHAIN) else [()] * len(self.chains)
        return tuple(own.mergings(places) for own, places in zip(self.chains, chosen, strict=True))

    def balances(self, labels: Iterable[str]) -> tuple[Balance, ...]:
        """What plans hold, and what they do by kind of work."""
        return tuple(self._balance(self.built(label)) for label in labels)

    def _balance(self, built: BuiltChain) -> Balance:
        costs, plan = priced(built, self.model), built.plan
        joins = [join for picture in pictures_of(self.model, built) for join in picture.joins]
        return Balance(
            plan.label,
            len(joins),
            total(costs, (root.id for root in plan.roots)),
            sum(sum(join.bytes) for join in joins),
            by_kind(((op.kind, costs[op.id]) for op in plan.operators()), self._overhead(built)),
        )

    def trade_off(self) -> tuple[TradeOff, ...]:
        """For each group the chains of which none is better in both memory and CPU.

        It is one point where all chains of a group hold the same tuples.
        """
        best = tuple(chains.cheapest for chains in self.chains)
        found = []
        for at, chains in enumerate(self.chains):
            points = chains.front.points
            found.append(
                TradeOff(
                    chains.model.group.number,
                    tuple(self.label((*best[:at], p.ends, *best[at + 1 :])) for p in points),
                    tuple(point.cost for point in points),
                    tuple(point.state for point in points),
                    chains.front.epsilon,
                )
            )
        return tuple(found)
