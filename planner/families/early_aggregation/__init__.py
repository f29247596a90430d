"""Early aggregation: an aggregation over a join, with sources aggregated before they are joined."""

from __future__ import annotations

from planner.families.protocol import PlanSpace
from planner.plan.cost import UnitCosts
from planner.plan.objective import Objective, part_of_cost
from planner.workload.workload import Workload

NAME = "early_aggregation"


class EarlyAggregation:
    """LAP and every EAP: which sources are aggregated early, each joined in its best order."""

    name: str = NAME
    objective: Objective = part_of_cost("work", "operations")
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
        from planner.families.early_aggregation.coverage import refusal

        return refusal(workload)

    def title(self, label: str, workload: Workload | None = None) -> str:
        from planner.families.early_aggregation.titles import title

        alone = workload is not None and len(workload.queries) == 1
        sources = workload.queries[0].sources if workload is not None and alone else ()
        return title(label, [source.alias for source in sources])

    def space(self, workload: Workload, units: UnitCosts | None = None) -> PlanSpace:
        from planner.families.early_aggregation.space import AggregationPlans

        return AggregationPlans(workload, units)
