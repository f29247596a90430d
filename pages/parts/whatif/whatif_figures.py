"""Figures of What-if along one axis: the plans as bars, and their costs as curves."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

import plotly.graph_objects as go

from pages.parts.shared.figures import LINE, PALETTE, frame, log_axis
from pages.parts.shared.formatting import safe
from pages.parts.shared.planning import plan_title
from pages.parts.whatif.ranges import shown as brief
from planner.families.protocol import Candidate, Ranking
from planner.numbers import amount
from planner.whatif.axes import Axis
from planner.whatif.sweeps import Sweep

# Curves beyond these are not distinguished by colour; the winners of most cells come first.
_MOST_CURVES = 8
_MOST_BARS = 12
# What distinguishes curves beside their colours.
_DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot", "solid", "dash")


def landscape(few: Sequence[Candidate], now: Ranking, before: Ranking) -> go.Figure:
    """A bar for each plan, best first, and a mark for what it cost before."""
    shown = list(few)[:_MOST_BARS]
    names = [safe(plan_title(candidate.label), 40) for candidate in shown]
    old = {candidate.label: candidate.score for candidate in before.candidates}
    figure = go.Figure()
    figure.add_bar(
        y=names,
        x=[candidate.score for candidate in shown],
        orientation="h",
        name="Now",
        marker_color=[PALETTE[2] if c.label == now.best else PALETTE[4] for c in shown],
        text=[brief(candidate.score) for candidate in shown],
        textposition="outside",
        cliponaxis=False,
        hovertemplate="%{y}: %{text} " + safe(now.by.unit) + "<extra></extra>",
    )
    figure.add_scatter(
        y=names,
        x=[old.get(candidate.label) for candidate in shown],
        mode="markers",
        name="Before",
        marker={"symbol": "diamond-open", "size": 9, "color": PALETTE[5], "line": {"width": 2}},
        hovertemplate="%{y}: %{x:,.4g} before<extra></extra>",
    )
    most = max([c.score for c in shown] + [old.get(c.label, 0.0) for c in shown], default=1.0)
    figure.update_layout(
        xaxis={"title": safe(now.by.unit), "range": [0, 1.25 * (most or 1.0)]},
        yaxis={"autorange": "reversed", "type": "category"},
        **frame("The plans, best first", 150 + 24 * max(len(shown), 2)),
    )
    return figure


def landscape_alternative(few: Sequence[Candidate], now: Ranking) -> str:
    listed = "; ".join(f"{plan_title(c.label)}: {amount(c.score)}" for c in few[:_MOST_BARS])
    return f"Plans, best first, in {now.by.unit}. {listed}."


def curves(found: Sweep, title: str, workload: str, places: Sequence[str] = ()) -> go.Figure:
    """A curve for each plan; below them who wins, with lines where that changes.

    `places` are what the values of the axis are called where they are no numbers.
    """
    axis = found.axes[0]
    colours = _colours(found)
    figure = go.Figure()
    for plan, cost in zip(found.plans, found.cost, strict=True):
        colour, dash = colours.get(plan, (LINE, "dot"))
        figure.add_scatter(
            x=axis.values,
            y=cost,
            mode="lines+markers" if places else "lines",
            name=safe(plan_title(plan), 40),
            line={"color": colour, "dash": dash, "width": 2.5 if plan in colours else 1},
            showlegend=plan in colours,
            hovertemplate="%{x:,.4g}: %{y:,.4g}<extra>" + safe(plan_title(plan), 60) + "</extra>",
        )
    edges = [axis.values[0], *(c.at for c in found.crossovers), axis.values[-1]]
    running = [found.winner[0], *(c.after for c in found.crossovers)]
    for plan, begin, end in () if places else zip(running, edges, edges[1:], strict=False):
        figure.add_shape(
            type="rect",
            xref="x",
            yref="paper",
            x0=begin,
            x1=end,
            y0=-0.02,
            y1=0.05,
            line={"width": 0},
            fillcolor=colours.get(plan, (LINE, ""))[0],
        )
    for crossing in found.crossovers:
        figure.add_vline(x=crossing.at, line={"color": LINE, "width": 1, "dash": "dot"})
    names: dict[str, object] = {}
    if places:
        names = {"tickvals": axis.values, "ticktext": [safe(place, 16) for place in places]}
    figure.update_layout(
        xaxis=scaled(axis) | {"title": safe(title)} | names,
        yaxis=_heights(found) | {"title": safe(found.by.unit)},
        **frame(f"{safe(found.by.title)} of {safe(workload, 40)} (predicted)", 460),
    )
    return figure


def scaled(axis: Axis) -> dict[str, object]:
    """The axis of a figure, with half a step of room for cells at its ends."""
    low, high = min(axis.values), max(axis.values)
    if not axis.is_log or low == high:
        return {"type": "linear"}
    room = (high / low) ** (0.5 / max(len(axis.values) - 1, 1))
    return log_axis(low / room, high * room)


def _heights(found: Sweep) -> dict[str, object]:
    values = [value for cost in found.cost for value in cost if math.isfinite(value)]
    low, high = min(values), max(values)
    return log_axis(low / 1.2, high * 1.1) if low > 0 and high > 20 * low else {"type": "linear"}


def _colours(found: Sweep) -> dict[str, tuple[str, str]]:
    """The plans that win most often, each with a colour and a dash; the baseline among them."""
    often = Counter([*found.winner, *(c.after for c in found.crossovers)])
    named = [plan for plan, _ in often.most_common(_MOST_CURVES)]
    named += [plan for plan in found.plans if plan not in often][: _MOST_CURVES - len(named)]
    pairs = zip(PALETTE, _DASHES, strict=True)
    return dict(zip(named, pairs, strict=False))


def curves_alternative(found: Sweep, title: str) -> str:
    changes = "; ".join(
        f"{plan_title(c.after)} from {amount(c.at)} on" for c in found.crossovers[:20]
    )
    first = plan_title(found.winner[0])
    return f"{found.by.title} of plans by {title}. Best: {first}; {changes or 'everywhere'}."
