"""Figures of two axes: the plan diagram, and cost, margin and regret as heat maps.

Cells of a heat map cannot be clicked: squares that are all but transparent lie over them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go

from pages.parts.shared.figures import LINE, frame
from pages.parts.shared.formatting import safe
from pages.parts.shared.planning import plan_title
from pages.parts.whatif.ranges import shown
from pages.parts.whatif.whatif_figures import MOST_NAMED, colour, scaled, subtitled
from planner.joins.arrays import Floats, Ints
from planner.numbers import unique_names
from planner.whatif.diagrams.plan_diagram import PlanDiagram
from planner.whatif.diagrams.regret import reduced, regrets_in

WINNER, COST, MARGIN, REGRET, FEWER = "Best plan", "Cost", "Margin", "Regret", "Fewer plans"
SHOWN = (WINNER, COST, MARGIN, REGRET, FEWER)
_HEIGHT = 560
# A region that is narrower, in shares of the figure, is too small for its label.
_LEAST_WIDE, _LEAST_HIGH = 0.16, 0.05
# Smaller ones have not even a number: a click says which plan it is.
_LEAST_NUMBERED = 0.002
_BLUES = "Cividis"
# Margins and regrets beyond are drawn alike.
_MOST_TIMES = 3.0


@dataclass(frozen=True, slots=True)
class ShownDiagram:
    """What a diagram shows: of two axes with these titles, about a workload and its model.

    `plan` is the one whose regret is shown, `within` how much worse few plans may be.
    """

    diagram: PlanDiagram
    what: str
    titles: tuple[str, ...]
    about: str
    plan: str
    within: float


def drawn(shown: ShownDiagram) -> go.Figure:
    """The figure that is asked for, with squares to click."""
    diagram, what = shown.diagram, shown.what
    if what == WINNER:
        figure = _regions(diagram, diagram.plans, diagram.winner)
        title = "Best plan"
    elif what == FEWER:
        few = reduced(diagram, shown.within)
        figure = _regions(diagram, few.plans, few.winner)
        title = f"Fewest plans within {shown.within:.0%} of the best (greedy cover)"
    elif what == COST:
        figure = _heat(diagram, diagram.score, diagram.by.unit, is_log=True)
        title = f"{diagram.by.title} of the best plan"
    elif what == MARGIN:
        figure = _heat(diagram, np.minimum(diagram.margin, _MOST_TIMES), "x the best", False)
        of = "" if diagram.second_is_exact else " of those that win somewhere"
        title = f"How much worse the next best plan{of} is"
    else:
        regret = regrets_in(diagram)[diagram.plans.index(shown.plan)]
        figure = _heat(diagram, np.minimum(regret, _MOST_TIMES), "x the best", False)
        title = f"{plan_title(shown.plan)} everywhere, compared with the best"
    _squares(figure, diagram)
    first, second = diagram.axes
    figure.update_layout(
        xaxis=scaled(second) | {"title": safe(shown.titles[1])},
        yaxis=scaled(first) | {"title": safe(shown.titles[0])},
        **frame(safe(title, 90), _HEIGHT, legend=what in (WINNER, FEWER)),
    )
    subtitled(figure, shown.about)
    return figure


def _regions(diagram: PlanDiagram, plans: Sequence[str], winner: Ints) -> go.Figure:
    """A colour and a number for each plan, and its name where its region is large enough."""
    counts = np.bincount(winner, minlength=len(plans))
    order = sorted(range(len(plans)), key=lambda at: (-counts[at], plans[at]))
    order = [place for place in order if counts[place]]
    ranks = np.zeros(len(plans))
    ranks[order] = np.arange(len(order))
    names = unique_names([plan_title(plan) for plan in plans])
    figure = go.Figure()
    figure.add_heatmap(
        x=diagram.axes[1].values,
        y=diagram.axes[0].values,
        z=ranks[winner].reshape(diagram.shape),
        zmin=-0.5,
        zmax=len(order) - 0.5,
        colorscale=_steps(len(order)),
        showscale=False,
        hoverinfo="skip",
        opacity=0.85,
    )
    grid = winner.reshape(diagram.shape)
    for rank, place in enumerate(order):
        rows, columns = np.nonzero(grid == place)
        share = len(rows) / grid.size
        if rank < MOST_NAMED:
            _key(figure, colour(rank), f"{rank + 1}: {names[place]}", share)
        if share < _LEAST_NUMBERED:
            continue
        wide, high = np.ptp(columns) / grid.shape[1], np.ptp(rows) / grid.shape[0]
        is_large = wide >= _LEAST_WIDE and high >= _LEAST_HIGH
        text = f"{rank + 1}: {names[place]}" if is_large else str(rank + 1)
        _label(figure, diagram, _inside(rows, columns), text)
    if len(order) > MOST_NAMED:
        figure.add_scatter(
            x=[None],
            y=[None],
            mode="markers",
            marker={"symbol": "square-open", "size": 11, "color": LINE},
            name=f"{len(order) - MOST_NAMED} more: their numbers are in the table",
            hoverinfo="skip",
        )
    return figure


def _steps(count: int) -> list[tuple[float, str]]:
    """A scale that has one colour for each plan."""
    return [
        (edge, colour(rank)) for rank in range(count) for edge in (rank / count, (rank + 1) / count)
    ]


def _inside(rows: Ints, columns: Ints) -> tuple[int, int]:
    """The cell of a region that is nearest to its middle."""
    near = int(np.argmin((rows - rows.mean()) ** 2 + (columns - columns.mean()) ** 2))
    return int(rows[near]), int(columns[near])


def _label(figure: go.Figure, diagram: PlanDiagram, at: tuple[int, int], text: str) -> None:
    figure.add_annotation(
        x=_on_axis(diagram, 1, at[1]),
        y=_on_axis(diagram, 0, at[0]),
        text=safe(text, 30),
        showarrow=False,
        bgcolor="rgba(255,255,255,0.85)",
        font={"color": "#1F2933", "size": 12},
        borderpad=2,
    )


def _key(figure: go.Figure, shade: str, name: str, share: float) -> None:
    """An entry of the legend: a heat map has none for its colours."""
    figure.add_scatter(
        x=[None],
        y=[None],
        mode="markers",
        marker={"symbol": "square", "size": 11, "color": shade},
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
