"""Which plan ran when: a bar for each time that a plan ran, on a line of its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import plotly.graph_objects as go

from pages.parts.shared.figures import PALETTE, frame
from planner.adapt.spans import PlanSpan
from planner.numbers import amount, figure, shortened

_LINE, _REST = 34, 130


def plans(spans: Sequence[PlanSpan], title: Callable[[str], str]) -> go.Figure:
    """The bars; one that is pointed at says why the plan was switched to."""
    drawn = go.Figure()
    labels = list(dict.fromkeys(span.label for span in spans))
    for number, label in enumerate(labels):
        own = [span for span in spans if span.label == label]
        name = shortened(title(label), 32)
        drawn.add_bar(
            y=[name for _ in own],
            base=[span.begin for span in own],
            x=[span.end - span.begin for span in own],
            orientation="h",
            name=name,
            marker_color=PALETTE[number % len(PALETTE)],
            text=[f"{figure(span.end - span.begin)} s" for span in own],
            textposition="inside",
            customdata=[[span.begin, span.end, _why(span)] for span in own],
            hovertemplate="%{customdata[0]:,.6g} s to %{customdata[1]:,.6g} s"
            "%{customdata[2]}<extra>" + name + "</extra>",
            showlegend=False,
        )
    drawn.update_layout(
        barmode="overlay",
        xaxis={"title": "Seconds of the run", "range": [0, spans[-1].end]},
        yaxis={"autorange": "reversed", "type": "category"},
        **frame("Plans over time", _REST + _LINE * len(labels)),
    )
    return drawn


def _why(span: PlanSpan) -> str:
    return f"<br>{shortened(span.reason, 90)}" if span.reason else ""


def alternative(spans: Sequence[PlanSpan], title: Callable[[str], str]) -> str:
    """The text alternative: the plans in turn."""
    parts = [f"{title(span.label)} from {amount(span.begin)} s" for span in spans]
    return f"Plans over time: {', then '.join(parts)}, until {figure(spans[-1].end)} s."
