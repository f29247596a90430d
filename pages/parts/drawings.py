"""A plan drawn: its join tree, its nested loops, its operators."""

from __future__ import annotations

import streamlit as st

from planner.cost import Estimate
from planner.dot import join_tree, to_dot
from planner.drawing import Overlays, to_loops
from planner.families.join_order import JoinOrder
from planner.family import Family
from planner.plan import Plan
from planner.workload import Workload

TREE, LOOPS, OPERATORS = "Join tree", "Loops", "Operators"


def show(chosen: Family, workload: Workload, plan: Plan, estimate: Estimate) -> None:
    """The plan in the way the user picks; what is not shown is not drawn."""
    ways = [TREE, LOOPS, OPERATORS] if isinstance(chosen, JoinOrder) else [OPERATORS]
    way = st.segmented_control(
        "Drawn as",
        ways,
        default=ways[0],
        required=True,
        key="drawn-as",
        persist_state="session",
        label_visibility="collapsed",
    )
    if way == TREE and isinstance(chosen, JoinOrder):
        st.graphviz_chart(
            join_tree(chosen.order(workload, plan)), width="content", alt=f"Join tree {plan.label}"
        )
        st.caption("The first stream of the order is the outermost loop.")
    elif way == LOOPS:
        st.code(to_loops(plan, estimate), language=None, height=380)
    else:
        operators(plan, estimate)


def operators(plan: Plan, estimate: Estimate, overlays: Overlays | None = None) -> None:
    """The graph of operators, tuples flowing upwards."""
    st.graphviz_chart(
        to_dot(plan, estimate, overlays), width="stretch", alt=f"Operators of {plan.label}"
    )
