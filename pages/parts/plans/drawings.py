"""A plan drawn: its join tree, its nested loops, its operators."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from pages.parts.shared import charts, planning
from pages.parts.shared.formatting import plain
from planner.families.capabilities import LoopOrders
from planner.families.join_order import JoinOrder
from planner.families.protocol import Family
from planner.families.sliced_chain import SlicedChain
from planner.numbers import shortened
from planner.plan.cost import Estimate
from planner.plan.dot import join_tree, to_dot
from planner.plan.plan import Operator, Plan
from planner.plan.plan_text import Overlays, to_loops, to_text
from planner.workload.workload import Workload

TREE, LOOPS = "Join tree", "Loops"
EVERY = "All arrivals"
EVERY_QUERY = "All queries"
# A larger graph takes long to lay out, and cannot be read.
MOST_OPERATORS = 60
# A picture in words is cut in its middle beyond these.
MOST_LETTERS = 4_000
# The family whose plans answer several queries.
SHARED = SlicedChain.name
# A tree of more streams than this is drawn smaller.
MOST_STREAMS = 5
TREE_HEIGHT = 430


@st.fragment
def show(chosen: Family, workload: Workload, plan: Plan, estimate: Estimate) -> None:
    """The plan in the way the user picks; what is not shown is not drawn."""
    if not isinstance(chosen, JoinOrder):
        operators(plan, estimate)
        return
    way = st.segmented_control(
        "Drawn as",
        [TREE, LOOPS],
        default=TREE,
        required=True,
        key="drawn-as",
        persist_state="session",
        label_visibility="collapsed",
    )
    if way == TREE:
        orders = planning.capable(chosen.name, workload, LoopOrders).orders(plan)
        origin = _origin(list(orders), plan) if len(orders) > 1 else ""
        order = orders[origin]
        charts.picture(
            join_tree(order),
            height=TREE_HEIGHT if len(order) > MOST_STREAMS else "content",
            alt=f"Right-deep join tree: {' joined with '.join(order)}, the first outermost",
        )
        st.caption(
            "Drawn as the paper does: the top stream is the outermost loop; it is joined first."
        )
    else:
        # Short lines: a loop that is broken in two cannot be read.
        st.code(to_loops(plan, estimate, "/s"), language=None, height=400, wrap_lines=False)
        st.caption("In brackets: comparisons of each loop a second, and the rows it returns.")


def _origin(names: list[str], plan: Plan) -> str:
    return st.segmented_control(
        "New tuples of",
        names,
        default=names[-1],
        required=True,
        format_func=plain,
        key=f"origin-{plan.id}",
    )


def operators(
    plan: Plan, estimate: Estimate, overlays: Overlays | None = None, key: str = "pipeline"
) -> None:
    """The graph of operators, tuples flowing upwards: a pipeline or a query at a time, or all."""
    drawn = part_of(plan, key)
    count = len(drawn.operators())
    if count > MOST_OPERATORS:
        st.caption(f"{count} operators are too many for a picture: they stand as text.")
        text = to_text(drawn, estimate, overlays)
        st.code(text, language=None, height=400, wrap_lines=False)
        return
    charts.picture(
        to_dot(drawn, estimate, overlays),
        width="stretch",
        alt=shortened(f"Operators of {to_text(drawn, estimate, overlays)}", MOST_LETTERS),
    )


def part_of(plan: Plan, key: str = "pipeline") -> Plan:
    """What the user picks of a plan: a pipeline, a query, or all of it."""
    return _of_query(plan, key) if plan.family == SHARED else _of_arrivals(plan, key)


def _of_arrivals(plan: Plan, key: str) -> Plan:
    """What the tuples of one stream go through, or those of all."""
    pipelines = {_name(end): end for root in plan.roots for end in _ends(root)}
    names = [EVERY, *pipelines]
    chosen = st.segmented_control(
        "Arrivals on",
        names,
        default=names[1] if pipelines else EVERY,
        required=True,
        format_func=plain,
        key=f"{key}-{plan.id}",
    )
    return plan if chosen == EVERY else replace(plan, roots=(pipelines[chosen],))


def _of_query(plan: Plan, key: str) -> Plan:
    """What leads to the output of one query, or of all."""
    by_query = {str(root.param("query")): root for root in plan.roots}
    names = [EVERY_QUERY, *by_query]
    chosen = st.selectbox(
        "Operators of",
        names,
        index=0 if len(plan.operators()) <= MOST_OPERATORS else 1,
        key=f"{key}-{plan.id}",
    )
    return plan if chosen == EVERY_QUERY else replace(plan, roots=(by_query[chosen],))


def _ends(root: Operator) -> tuple[Operator, ...]:
    """The last operator of each pipeline: below the output, or the late aggregation before it."""
    first = root.inputs[0]
    return first.inputs if first.kind == "update" else root.inputs


def _name(operator: Operator) -> str:
    params = dict(operator.params)
    return str(params.get("origin", params.get("source", operator.id)))
