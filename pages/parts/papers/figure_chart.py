"""The curves of an experiment: models as lines, measured points with their spread."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any

import plotly.graph_objects as go

from pages.parts.shared.figures import PALETTE, frame, log_axis
from planner.experiments.experiment import Curve, Experiment, Point, Surface
from planner.numbers import amount

if TYPE_CHECKING:
    from runtime.experiments.figure import MeasuredFigure

# Pixels of the plot, and of each line of a legend that has one entry a line where it is narrow.
_PLOT = 460
_LEGEND_LINE = 14
_HEIGHT = 620
_PRINTED = "#7A868F"
_DASHES = ("solid", "dot", "dash")
_PATTERNS = ("/", ".", "x")
# One mark for each subject, so that colour is never alone.
_MARKS = (
    "circle", "square", "diamond", "triangle-up", "cross", "star", "triangle-down", "pentagon",
)  # fmt: skip


def draw(
    chosen: Experiment, figure: MeasuredFigure | None, predicted: Collection[str] | None = None
) -> go.Figure:
    """Bars where places are names, else lines; each subject has its colour and mark.

    `predicted` are the models whose curves are drawn; None draws all.
    """
    drawn = go.Figure()
    subjects = list(dict.fromkeys(curve.subject for curve in chosen.curves))
    for number, curve in enumerate(chosen.curves):
        place = subjects.index(curve.subject)
        colour, mark = PALETTE[place % len(PALETTE)], _MARKS[place % len(_MARKS)]
        # Later curves are thinner, so that those on top of each other all stay visible.
        left = 1 - place / len(subjects)
        if curve.model and (predicted is None or curve.model in predicted):
            dash = _DASHES[chosen.models.index(curve.model) % len(_DASHES)]
            _predicted(drawn, chosen, curve, {"color": colour, "dash": dash, "width": 1 + 3 * left})
        if figure is not None:
            marker = {"color": colour, "symbol": mark, "size": 5 + 9 * left}
            _measured(drawn, chosen, figure, number, marker)
    for curve in chosen.curves:
        _printed(drawn, chosen, curve)
    drawn.update_layout(
        barmode="group",
        xaxis={"title": chosen.x.title, **_places(chosen)},
        yaxis={"title": chosen.y.title, **_scale(chosen, drawn)},
        clickmode="event+select",
        **_framed(chosen.title, len(drawn.data)),
    )
    return drawn


def _framed(title: str, series: int) -> dict[str, object]:
    """The usual frame, but with the legend below: it has many lines."""
    height = _PLOT + _LEGEND_LINE * series
    framed = frame(title, height, legend=False)
    below = {"orientation": "h", "yref": "container", "yanchor": "bottom", "y": 0, "x": 0}
    return {**framed, "showlegend": True, "legend": below}


def _places(chosen: Experiment) -> dict[str, object]:
    """The ticks: names, or the figures themselves on a logarithmic scale."""
    if chosen.x.named:
        return {"type": "category"}
    if not chosen.x.logarithmic:
        return {}
    places = list(dict.fromkeys(p.x for curve in chosen.curves for p in curve.points))
    return {"type": "log", "tickvals": places, "ticktext": [amount(float(x)) for x in places]}


def _scale(chosen: Experiment, drawn: go.Figure) -> dict[str, object]:
    values = [y for trace in drawn.data for y in trace.y if y]
    if not chosen.y.logarithmic or not values:
        return {"rangemode": "tozero"}
    return log_axis(min(values) / 1.3, max(values) * 1.3)


def _predicted(drawn: go.Figure, chosen: Experiment, curve: Curve, line: dict[str, Any]) -> None:
    priced = [point for point in curve.points if point.predicted is not None]
    shared = {
        "x": [point.x for point in priced],
        "y": [point.predicted for point in priced],
        "name": f"{curve.subject}, predicted, {curve.model}",
        "hovertemplate": f"{curve.label} at %{{x}}<br>predicted %{{y:,.6g}}<extra></extra>",
    }
    if chosen.x.named:
        pattern = {"shape": _PATTERNS[chosen.models.index(curve.model) % len(_PATTERNS)]}
        drawn.add_bar(**shared, marker={"color": line["color"], "pattern": pattern})
    else:
        drawn.add_scatter(**shared, mode="lines", line=line)


def _measured(
    drawn: go.Figure,
    chosen: Experiment,
    figure: MeasuredFigure,
    number: int,
    marker: dict[str, Any],
) -> None:
    """The measured points of a curve; those that a curve before it has shown are left out."""
    curve, shown = chosen.curves[number], figure.shown(chosen)
    before = {p.key for c in chosen.curves[:number] if c.subject == curve.subject for p in c.points}
    found = [
        (place, point, shown[point.key])
        for place, point in enumerate(curve.points)
        if point.measured and point.key in shown and point.key not in before
    ]
    if not found:
        return
    values = [measured.value(figure.quantity) for _, _, measured in found]
    spread = {
        "type": "data",
        "symmetric": False,
        "array": [m.spread[1] - v for (_, _, m), v in zip(found, values, strict=True)],
        "arrayminus": [v - m.spread[0] for (_, _, m), v in zip(found, values, strict=True)],
        "thickness": 1,
        "width": 3,
    }
    # A second curve of a subject has hollow marks or paler bars.
    second = bool(before)
    shared = {
        "x": [point.x for _, point, _ in found],
        "y": values,
        "name": f"{curve.label}, measured",
        "customdata": [[number, place] for place, _, _ in found],
        "error_y": spread,
        "hovertemplate": f"{curve.label} at %{{x}}<br>measured %{{y:,.6g}}<extra></extra>",
    }
    if chosen.x.named:
        bar = {"color": marker["color"], "opacity": 0.55 if second else 1.0}
        drawn.add_bar(**shared, marker=bar)
        return
    if second:
        marker = {**marker, "symbol": f"{marker['symbol']}-open", "line": {"width": 2}}
    drawn.add_scatter(
        **shared,
        mode="markers" if curve.model or len(found) == 1 else "lines+markers",
        line={"color": marker["color"]},
        marker=marker,
    )


def _printed(drawn: go.Figure, chosen: Experiment, curve: Curve) -> None:
    printed: list[Point] = [point for point in curve.points if point.printed is not None]
    if not printed or curve.label != curve.subject:
        return
    shared = {
        "x": [point.x for point in printed],
        "y": [point.printed for point in printed],
        "name": f"{curve.label}, printed in the paper",
        "hovertemplate": f"{curve.label} at %{{x}}<br>printed %{{y:,.6g}}<extra></extra>",
    }
    pattern = "/" if curve is chosen.curves[0] else "x"
    if chosen.x.named:
        drawn.add_bar(**shared, marker={"color": _PRINTED, "pattern": {"shape": pattern}})
    else:
        drawn.add_scatter(
            **shared, mode="markers", marker={"color": _PRINTED, "size": 11, "symbol": "x"}
        )


def chart_alternative(chosen: Experiment, drawn: go.Figure) -> str:
    """The text alternative: where every series begins and ends."""
    series = [
        f"{trace.name}: {amount(trace.y[0])} at {trace.x[0]}, {amount(trace.y[-1])} at "
        f"{trace.x[-1]}"
        for trace in drawn.data
        if len(trace.y)
    ]
    return f"{chosen.title}. {chosen.y.title} by {chosen.x.title}. {'; '.join(series)}."


def draw_surface(chosen: Experiment, surface: Surface, figure: MeasuredFigure | None) -> go.Figure:
    """A surface for each model of the paper, and the measured points."""
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


def measured(chosen: Experiment, surface: Surface, figure: MeasuredFigure) -> dict[str, list[Any]]:
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


def surface_alternative(chosen: Experiment, surface: Surface) -> str:
    """The text alternative: the corners of every surface."""
    corners = [
        f"{model}: {heights[0][0]:.3g}, {heights[0][-1]:.3g}, {heights[-1][0]:.3g} and "
        f"{heights[-1][-1]:.3g} at its corners"
        for model, heights in surface.heights.items()
    ]
    return f"{chosen.title}. {chosen.y.title} by {chosen.x.title} and {surface.y_title}. " + (
        "; ".join(corners) + "."
    )
