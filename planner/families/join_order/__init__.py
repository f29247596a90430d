"""Join orders: one multi-way window join, its sources in any order, new tuples in any loop."""

from __future__ import annotations

from planner.families.protocol import PlanSpace
from planner.plan.cost import UnitCosts
from planner.plan.objective import Objective, part_of_cost
from planner.workload.workload import Workload

NAME = "join_order"


class JoinOrder:
    """Loop orders of a multi-way join: multiway, naive and general, eager and lazy."""

    name: str = NAME
    objective: Objective = part_of_cost("work", "comparisons")
    symbols: str = (
        "λ: rate of a stream; T: length of its window; v: distinct values of its join attribute; "
        "b: buckets of its hash index; φ: size of a join of windows. After Golab & Özsu 2003."
    )
    cites: tuple[str, ...] = (
        "L. Golab, M. T. Özsu. Processing Sliding Window Multi-Joins in Continuous Queries "
        "over Data Streams. Technical Report CS-2003-01, University of Waterloo, 2003.",
    )

    def refuses(self, workload: Workload) -> str | None:
        from planner.families.join_order.model import refusal

        return refusal(workload)

    def title(self, label: str, workload: Workload | None = None) -> str:  # noqa: ARG002
        from planner.families.join_order.titles import title

        return title(label)

    def space(self, workload: Workload, units: UnitCosts | None = None) -> PlanSpace:
        from planner.families.join_order.space import JoinOrders

        return JoinOrders(workload, units)
