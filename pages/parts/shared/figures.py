"""Figures with a title, units, and colours that are safe for the colour-blind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil, floor, log10
from types import MappingProxyType
from typing import Any

import plotly.graph_objects as go

from pages.parts.shared.formatting import UNITS, error_text
from planner.numbers import amount, shortened, unique_names
from planner.numbers import figure as figure_text
from planner.plan.operator_names import operator_name
from planner.plan.plan import Plan

# From the palette of Okabe and Ito; these two are clear on light and on dark pages.
PREDICTED, MEASURED = "#56B4E9", "#E69F00"
PALETTE = (
    "#0072B2",
    "#E69F00",
    "#009E73",
    "#CC79A7",
    "#56B4E9",
    "#D55E00",
    "#8C6BB1",
    "#7A868F",
)
LINE = "#8A97A0"
MOST_BARS = 16
# In a figure of one plan alone.
_MOST_STACKS = 40
MOST_TICKS = 9
# The name of a bar, and the kinds of work it is cut into.
WorkBars = Sequence[tuple[str, Mapping[str, float]]]


def cost_by_operator(plan: Plan, spent: Mapping[str, float], field: str) -> go.Figure:
    """One bar per origin or operator, cut into the loops of its pipeline."""
    figure = go.Figure()
    every = _bars(plan, spent)
    largest = sorted(every, key=lambda name: -sum(value for _, value, _ in every[name]))
    kept = set(largest[:_MOST_STACKS])
    bars = {name: parts for name, parts in every.items() if name in kept}
    cut = f" (the {len(bars)} largest of {len(every)})" if len(bars) < len(every) else ""
    depth = max((len(parts) for parts in bars.values()), default=0)
    for step in range(depth):
        there = {name: parts[step] for name, parts in bars.items() if step < len(parts)}
        figure.add_bar(
            y=list(there),
            x=[value for _, value, _ in there.values()],
            name=f"Loop {step + 1}" if depth > 1 else UNITS[field],
            orientation="h",
            marker_color=PALETTE[step % len(PALETTE)],
            text=[f"{shortened(name, 16)} {figure_text(v)}" for name, v, _ in there.values()],
            customdata=[operator_id for _, _, operator_id in there.values()],
            textposition="inside",
            insidetextanchor="middle",
            textangle=0,
            hovertemplate="%{y}<br>%{text} " + UNITS[field] + "<extra></extra>",
        )
    figure.update_layout(
        barmode="stack",
        uniformtext={"mode": "hide", "minsize": 9},
        xaxis_title=f"{UNITS[field]} (stream time)" if "/s" in UNITS[field] else UNITS[field],
        yaxis={"autorange": "reversed", "type": "category"},
        **frame(
            f"{UNITS[field]} by operator{cut}",
            150 + 42 * max(len(bars), 2),
            depth > 1,
        ),
    )
    return figure


def cost_alternative(plan: Plan, spent: Mapping[str, float], field: str) -> str:
    """The text alternative: every bar, the largest first."""
    bars = _bars(plan, spent)
    sums = {name: sum(value for _, value, _ in parts) for name, parts in bars.items()}
    largest = sorted(sums, key=lambda name: -sums[name])[:MOST_BARS]
    listed = "; ".join(f"{name}: {figure_text(sums[name])}" for name in largest)
    return f"{UNITS[field]} by operator. {listed}."


def _bars(plan: Plan, spent: Mapping[str, float]) -> dict[str, list[tuple[str, float, str]]]:
    """The operators of each bar that have such a figure, in order, with their ids."""
    bars: dict[str, list[tuple[str, float, str]]] = {}
    names: dict[str, str] = {}
    for operator in plan.operators():
        value = spent.get(operator.id)
        if not value:
            continue
        params = dict(operator.params)
        if "origin" in params:
            name, part = f"arrivals on {params['origin']}", str(params["source"])
            bar = name
        else:
            name, part, bar = operator_name(operator), operator.kind, operator.id
        names[bar] = shortened(name, 32)
        bars.setdefault(bar, []).append((part, value, operator.id))
    return dict(zip(unique_names(list(names.values())), bars.values(), strict=True))


def stacked_work(bars: WorkBars, kinds: Sequence[str], field: str) -> go.Figure:
    """One bar per plan or operator, cut into kinds of work."""
    figure = go.Figure()
    names = unique_names([shortened(name, 32) for name, _ in bars])
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
    # A legend of several lines goes below the axis, where it hides no title.
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


def work_alternative(bars: WorkBars, field: str) -> str:
    """The text alternative of `stacked_work`."""
    unit = UNITS[field].lower()
    return "; ".join(
        f"{name}: {amount(sum(work.values()))} {unit} ("
        + ", ".join(f"{kind.lower()} {amount(value)}" for kind, value in work.items())
        + ")"
        for name, work in bars
    )


def predicted_and_measured(
    rows: Sequence[tuple[str, float, float | None]],
    field: str,
    plan: str,
    ids: Mapping[str, str] = MappingProxyType({}),
) -> go.Figure:
    """Predicted beside measured, one pair of bars per operator; only the largest of many.

    `ids` are those of the operators, by which other parts of the page know them.
    """
    shown = sorted(rows, key=lambda row: -max(row[1], row[2] or 0.0))[:MOST_BARS]
    shown = [row for row in rows if row in shown]
    names = [name for name, _, _ in shown]
    title = f"{UNITS[field]} of {shortened(plan, 60)}: predicted beside measured"
    if len(shown) < len(rows):
        title += f" (the {len(shown)} largest of {len(rows)} operators)"
    figure = go.Figure()
    expected = [figure_text(p) for _, p, _ in shown]
    found = ["" if m is None else f"{figure_text(m)}  (q {error_text(p, m)})" for _, p, m in shown]
    for series, colour, values, texts in (
        ("Predicted", PREDICTED, [p for _, p, _ in shown], expected),
        ("Measured", MEASURED, [m for _, _, m in shown], found),
    ):
        figure.add_bar(
            y=names,
            x=values,
            name=series,
            orientation="h",
            marker_color=colour,
            text=texts,
            customdata=[ids.get(name) for name, _, _ in shown],
            textposition="outside",
            hovertemplate="%{y}<br>" + series + ": %{x:,.6g} " + UNITS[field] + "<extra></extra>",
        )
    figure.update_layout(
        barmode="group",
        xaxis={"title": UNITS[field], "range": room([v for _, p, m in shown for v in (p, m)])},
        yaxis={"autorange": "reversed", "type": "category"},
        **frame(title, 150 + 44 * max(len(shown), 2)),
    )
    return figure


def log_axis(low: float, high: float, exactly: bool = False) -> dict[str, Any]:
    """A logarithmic axis around this range, from one round number to another: 20k, 50k, 100k.

    `exactly`: the axis ends where the range does, with round numbers along it.
    """
    decades = range(floor(log10(low)), ceil(log10(high)) + 1)
    apart = -(-len(decades) // MOST_TICKS)
    # Plans that cost nearly the same leave few round numbers between them.
    for steps in (range(1, 10), (1, 2, 5), (1,)):
        every = [step * 10.0**decade for decade in decades for step in steps]
        first = max(value for value in every if value <= low * 1.0001)
        last = min(value for value in every if value >= high * 0.9999)
        ticks = [value for value in every if first <= value <= last]
        if len(ticks) <= MOST_TICKS:
            break
    ticks = sorted({*ticks[::apart], last})
    if exactly:
        first, last = low, high
        ticks = [tick for tick in ticks if low <= tick <= high] or [low, high]
    return {
        "type": "log",
        "autorange": False,
        "range": [log10(first), log10(last)],
        "tickvals": ticks,
        "ticktext": [short_number(value) for value in ticks],
    }


def short_number(value: float) -> str:
    """A round number along an axis: `20k`, `1.5M`, `5µ`."""
    for size, unit in ((1e9, "G"), (1e6, "M"), (1e3, "k"), (1e-2, ""), (1e-3, "m"), (1e-6, "µ")):
        if abs(value) >= size * 0.9999:
            return f"{value / (1 if unit == '' else size):.4g}{unit}"
    return f"{value:.4g}"


def room(values: Sequence[float | None]) -> list[float]:
    """A range with room for the text next to the longest bar."""
    return [0.0, 1.3 * max((value for value in values if value is not None), default=1.0)]


def frame(title: str, height: int, legend: bool = True) -> dict[str, object]:
    """Title above legend above the plot, at distances that do not grow with the height."""
    top, bottom = (84 if legend else 56), 60
    return {
        "title": {"text": title, "yref": "container", "y": 1, "yanchor": "top", "pad": {"t": 16}},
        "height": height,
        "showlegend": legend,
        "legend": {
            "orientation": "h",
            "yanchor": "bottom",
            "y": 1 + 8 / max(height - top - bottom, 1),
            "traceorder": "normal",
        },
        "margin": {"l": 10, "r": 10, "t": top, "b": bottom},
        "hoverlabel": {"namelength": -1},
        # In a column at the edge, where it hides no title.
        "modebar": {"orientation": "v"},
    }
