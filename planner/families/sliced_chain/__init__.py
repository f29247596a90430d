"""Sliced chains: many joins of the same two streams that share one chain of sliced joins."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from planner.families.protocol import Ranking
from planner.families.sliced_chain import explain, ranking
from planner.families.sliced_chain.chain_search.merge_graph import Mergings, mergings_of
from planner.families.sliced_chain.coverage import refusal
from planner.families.sliced_chain.labels import CHAIN, CPU_OPT, MEM_OPT, STRATEGIES
from planner.families.sliced_chain.model import model_of
from planner.families.sliced_chain.picture import Picture, pictures_of
from planner.families.sliced_chain.plan_totals import Balance, TradeOff, balances_of, trade_off_of
from planner.families.sliced_chain.plans import NAME, Built
from planner.families.sliced_chain.pricing import estimated, looks_of_entered
from planner.families.sliced_chain.ranking import Plans
from planner.plan.cost import Cost, Estimate, UnitCosts
from planner.plan.plan import Plan
from planner.seconds.units import units_of
from planner.workload.workload import Workload


class SlicedChain:
    """Unshared, pull-up, push-down, and the chains of sliced joins of all mergings."""

    name: str = NAME
    ranked_by: str = "comparisons"
    symbols: str = (
        "λ: rate of a stream; s: the share of it that survives into the slice, r: the share that "
        "reaches it to probe; Δ: length of the slice, W: of a window; t: how long tuples that are "
        "due wait to be purged, p: the share of them that a run sees purged, a: the share that "
        "gets to a slice within a run; β: the share of a slice in one bucket; σ: the share that "
        "passes; "
        "S: the share of pairs that join; R: results. After Wang et al. 2006."
    )
    cites: tuple[str, ...] = (
        "S. Wang, E. Rundensteiner, S. Ganguly, S. Bhatnagar. State-Slice: New Paradigm of "
        "Multi-query Optimization of Window-based Stream Queries. VLDB 2006.",
    )

    def refuses(self, workload: Workload) -> str | None:
        """Say in one sentence why joins cannot be shared here; None when they can."""
        return refusal(workload)

    def candidates(self, workload: Workload) -> Iterator[Plan]:
        """Unshared, the other strategies, then chains, those with the most slices first."""
        plans = _plans(workload)
        for label in plans.listed:
            yield plans.model.builder.build(label).plan

    def best(self, workload: Workload) -> Plan:
        """The plan with the lowest score: the chain by shortest path, or a strategy."""
        plans = _plans(workload)
        return plans.model.builder.build(plans.best).plan

    def plan(self, workload: Workload, label: str) -> Plan:
        """The plan of a label: `unshared`, `mem-opt`, `chain:0-5-30`."""
        return next(self.plans(workload, [label]))

    def plans(self, workload: Workload, labels: Iterable[str]) -> Iterator[Plan]:
        """The plans of these labels, in turn."""
        plans = _plans(workload)
        for label in labels:
            yield plans.model.builder.build(plans.named(label)).plan

    def rank(
        self,
        workload: Workload,
        top: int | None,
        units: UnitCosts | None = None,
        by_seconds: bool = False,
    ) -> Ranking:
        """The `top` best and the baseline, which is unshared; None lists all it may."""
        plans = _plans(workload)
        found = ranking.rank(plans, top, units_of(workload, units), by_seconds)
        return replace(found, notes=explain.apart(plans))

    def scores(self, workload: Workload, labels: Sequence[str]) -> tuple[float, ...]:
        """Comparisons per second, and what the overhead of slices is worth."""
        plans = _plans(workload)
        # A strategy that is left out of the list still has a price.
        return tuple(
            plans.score(label if label in STRATEGIES else plans.named(label)) for label in labels
        )

    def lasting(self, label: str) -> str:
        """A chain names windows: the best one is followed as what it is, the CPU-Opt chain."""
        return CPU_OPT if label.startswith(CHAIN) else label

    def label_after_change(self, workload: Workload, plan: Plan, asked: str) -> str:
        """A strategy stays; a chain is optimised again, for memory if it was the one with the
        least, else for its score."""
        if not asked.startswith(CHAIN):
            return asked
        return MEM_OPT if self.plan(workload, MEM_OPT) == plan else CPU_OPT

    def cost_of_entered(
        self, plan: Plan, workload: Workload, entered: Mapping[str, int]
    ) -> Mapping[str, Cost]:
        """By operator id what a plan costs more because these queries entered at these times."""
        return looks_of_entered(plan, workload, entered)

    def estimate(self, plan: Plan, workload: Workload) -> Estimate:
        """Price every operator."""
        model = model_of(workload)
        return estimated(model.builder.build(plan.label), model)

    def why(self, workload: Workload) -> tuple[str, ...]:
        """Who shares, how the chain was found, what is left out."""
        return explain.why(_plans(workload))

    def answer(self, workload: Workload, ranking: Ranking) -> str:
        """Which plan wins, by how much, because of what, and what comes close to it."""
        return explain.answer(_plans(workload), ranking)

    def built(self, workload: Workload, label: str) -> Built:
        """A plan, and by operator id what each of its operators is about."""
        plans = _plans(workload)
        return plans.model.builder.build(plans.named(label))

    def pictures(self, workload: Workload, label: str) -> tuple[Picture, ...]:
        """The joins of a plan by the age of what they hold, and who taps in, for each group."""
        plans = _plans(workload)
        return pictures_of(plans.model, plans.model.builder.build(plans.named(label)))

    def mergings(self, workload: Workload, label: str) -> tuple[Mergings, ...]:
        """The graph of mergings of each group, with the cheapest chain and that of this label."""
        plans = _plans(workload)
        return mergings_of(plans, plans.named(label))

    def balances(self, workload: Workload, labels: Iterable[str]) -> tuple[Balance, ...]:
        """What plans hold, and what they do by kind of work."""
        plans = _plans(workload)
        return tuple(balances_of(plans, map(plans.named, labels)))

    def trade_off(self, workload: Workload) -> tuple[TradeOff, ...]:
        """For each group the chains of which none is better in both memory and CPU."""
        return trade_off_of(_plans(workload))


def _plans(workload: Workload) -> Plans:
    return Plans(model_of(workload))
