"""How join orders are shown: as a tree or as loops, with changing rates and index advice."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import pandas as pd
import streamlit as st

from pages.parts.families.join_order import index_advice, loops
from pages.parts.families.protocol import PICTURE_HEIGHT, FamilyView, PlanChoice, Sections
from pages.parts.plans import replanning
from pages.parts.shared import charts, controls, planning
from pages.parts.shared.formatting import UNITS, plain
from planner.families.join_order import JoinOrder
from planner.families.join_order.space import JoinOrders
from planner.plan.dot import join_tree
from planner.plan.plan import Plan
from planner.workload.workload import Workload

TREE, LOOPS = "Join tree", "Loops"
# What is below a picture has some room, too.
_DRAWN_HEIGHT = PICTURE_HEIGHT - 60


class JoinOrderView(FamilyView):
    """Join orders: the chosen one beside the ranking."""

    def shape(self, label: str) -> str:
        """The kind of plan, and the two streams that come first in its order."""
        if ":" in label:
            return label.partition(":")[0]
        return " and ".join(sorted(label.split(",")[:2]))

    def pictures(self, choice: PlanChoice) -> Sections:
        """Also as a tree, and as nested loops."""
        own = {
            TREE: partial(_tree, choice),
            LOOPS: partial(loops.show, choice, _DRAWN_HEIGHT, "drawn"),
        }
        return super().pictures(choice) | own

    def cost_by_operator(self, choice: PlanChoice, field: str) -> None:
        """Beside the bars the loops: both show what the mouse points at in the other."""
        left, right = st.columns([5, 4], gap="medium")
        with left:
            super().cost_by_operator(choice, field)
        with right:
            loops.show(choice, _DRAWN_HEIGHT, "bars")

    def details(self, choice: PlanChoice, common: Sections) -> Sections:
        """Also what changing rates do to the order, and which windows to index."""
        return common | {
            "Changing rates": partial(replanning.show, choice.family.name, choice.workload),
            "Index advice": partial(index_advice.show, choice.workload),
        }

    def search(self, workload: Workload, steps: Sequence[str]) -> None:
        """The steps of the heuristic in a table with the cost after each, then the others."""
        taken = _orders(workload).heuristic().steps
        costs = [step.cost for step in taken]
        unit = UNITS["comparisons"]
        frame = pd.DataFrame(
            {
                "Step": range(1, len(taken) + 1),
                "What happened": [step.text for step in taken],
                "Order": [step.label for step in taken],
                unit: [round(c) if c and c >= 1000 else c for c in costs],
            }
        )
        highest = max((cost for cost in costs if cost), default=1.0)
        controls.table(
            frame,
            "Steps of the search",
            columns=controls.described_columns("search-steps", {unit: {"max_value": highest}}),
            placeholder="",
        )
        super().search(workload, steps[len(taken) :])


def _orders(workload: Workload) -> JoinOrders:
    return planning.capable(JoinOrder.name, workload, JoinOrders)


@st.fragment
def _tree(choice: PlanChoice) -> None:
    plan, _ = choice.priced
    orders = _orders(choice.workload).orders(plan)
    order = orders[_origin(list(orders), plan) if len(orders) > 1 else ""]
    charts.picture(
        join_tree(order),
        height=_DRAWN_HEIGHT,
        alt=f"Right-deep join tree: {' joined with '.join(order)}, the first outermost",
    )
    st.caption("Drawn as in the paper: the stream at the top is the outermost loop, joined first.")


def _origin(names: list[str], plan: Plan) -> str:
    return controls.segments(
        "New tuples of", names, f"origin-{plan.id}", default=names[-1], format_func=plain
    )
