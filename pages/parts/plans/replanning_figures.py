"""Figures of changing rates: rates, plans and costs over one time line, and the thresholds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import plotly.graph_objects as go

from pages.parts.shared.figures import PALETTE, frame, log_axis
from pages.parts.shared.formatting import plan_name
from planner.numbers import amount, shortened
from planner.report.replanning_report import threshold_text
from planner.whatif.rates import RateTrace
from planner.whatif.replanning import Replanning, bands

STAY, RULE, ORACLE = "Stay", "Re-plan", "Always best"
# The figures over time are below each other: with one left edge they can be compared.
_LEFT = 96
# From this ratio on, small values could not be read on a linear axis.
_WIDE = 20
_FEW = 10


def rates(trace: RateTrace) -> go.Figure:
    """The rate of each stream over time."""
    figure = go.Figure()
    for place, stream in enumerate(trace.streams):
        column = [row[place] for row in trace.rates]
        _steps(figure, trace, column, shortened(stream, 24), PALETTE[place % len(PALETTE)], "solid")
    values = [rate for row in trace.rates for rate in row]
    return _on_time_line(figure, trace, "Rates over time", "Tuples/s", values, 260)


def rates_alternative(trace: RateTrace) -> str:
    """The text alternative of `rates`."""
    columns = zip(*trace.rates, strict=True)
    ranges = "; ".join(
        f"{shortened(stream, 24)} from {amount(min(column))} to {amount(max(column))}"
        for stream, column in zip(trace.streams, columns, strict=True)
    )
    return f"Rates over {amount(trace.end - trace.times[0])} s, in tuples per second: {ranges}."


def plans(found: Replanning) -> go.Figure:
    """Which plan runs when, under each policy, as coloured bands."""
    figure = go.Figure()
    rows = ((ORACLE, found.oracle), (RULE, found.rule), (STAY, found.stay))
    pieces = [(row, *band) for row, policy in rows for band in bands(found.trace, policy)]
    whole = found.trace.end - found.trace.times[0]
    names = _names(dict.fromkeys(label for _, label, _, _ in pieces))
    for place, (label, name) in enumerate(names.items()):
        mine = [(row, begin, end) for row, plan, begin, end in pieces if plan == label]
        figure.add_bar(
            y=[row for row, _, _ in mine],
            base=[begin for _, begin, _ in mine],
            x=[end - begin for _, begin, end in mine],
            name=name,
            orientation="h",
            marker={
                "color": PALETTE[place % len(PALETTE)],
                "line": {"width": 1, "color": "#8A97A0"},
            },
            # A label that does not fit would be drawn too small to read.
            text=[name if (end - begin) / whole > len(name) / 90 else "" for _, begin, end in mine],
            textposition="inside",
            insidetextanchor="middle",
            textangle=0,
            customdata=[(amount(begin), amount(end)) for _, begin, end in mine],
            hovertemplate="%{y}: "
            + name
            + "<br>%{customdata[0]} s to %{customdata[1]} s<extra></extra>",
        )
    layout = frame("Which plan runs when", 280 + 8 * len(figure.data))
    # Many plans need a legend of several lines, which must not grow into the title.
    below = {"orientation": "h", "yanchor": "top", "y": -0.42, "traceorder": "normal"}
    figure.update_layout(
        barmode="overlay",
        bargap=0.25,
        yaxis={"autorange": "reversed", "type": "category", "automargin": False},
        xaxis={"title": "Seconds", "range": [found.trace.times[0], found.trace.end]},
        **_edge({**layout, "legend": below}),
    )
    return figure


def _names(labels: Iterable[str]) -> dict[str, str]:
    """Labels short enough for a band; general ones are numbered where they differ."""
    names: dict[str, str] = {}
    for label in labels:
        name = shortened(plan_name(label), 32)
        alike = sum(other.startswith(name) for other in names.values())
        names[label] = f"{name} ({alike + 1})" if alike else name
    return names


def costs(found: Replanning, unit: str) -> go.Figure:
    """The cost of each policy over time."""
    figure = go.Figure()
    drawn = (
        (ORACLE, found.oracle, PALETTE[4], "solid"),
        (f"{RULE} beyond {threshold_text(found.threshold)}", found.rule, PALETTE[1], "dash"),
        (STAY, found.stay, PALETTE[5], "dot"),
    )
    for name, policy, colour, dash in drawn:
        _steps(figure, found.trace, policy.costs, name, colour, dash)
    values = [cost for _, policy, _, _ in drawn for cost in policy.costs]
    title = f"{unit.capitalize()}/s over time"
    return _on_time_line(figure, found.trace, title, f"{unit.capitalize()}/s", values, 300)


def thresholds(found: Replanning) -> go.Figure:
    """How often each threshold re-plans, against its cost above always switching."""
    least = found.oracle.total
    points: dict[tuple[int, float], list[str]] = {}
    for level, policy in found.sweep:
        above = 100 * (policy.total / least - 1) if least else 0.0
        points.setdefault((len(policy.planned_at), above), []).append(threshold_text(level))
    figure = go.Figure()
    figure.add_scatter(
        x=[plannings for plannings, _ in points],
        y=[above for _, above in points],
        mode="markers+text",
        text=[_joined(levels) for levels in points.values()],
        textposition="top center",
        cliponaxis=False,
        marker={"size": 11, "color": PALETTE[1]},
        hovertemplate="%{text}: re-plans %{x} times<br>%{y:.3g}% above<extra></extra>",
    )
    most = max(1, *(plannings for plannings, _ in points))
    dearest = max(1.0, *(above for _, above in points))
    whole = {"dtick": 1} if most <= _FEW else {}
    figure.update_layout(
        # Room for the labels above their points.
        xaxis={"title": "Re-plannings", "range": [-0.12 * most, 1.12 * most], **whole},
        yaxis={"title": "% above always best", "range": [-0.08 * dearest, 1.15 * dearest]},
        **frame("What each threshold costs", 390, legend=False),
    )
    return figure


def _joined(levels: Sequence[str]) -> str:
    return levels[0] if len(levels) == 1 else f"{levels[0]} to {levels[-1]}"


def _steps(
    figure: go.Figure,
    trace: RateTrace,
    values: Sequence[float],
    name: str,
    colour: str,
    dash: str,
) -> None:
    """A line that holds each value until the next one."""
    figure.add_scatter(
        x=[*trace.times, trace.end],
        y=[*values, values[-1]],
        mode="lines",
        name=name,
        line={"color": colour, "dash": dash, "shape": "hv", "width": 3},
        hovertemplate="from %{x:,.6g} s: %{y:,.6g}<extra>" + name + "</extra>",
    )


def _on_time_line(
    figure: go.Figure,
    trace: RateTrace,
    title: str,
    unit: str,
    values: Sequence[float],
    height: int,
) -> go.Figure:
    low, high = min(values), max(values)
    wide = low > 0 and high / low > _WIDE
    axis = log_axis(low / 1.3, high * 1.3) if wide else {"rangemode": "tozero"}
    figure.update_layout(
        xaxis={"title": "Seconds", "range": [trace.times[0], trace.end]},
        yaxis={"title": unit, "automargin": False, **axis},
        hovermode="x",
        **_edge(frame(title, height)),
    )
    return figure


def _edge(layout: dict[str, object]) -> dict[str, object]:
    margin = layout["margin"]
    assert isinstance(margin, dict)
    return {**layout, "margin": {**margin, "l": _LEFT}}
