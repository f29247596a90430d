"""Delays of queries as bars: of all policies side by side, and measured with predicted marks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import plotly.graph_objects as go

from pages.parts.shared.figures import MEASURED, PALETTE, PREDICTED, frame, room
from pages.parts.shared.formatting import error_text, plan_name, safe
from planner.families.shared_schedule.labels import CHAIN, POLICIES
from planner.numbers import amount

ALONE = "By itself"
EDGE = "#37474F"
# A delay of each row, by policy; None where it is not known.
Delays = Mapping[str, Sequence[float | None]]


def policies_figure(
    rows: Sequence[str], delays: Delays, alone: Sequence[float | None], title: str, axis: str
) -> go.Figure:
    """A group of bars for each query, one per policy; a mark where it would be by itself."""
    figure = go.Figure()
    for label, values in delays.items():
        figure.add_bar(
            x=list(rows),
            y=list(values),
            name=safe(plan_name(label), 40),
            marker={"color": _colour(label), "pattern": {"shape": _pattern(label)}},
            hovertemplate="%{x}<br>" + safe(label, 40) + ": %{y:,.4g} ms<extra></extra>",
        )
    if any(value is not None for value in alone):
        figure.add_scatter(
            x=list(rows),
            y=list(alone),
            mode="markers",
            name=ALONE,
            marker={
                "symbol": "diamond",
                "size": 10,
                "color": "#FFFFFF",
                "line": {"width": 1.6, "color": EDGE},
            },
            hovertemplate="%{x}<br>by itself: %{y:,.4g} ms<extra></extra>",
        )
    # The legend may take several lines: below, it hides nothing.
    layout = frame(title, 400)
    layout["margin"] = {"l": 10, "r": 10, "t": 56, "b": 96}
    layout["legend"] = {"orientation": "h", "yanchor": "top", "y": -0.13, "x": 0}
    figure.update_layout(
        barmode="group",
        bargap=0.25,
        xaxis={"type": "category"},
        yaxis={"title": f"{axis} (ms)", "rangemode": "tozero"},
        **layout,
    )
    return figure


def _colour(label: str) -> str:
    """The same for a policy in all figures."""
    return PALETTE[POLICIES.index(label.partition(CHAIN)[0].split()[0])]


def _pattern(label: str) -> str:
    """A policy over slices is hatched, and so is one with another rule for ties."""
    return "" if label in POLICIES else "/"


def policies_alternative(rows: Sequence[str], delays: Delays, alone: Sequence[float | None]) -> str:
    """The text alternative of `policies_figure`."""
    texts = []
    for place, row in enumerate(rows):
        own = ", ".join(f"{label} {_ms(values[place])}" for label, values in delays.items())
        texts.append(f"{row}: {own}, by itself {_ms(alone[place])}")
    return f"Delays by query. {'; '.join(texts)}."


def measured_figure(
    rows: Sequence[str],
    measured: Sequence[float | None],
    predicted: Sequence[float | None],
    title: str,
    axis: str,
) -> go.Figure:
    """A bar for each query, as measured, with a mark where it was predicted."""
    figure = go.Figure()
    figure.add_bar(
        x=list(rows),
        y=list(measured),
        name="Measured",
        marker_color=MEASURED,
        hovertemplate="%{x}<br>measured: %{y:,.4g} ms<extra></extra>",
    )
    figure.add_scatter(
        x=list(rows),
        y=list(predicted),
        mode="markers",
        name="Predicted",
        marker={
            "symbol": "line-ew",
            "size": 30,
            "line": {"width": 4, "color": PREDICTED},
        },
        hovertemplate="%{x}<br>predicted: %{y:,.4g} ms<extra></extra>",
    )
    pairs = list(zip(measured, predicted, strict=True))
    tops = [max((value for value in pair if value is not None), default=None) for pair in pairs]
    # Above both, so that the mark hides no figure.
    above = 0.025 * room(tops)[1]
    figure.add_scatter(
        x=list(rows),
        y=[None if top is None else top + above for top in tops],
        mode="text",
        text=[
            "" if found is None else f"{found:,.3g}<br>q {error_text(expected, found)}"
            for found, expected in pairs
        ],
        textposition="top center",
        cliponaxis=False,
        showlegend=False,
        hoverinfo="skip",
    )
    figure.update_layout(
        xaxis={"type": "category"},
        yaxis={"title": f"{axis} (ms)", "range": room(tops)},
        **frame(title, 380),
    )
    return figure


def measured_alternative(
    rows: Sequence[str], measured: Sequence[float | None], predicted: Sequence[float | None]
) -> str:
    """The text alternative of `measured_figure`."""
    texts = (
        f"{row}: measured {_ms(found)}, predicted {_ms(expected)}"
        for row, found, expected in zip(rows, measured, predicted, strict=True)
    )
    return f"Delays by query. {'; '.join(texts)}."


def _ms(value: float | None) -> str:
    return "not known" if value is None else f"{amount(float(f'{value:.3g}'))} ms"
