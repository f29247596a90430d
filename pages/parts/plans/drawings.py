"""A plan drawn as a graph of its operators, in whole or in part."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from pages.parts.shared import charts, controls
from pages.parts.shared.formatting import plain
from planner.numbers import shortened
from planner.plan.cost import Estimate
from planner.plan.dot import to_dot
from planner.plan.operator_names import parts_of_plan
from planner.plan.plan import Operator, Plan
from planner.plan.plan_text import Overlays, to_text

EVERY = "All arrivals"
EVERY_QUERY = "All queries"
# A larger graph takes long to lay out, and cannot be read.
MOST_OPERATORS = 60
# Longer text alternatives are cut in their middle.
MOST_LETTERS = 4_000
# So many parts of streams are explained.
MOST_PARTS = 8


def operators(
    plan: Plan, estimate: Estimate, overlays: Overlays | None = None, key: str = "pipeline"
) -> None:
    """The graph of operators, tuples flowing upwards; of one pipeline, one query, or all."""
    drawn = part_of(plan, key)
    count = len(drawn.operators())
    text = to_text(drawn, estimate, overlays)
    if count > MOST_OPERATORS:
        st.caption(f"{count} operators are too many for a picture, so they are listed as text.")
        st.code(text, language=None, height=400, wrap_lines=False)
        return
    charts.picture(
        to_dot(drawn, estimate, overlays),
        width="stretch",
        alt=shortened(f"Operators of {text}", MOST_LETTERS),
    )


def part_of(plan: Plan, key: str = "pipeline") -> Plan:
    """The part that the user picks: a pipeline, a query, or the whole plan."""
    pipelines = {_arriving(end): end for root in plan.roots for end in _ends(root)}
    if len(plan.roots) == 1 and "" not in pipelines:
        return _of_arrivals(plan, pipelines, key)
    named = {dict(root.params).get("query"): root for root in plan.roots}
    by_query = {str(query): root for query, root in named.items() if query is not None}
    if not by_query:
        return plan
    names = [EVERY_QUERY, *by_query]
    chosen = st.selectbox(
        "Operators of",
        names,
        index=0 if len(plan.operators()) <= MOST_OPERATORS else 1,
        key=f"{key}-{plan.id}",
    )
    return plan if chosen == EVERY_QUERY else replace(plan, roots=(by_query[chosen],))


def _of_arrivals(plan: Plan, pipelines: dict[str, Operator], key: str) -> Plan:
    """The operators that the tuples of one stream go through, or those of all."""
    names = [EVERY, *pipelines]
    chosen = controls.segments(
        "Arrivals on",
        names,
        f"{key}-{plan.id}",
        default=names[1] if pipelines else EVERY,
        format_func=plain,
    )
    return plan if chosen == EVERY else replace(plan, roots=(pipelines[chosen],))


def _ends(root: Operator) -> tuple[Operator, ...]:
    """The last operator of each pipeline: below the output, or the late aggregation before it."""
    first = root.inputs[0] if root.inputs else root
    return first.inputs if first.kind == "update" else root.inputs


def _arriving(operator: Operator) -> str:
    """The stream whose arrivals an operator handles; empty where it does not name one."""
    params = dict(operator.params)
    return str(params.get("origin", params.get("source", "")))


def explain_parts(*plans: Plan) -> None:
    """Which tuples each part of the streams holds; nothing where streams are not split."""
    parts = {code: words for plan in plans for code, words in parts_of_plan(plan).items()}
    if parts:
        shown = "; ".join(f"{code}: {words}" for code, words in list(parts.items())[:MOST_PARTS])
        more = f"; and {len(parts) - MOST_PARTS} more" if len(parts) > MOST_PARTS else ""
        st.caption(
            f"Parts of the streams, with one digit per condition: {plain(f'{shown}{more}.', 2000)}"
        )
