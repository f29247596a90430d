"""The picture of index advice: what the best plan costs with each budget of buckets."""

from __future__ import annotations

import plotly.graph_objects as go

from pages.parts.figures import MEASURED, PALETTE, PREDICTED, frame, log_axis
from planner.families.join_order.advice import Advice


def cost_by_budget(advice: Advice) -> go.Figure:
    """Three uses of a budget: as advised, split equally, and left alone."""
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
