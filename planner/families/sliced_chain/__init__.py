"""Sliced chains: many joins of the same two streams that share one chain of sliced joins."""

from __future__ import annotations

from planner.families.protocol import PlanSpace
from planner.plan.cost import UnitCosts
from planner.plan.objective import Objective, part_of_cost
from planner.workload.workload import Workload

NAME = "sliced_chain"


class SlicedChain:
    """Unshared, pull-up, push-down, and the chains of sliced joins of all mergings."""

    name: str = NAME
    objective: Objective = part_of_cost("work", "comparisons")
    symbols: str = (
        "λ: rate of a stream; s: the share of it that survives into the slice, r: the share that "
        "reaches it to probe; Δ: length of the slice, W: of a window; t: how long tuples that are "
        "due wait to be purged; β: the share of a slice in one bucket; σ: the share that passes; "
        "S: the share of pairs that join; R: results. After Wang et al. 2006."
    )
    cites: tuple[str, ...] = (
        "S. Wang, E. Rundensteiner, S. Ganguly, S. Bhatnagar. State-Slice: New Paradigm of "
        "Multi-query Optimization of Window-based Stream Queries. VLDB 2006.",
    )

    def refuses(self, workload: Workload) -> str | None:
        from planner.families.sliced_chain.coverage import refusal

        return refusal(workload)

    def title(self, label: str, workload: Workload | None = None) -> str:  # noqa: ARG002
        from planner.families.sliced_chain.titles import title

        return title(label)

    def space(self, workload: Workload, units: UnitCosts | None = None) -> PlanSpace:
        from planner.families.sliced_chain.space import ChainPlans

        return ChainPlans(workload, units)
