"""Work by its kind, stacked: of several plans, and of one plan's operators."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import plotly.graph_objects as go

from pages.parts.shared.figures import PALETTE, frame, room
from pages.parts.shared.formatting import UNITS
from planner.families.early_aggregation.ranking import KINDS, by_kind
from planner.numbers import amount, shortened, told_apart
from planner.plan.cost import Estimate
from planner.plan.operator_names import operator_name
from planner.plan.plan import Plan

# A bar and what it is made of.
Bars = Sequence[tuple[str, Mapping[str, float]]]


def of_operators(plan: Plan, estimate: Estimate) -> Bars:
    """What each operator adds to its plan's operations; those that add nothing are left out."""
    every = ((op, by_kind([(op.kind, estimate.costs[op.id])])) for op in plan.operators())
    return [(operator_name(op), work) for op, work in every if work]


def in_words(bars: Bars, field: str = "operations") -> str:
    """The figure for those who cannot see it."""
    return "; ".join(f"{name}: {_told(work, UNITS[field].lower())}" for name, work in bars)


def _told(work: Mapping[str, float], unit: str) -> str:
    kinds = ", ".join(f"{kind.lower()} {amount(value)}" for kind, value in work.items())
    return f"{amount(sum(work.values()))} {unit} ({kinds})"


def stacked(bars: Bars, kinds: Sequence[str] = KINDS, field: str = "operations") -> go.Figure:
    """One bar a plan or operator, cut into the kinds of work that make up what is counted."""
    figure = go.Figure()
    names = told_apart([shortened(name, 32) for name, _ in bars])
    totals = [sum(work.values()) for _, work in bars]
    unit = UNITS[field]
    for kind, colour in zip(kinds, PALETTE, strict=False):
        if any(kind in work for _, work in bars):
            figure.add_bar(
                y=names,
                x=[work.get(kind, 0.0) for _, work in bars],
                name=kind,
                orientation="h",
                marker_color=colour,
                hovertemplate="%{y}<br>" + kind + ": %{x:,.6g} " + unit.lower() + "<extra></extra>",
            )
    figure.add_scatter(
        y=names,
        x=totals,
        mode="text",
        text=[f" {amount(value)}" for value in totals],
        textposition="middle right",
        showlegend=False,
        hoverinfo="skip",
    )
    # A legend of several lines finds its place below the axis, where it hides no title.
    top, bottom, rows = 56, 130, 34 * max(len(bars), 2)
    layout = frame(f"{unit.removesuffix('/s')} by kind of work", top + rows + bottom)
    layout["margin"] = {"l": 10, "r": 10, "t": top, "b": bottom}
    layout["legend"] = {"orientation": "h", "yanchor": "top", "y": -58 / rows, "x": 0}
    figure.update_layout(
        barmode="stack",
        xaxis={"title": f"{unit} (stream time)", "range": room(totals)},
        yaxis={"autorange": "reversed", "type": "category"},
        **layout,
    )
    return figure
