"""An experiment over two settings, drawn in space: models as surfaces, measured points on them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import plotly.graph_objects as go

from pages.parts.figures import PALETTE, frame
from planner.evaluation.experiment import Experiment, Surface

if TYPE_CHECKING:
    from runtime.evaluation.figure import Figure

_HEIGHT = 620


def draw(chosen: Experiment, surface: Surface, figure: Figure | None) -> go.Figure:
    """A surface for each of the paper's models, and what was measured."""
    drawn = go.Figure()
    for number, (model, heights) in enumerate(surface.heights.items()):
        colour = PALETTE[number % len(PALETTE)]
        drawn.add_surface(
            x=surface.x,
            y=surface.y,
            z=heights,
            name=model,
            showlegend=True,
            showscale=False,
            opacity=0.7,
            colorscale=[[0, colour], [1, colour]],
            contours={"z": {"show": True}},
            hovertemplate=f"{model}<br>%{{x}}, %{{y}}: %{{z:.3g}}<extra></extra>",
        )
    if figure is not None:
        drawn.add_scatter3d(
            **measured(chosen, surface, figure),
            name="measured",
            mode="markers",
            marker={"size": 4, "color": PALETTE[len(surface.heights) % len(PALETTE)]},
            hovertemplate="measured<br>%{x}, %{y}: %{z:.3g}<extra></extra>",
        )
    drawn.update_layout(
        scene={
            "xaxis": {"title": chosen.x.title},
            "yaxis": {"title": surface.y_title},
            "zaxis": {"title": "saved"},
        },
        **frame(chosen.title, _HEIGHT),
    )
    return drawn


def measured(chosen: Experiment, surface: Surface, figure: Figure) -> dict[str, list[Any]]:
    """Where the measured points lie in space."""
    shown = figure.shown(chosen)
    found = [
        (point.x, surface.levels[curve.subject], shown[point.key].value(figure.quantity))
        for curve in chosen.curves
        if curve.label == curve.subject
        for point in curve.points
        if point.key in shown
    ]
    return {axis: [place[at] for place in found] for at, axis in enumerate("xyz")}


def in_words(chosen: Experiment, surface: Surface) -> str:
    """The surfaces for those who cannot see them: their corners."""
    told = [
        f"{model}: {heights[0][0]:.3g}, {heights[0][-1]:.3g}, {heights[-1][0]:.3g} and "
        f"{heights[-1][-1]:.3g} at its corners"
        for model, heights in surface.heights.items()
    ]
    return f"{chosen.title}. {chosen.y.title} by {chosen.x.title} and {surface.y_title}. " + (
        "; ".join(told) + "."
    )
