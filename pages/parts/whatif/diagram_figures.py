"""Figures of two axes: the plan diagram, and cost, margin and regret as heat maps.

Cells of a heat map cannot be clicked: squares that are all but transparent lie over them.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from pages.parts.shared.figures import LINE, PALETTE, frame
from pages.parts.shared.formatting import safe
from pages.parts.shared.planning import plan_title
from pages.parts.whatif.ranges import shown
from pages.parts.whatif.whatif_figures import scaled
from planner.joins.arrays import Floats, Ints
from planner.numbers import unique_names
from planner.whatif.diagrams.plan_diagram import PlanDiagram
from planner.whatif.diagrams.regret import reduced, regrets_in

WINNER, COST, MARGIN, REGRET, FEWER = "Best plan", "Cost", "Margin", "Regret", "Fewer plans"
SHOWN = (WINNER, COST, MARGIN, REGRET, FEWER)
_HEIGHT = 560
# A region that is narrower, in shares of the figure, is too small for its label.
_LEAST_WIDE, _LEAST_HIGH = 0.16, 0.05
_BLUES = "Cividis"
# Margins and regrets beyond are drawn alike.
_MOST_TIMES = 3.0


def drawn(
    diagram: PlanDiagram,
    what: str,
    titles: Sequence[str],
    workload: str,
    plan: str,
    within: float,
) -> go.Figure:
    """The figure that is asked for, with squares to click."""
    if what == WINNER:
        figure = _regions(diagram, diagram.plans, diagram.winner)
        title = f"Best plan by {_objective(diagram)}"
    elif what == FEWER:
        few = reduced(diagram, within)
        figure = _regions(diagram, few.plans, few.winner)
        title = f"Fewest plans within {within:.0%} of the best (greedy cover)"
    elif what == COST:
        figure = _heat(diagram, diagram.score, diagram.by.unit, is_log=True)
        title = f"{diagram.by.title} of the best plan"
    elif what == MARGIN:
        figure = _heat(diagram, np.minimum(diagram.margin, _MOST_TIMES), "x the best", False)
        title = f"How much worse the next best plan is by {_objective(diagram)}"
    else:
        regret = regrets_in(diagram)[diagram.plans.index(plan)]
        figure = _heat(diagram, np.minimum(regret, _MOST_TIMES), "x the best", False)
        title = f"{plan_title(plan)} everywhere, compared with the best"
    _squares(figure, diagram)
    first, second = diagram.axes
    figure.update_layout(
        xaxis=scaled(second) | {"title": safe(titles[1])},
        yaxis=scaled(first) | {"title": safe(titles[0])},
        **frame(
            f"{safe(title)}: {safe(workload, 40)}, predicted",
            _HEIGHT,
            legend=what in (WINNER, FEWER),
        ),
    )
    return figure


def _objective(diagram: PlanDiagram) -> str:
    """What plans are ranked by, with its unit where the name has none."""
    title, unit = diagram.by.title.lower(), diagram.by.unit
    return title if title == unit else f"{title} ({unit})"


def _regions(diagram: PlanDiagram, plans: Sequence[str], winner: Ints) -> go.Figure:
    """One colour for each plan, and its name where its region is large enough."""
    counts = np.bincount(winner, minlength=len(plans))
    order = sorted(range(len(plans)), key=lambda at: -counts[at])
    ranks = {place: rank for rank, place in enumerate(order) if counts[place]}
    # Beyond the palette plans share the last colour; their names are in the squares.
    codes = np.array([min(ranks[place], len(PALETTE) - 1) for place in winner.tolist()])
    last = len(PALETTE) - 1
    scale = [
        (edge, colour)
        for at, colour in enumerate(PALETTE)
        for edge in (at / len(PALETTE), (at + 1) / len(PALETTE))
    ]
    names = unique_names([plan_title(plan) for plan in plans])
    figure = go.Figure()
    figure.add_heatmap(
        x=diagram.axes[1].values,
        y=diagram.axes[0].values,
        z=codes.reshape(diagram.shape),
        zmin=-0.5,
        zmax=last + 0.5,
        colorscale=scale,
        showscale=False,
        hoverinfo="skip",
        opacity=0.85,
    )
    grid = winner.reshape(diagram.shape)
    for place in order[: len(PALETTE)]:
        rows, columns = np.nonzero(grid == place)
        if not len(rows):
            continue
        _key(figure, PALETTE[ranks[place]], names[place], len(rows) / grid.size)
        wide, high = np.ptp(columns) / grid.shape[1], np.ptp(rows) / grid.shape[0]
        if wide < _LEAST_WIDE or high < _LEAST_HIGH:
            continue
        # The cell of the region that is nearest to its middle.
        near = np.argmin((rows - rows.mean()) ** 2 + (columns - columns.mean()) ** 2)
        figure.add_annotation(
            x=_on_axis(diagram, 1, int(columns[near])),
            y=_on_axis(diagram, 0, int(rows[near])),
            text=safe(names[place], 28),
            showarrow=False,
            bgcolor="rgba(255,255,255,0.85)",
            font={"color": "#1F2933", "size": 12},
            borderpad=2,
        )
    return figure


def _key(figure: go.Figure, colour: str, name: str, share: float) -> None:
    """An entry of the legend: a heat map has none for its colours."""
    figure.add_scatter(
        x=[None],
        y=[None],
        mode="markers",
        marker={"symbol": "square", "size": 11, "color": colour},
        name=f"{safe(name, 40)} ({share:.0%})",
        hoverinfo="skip",
    )


def _on_axis(diagram: PlanDiagram, number: int, place: int) -> float:
    """Where an annotation stands: on a log axis Plotly takes the exponent."""
    axis = diagram.axes[number]
    value = axis.values[place]
    return float(np.log10(value)) if axis.is_log else value


def _heat(diagram: PlanDiagram, values: Floats, unit: str, is_log: bool) -> go.Figure:
    grid = values.reshape(diagram.shape)
    bar: dict[str, object] = {"title": {"text": safe(unit, 24), "side": "right"}}
    if is_log and np.all(grid > 0) and grid.max() > 20 * grid.min():
        grid = np.log10(grid)
        ticks = np.linspace(grid.min(), grid.max(), 5)
        bar |= {"tickvals": ticks.tolist(), "ticktext": [shown(10**tick) for tick in ticks]}
    figure = go.Figure()
    figure.add_heatmap(
        x=diagram.axes[1].values,
        y=diagram.axes[0].values,
        z=grid,
        colorscale=_BLUES,
        colorbar=bar,
        hoverinfo="skip",
    )
    return figure


def _squares(figure: go.Figure, diagram: PlanDiagram) -> None:
    rows, columns = diagram.shape
    every = np.arange(rows * columns)
    names = [safe(plan_title(plan), 60) for plan in diagram.plans]
    margin = diagram.margin
    figure.add_scattergl(
        x=np.array(diagram.axes[1].values)[every % columns],
        y=np.array(diagram.axes[0].values)[every // columns],
        mode="markers",
        marker={
            "symbol": "square",
            "size": max(4, min(24, 420 // max(rows, columns))),
            "color": LINE,
            "opacity": 0.02,
        },
        customdata=[
            (
                int(at),
                names[diagram.winner[at]],
                shown(float(diagram.score[at])),
                shown(float(margin[at])) if np.isfinite(margin[at]) else "no other plan",
            )
            for at in every
        ],
        hovertemplate="%{x:,.4g}, %{y:,.4g}<br>%{customdata[1]}: %{customdata[2]} "
        + safe(diagram.by.unit)
        + "<br>next best: %{customdata[3]}x<extra></extra>",
        showlegend=False,
    )
