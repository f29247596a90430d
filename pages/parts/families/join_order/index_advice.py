"""Which windows to index within a budget of buckets, what that saves, and a button to do so."""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from pages.parts.shared import charts, controls, planning, state
from pages.parts.shared.figures import MEASURED, PALETTE, PREDICTED, frame, log_axis
from pages.parts.shared.formatting import plain, rounded_each
from pages.parts.shared.state import BY_DIGEST
from pages.parts.workload import drafts
from planner.families.capabilities import IndexAdvice
from planner.families.join_order import JoinOrder
from planner.numbers import amount
from planner.plan.index_advice import (
    MOST_BUCKETS,
    Advice,
    WindowAdvice,
    advised_execution,
)
from planner.report.advice_report import HOW
from planner.seconds.units import declared_units
from planner.time_limit import planning_limit
from planner.workload.workload import Workload


def cost_by_budget(advice: Advice) -> go.Figure:
    """Three uses of a budget: as advised, split equally, and not at all."""
    figure = go.Figure()
    budgets = [point.budget for point in advice.curve]
    series = (
        ("Advised", [point.advised for point in advice.curve], PREDICTED, "solid", "circle"),
        ("Equal split", [point.equal for point in advice.curve], MEASURED, "dash", "square"),
        ("No index", [advice.none.cost] * len(budgets), PALETTE[7], "dot", None),
    )
    for name, costs, colour, dash, symbol in series:
        figure.add_scatter(
            x=budgets,
            y=costs,
            name=name,
            mode="lines+markers" if symbol else "lines",
            line={"color": colour, "dash": dash, "width": 2.5},
            marker={"symbol": symbol, "size": 7},
            hovertemplate=f"{name}, %{{x}} buckets<br>%{{y:,.6g}} {advice.unit}<extra></extra>",
        )
    unit = advice.unit[0].upper() + advice.unit[1:]
    every = [cost for _, costs, *_ in series for cost in costs]
    scale: dict[str, object] = {"rangemode": "tozero"}
    if min(every) > 0:
        scale = log_axis(min(every) / 1.3, max(every) * 1.3)
    figure.update_layout(
        xaxis={"title": "Budget (buckets over all windows)", "rangemode": "tozero"},
        yaxis={"title": f"{unit} (stream time)", **scale},
        **frame(f"{unit} of the best plan, by budget", 400),
    )
    return figure


# The initial budget per source.
_INITIAL_BUDGET = 10


def show(workload: Workload) -> None:
    """The advice for the budget that the user sets, as a sentence, a chart and a table."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        budget = st.number_input(
            max_value=MOST_BUCKETS,
            value=_INITIAL_BUDGET * len(workload.queries[0].sources),
            key="advice-budget",
            **controls.field("advice-budget"),
        )
        upkeep = st.toggle(key="advice-upkeep", **controls.field("advice-upkeep"))
    advice = advised(workload, budget, upkeep)
    st.markdown(f"#### {plain(advice.answer(), 800)}", anchors=False)
    best = planning.title(JoinOrder.name, advice.plan, workload)
    st.markdown(f"{HOW[advice.method]} Best plan with these indexes: {plain(best, 200)}.")
    left, right = st.columns(2, gap="medium")
    with left:
        charts.show(cost_by_budget(advice), alt=_alternative(advice))
        if advice.curve_method != advice.method:
            st.caption("For smaller budgets the curve shows a greedy split; better ones may exist.")
    with right:
        _windows(advice)
        _use(advice)


@st.cache_resource(show_spinner="Dividing the budget", max_entries=64, hash_funcs=BY_DIGEST)
@planning_limit()
def advised(workload: Workload, budget: int, upkeep: bool) -> Advice:
    """The advice, in seconds if upkeep is included and unit costs are declared."""
    units = declared_units(workload) if upkeep else None
    return planning.capable(JoinOrder.name, workload, IndexAdvice).advise(budget, upkeep, units)


def _windows(advice: Advice) -> None:
    """How each window is probed, and what its index saves."""
    saves, columns = f"Saves {advice.unit}", controls.described_columns("advised-windows")
    frame = pd.DataFrame(
        {
            "Window": [window.source for window in advice.windows],
            "Access": [_access(window, advice) for window in advice.windows],
            saves: rounded_each([window.saves for window in advice.windows]),
            "Per bucket": rounded_each([window.saves_per_bucket for window in advice.windows]),
            "Takes": [window.memory for window in advice.windows],
        }
    )
    if all(window.memory in (0, window.buckets) for window in advice.windows):
        frame = frame.drop(columns="Takes")
    controls.table(
        frame,
        "Windows and their indexes",
        columns={**columns, saves: columns["Saves"]},
    )


def _access(window: WindowAdvice, advice: Advice) -> str:
    if window.most_useful == 1:
        return "scan (no equality)"
    if window.buckets == 1:
        return "scan"
    most = advice.worth_most
    mark = ", saves most" if most is not None and most.source == window.source else ""
    return f"{amount(window.buckets)} buckets{mark}"


def _use(advice: Advice) -> None:
    """A button that puts the advised indexes into the workload."""
    execution = advised_execution(state.workload().execution, advice)
    in_use = execution == state.workload().execution
    if st.button(
        "These indexes are in use" if in_use else "Use these indexes",
        icon=":material/check:",
        disabled=in_use,
        key="use-advice",
    ):
        drafts.set_execution(execution)
        state.choose_plan(advice.plan)
        st.rerun()


def _alternative(advice: Advice) -> str:
    """The text alternative of the chart."""
    return (
        f"{advice.unit} of the best plan by budget: {amount(advice.none.cost)} without indexes; "
        f"with {amount(advice.budget)} buckets {amount(advice.cost)} as advised and "
        f"{amount(advice.equal.cost)} split equally"
    )
