"""Figures of What-if along one axis: the plans as bars, and their costs as curves."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise
from textwrap import wrap

import plotly.graph_objects as go

from pages.parts.shared.figures import LINE, PALETTE, frame, log_axis
from pages.parts.shared.formatting import safe
from pages.parts.shared.planning import plan_title
from pages.parts.whatif.ranges import shown as brief
from planner.families.across import NAME as ACROSS
from planner.families.protocol import Candidate, Ranking
from planner.numbers import amount
from planner.whatif.axes import Axis
from planner.whatif.robust import RobustChoice
from planner.whatif.sweeps import Sweep

# So many plans are in a legend: those that win most often. Others have a number, and a table.
MOST_NAMED = 8
_MOST_BARS = 12
# A figure beside a bar takes about this share of the longest one, and leaves room for a mark.
_FIGURE, _GAP = 0.12, "\u2003"
_LINE_LENGTH, _MOST_LINES = 140, 2
# A legend has so many entries in a row, on a screen of usual width.
_KEYS_IN_ROW = 3
# What distinguishes curves beside their colours.
_DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")
# Beyond the palette its colours come again, lighter and then darker; numbers tell them apart.
_SHADES = (0.0, 0.45, -0.4, 0.7)
# A part of a band that is narrower has no room for its number.
_LEAST_BAND = 0.025


def colour(rank: int) -> str:
    """The colour of the plan that wins most often (0), of the next, and so on."""
    own = PALETTE[rank % len(PALETTE)]
    shade = _SHADES[rank // len(PALETTE) % len(_SHADES)]
    parts = (int(own[at : at + 2], 16) for at in (1, 3, 5))
    end = 255 if shade > 0 else 0
    return "#" + "".join(f"{round(part + (end - part) * abs(shade)):02X}" for part in parts)


def about(found: Sweep | RobustChoice, briefly: bool = False) -> str:
    """What is shown: the objective with its unit, of which workload, by which family and model.

    `briefly` names the first model alone.
    """
    by, own = found.by, found.about
    unit = "" if by.unit.lower() == by.title.lower() else f" ({by.unit})"
    kind = "all kinds of plans" if own.family == ACROSS else own.family.replace("_", " ")
    shown = own.models[:1] if briefly else own.models
    more = f" and {len(own.models) - 1} more" if len(own.models) > len(shown) else ""
    parts = [f"Predicted {by.title.lower()}{unit} of {own.workload}", kind]
    parts += [f"model: {' / '.join(shown)}{more}"] if shown else []
    if own.units:
        parts.append(f"seconds {own.units}")
    return "; ".join(parts)


def subtitled(figure: go.Figure, text: str) -> None:
    """Lines below the title, which a picture that is saved has, too."""
    lines = wrap(text, _LINE_LENGTH)[:_MOST_LINES]
    keys = sum(trace.showlegend is not False and bool(trace.name) for trace in figure.data)
    rows = math.ceil(keys / _KEYS_IN_ROW) if figure.layout.showlegend else 1
    more = 8 + 14 * len(lines) + 20 * max(0, rows - 1)
    text = "<br>".join(safe(line, 2 * _LINE_LENGTH) for line in lines)
    figure.update_layout(
        title_subtitle={"text": text, "font": {"size": 11}},
        height=figure.layout.height + more,
        margin_t=figure.layout.margin.t + more,
    )


def landscape(few: Sequence[Candidate], now: Ranking, before: Ranking | None) -> go.Figure:
    """A bar for each plan, best first, and a mark for what it cost before anything was changed."""
    shown = list(few)[:_MOST_BARS]
    names = [safe(plan_title(candidate.label), 40) for candidate in shown]
    old = {candidate.label: candidate.score for candidate in before.candidates} if before else {}
    most = max([c.score for c in shown] + [old.get(c.label, 0.0) for c in shown], default=1.0)
    figure = go.Figure()
    figure.add_bar(
        y=names,
        x=[candidate.score for candidate in shown],
        orientation="h",
        name="Now",
        marker_color=[PALETTE[2] if c.label == now.best else PALETTE[4] for c in shown],
        hovertemplate="%{y}: %{x:,.4g} " + safe(now.by.unit) + "<extra></extra>",
    )
    figure.add_scatter(
        y=names,
        x=[_behind(c.score, old.get(c.label), most) for c in shown],
        mode="text",
        text=[f"{_GAP}{brief(c.score)}" for c in shown],
        textposition="middle right",
        cliponaxis=False,
        showlegend=False,
        hoverinfo="skip",
    )
    if old:
        figure.add_scatter(
            y=names,
            x=[old.get(candidate.label) for candidate in shown],
            mode="markers",
            name="Before",
            marker={"symbol": "diamond-open", "size": 9, "color": PALETTE[5], "line": {"width": 2}},
            hovertemplate="%{y}: %{x:,.4g} before<extra></extra>",
        )
    around = 150 if old else 122
    figure.update_layout(
        xaxis={"title": safe(now.by.unit), "range": [0, 1.25 * (most or 1.0)]},
        yaxis={"autorange": "reversed", "type": "category"},
        **frame("The plans, best first", around + 24 * max(len(shown), 2), legend=bool(old)),
    )
    return figure


def _behind(score: float, old: float | None, most: float) -> float:
    """Where a bar's figure begins: behind the mark of what it cost before, if that is near."""
    return max(score, old) if old is not None and old - score < _FIGURE * most else score


def landscape_alternative(few: Sequence[Candidate], now: Ranking) -> str:
    listed = "; ".join(f"{plan_title(c.label)}: {amount(c.score)}" for c in few[:_MOST_BARS])
    return f"Plans, best first, in {now.by.unit}. {listed}."


def curves(found: Sweep, title: str, places: Sequence[str] = ()) -> go.Figure:
    """A curve for each plan; below them who wins, with lines where that changes.

    `places` are what the values of the axis are called where they are no numbers.
    """
    axis = found.axes[0]
    ranks = _ranks(found)
    figure = go.Figure()
    for plan, cost in zip(found.plans, found.cost, strict=True):
        rank = ranks.get(plan)
        figure.add_scatter(
            x=axis.values,
            y=cost,
            mode="lines+markers" if places else "lines",
            name=_numbered(plan, rank),
            line={
                "color": LINE if rank is None else colour(rank),
                "dash": "dot" if rank is None else _DASHES[rank % len(_DASHES)],
                "width": 2.5 if rank is not None and rank < MOST_NAMED else 1.5,
            },
            showlegend=rank is None or rank < MOST_NAMED,
            hovertemplate="%{x:,.4g}: %{y:,.4g}<extra>" + safe(plan_title(plan), 60) + "</extra>",
        )
    if not places:
        _band(figure, found, ranks)
    names: dict[str, object] = {}
    if places:
        names = {"tickvals": axis.values, "ticktext": [safe(place, 16) for place in places]}
    figure.update_layout(
        xaxis=scaled(axis) | {"title": safe(title)} | names,
        yaxis=_heights(found) | {"title": safe(found.by.unit)},
        **frame(f"{safe(found.by.title)} by {safe(title[:1].lower() + title[1:], 60)}", 480),
    )
    subtitled(figure, about(found, briefly=True))
    return figure


def _band(figure: go.Figure, found: Sweep, ranks: Mapping[str, int]) -> None:
    """Who wins from where to where, by colour and number; and where chance decides between two."""
    axis = found.axes[0]
    edges = [axis.values[0], *(c.at for c in found.crossovers), axis.values[-1]]
    running = [found.winner[0], *(c.after for c in found.crossovers)]
    for plan, (begin, end) in zip(running, pairwise(edges), strict=True):
        figure.add_shape(
            **_strip(begin, end, -0.02, 0.05), fillcolor=colour(ranks[plan]), line={"width": 0}
        )
        if _share(axis, begin, end) >= _LEAST_BAND:
            middle = axis.between(begin, end)
            figure.add_annotation(
                x=math.log10(middle) if axis.is_log else middle,
                y=0.015,
                yref="paper",
                text=str(ranks[plan] + 1),
                showarrow=False,
                font={"size": 11, "color": "#1F2933"},
                bgcolor="rgba(255,255,255,0.85)",
                borderpad=1,
            )
    for crossing in found.crossovers:
        figure.add_vline(x=crossing.at, line={"color": LINE, "width": 1, "dash": "dot"})
    for low, high in by_chance(found):
        figure.add_shape(**_strip(low, high, 0, 1), fillcolor=LINE, opacity=0.15, line={"width": 0})


def by_chance(found: Sweep) -> tuple[tuple[float, float], ...]:
    """Where two plans are closer than chance can tell: the bands of crossovers, put together."""
    joined: list[tuple[float, float]] = []
    bands = (sorted(c.between) for c in found.crossovers if c.between is not None)
    for low, high in sorted((low, high) for low, high in bands):
        if joined and low <= joined[-1][1]:
            joined[-1] = joined[-1][0], max(high, joined[-1][1])
        else:
            joined.append((low, high))
    return tuple(joined)


def _strip(begin: float, end: float, low: float, high: float) -> dict[str, object]:
    ends = {"x0": begin, "x1": end, "y0": low, "y1": high}
    return {"type": "rect", "xref": "x", "yref": "paper", **ends}


def _share(axis: Axis, begin: float, end: float) -> float:
    """What part of the axis lies between two values, as it is drawn."""
    ends = axis.values[0], axis.values[-1], begin, end
    first, last, low, high = map(math.log, ends) if axis.is_log else ends
    return abs(high - low) / (abs(last - first) or 1.0)


def _numbered(plan: str, rank: int | None) -> str:
    name = safe(plan_title(plan), 40)
    return name if rank is None else f"{rank + 1}: {name}"


def scaled(axis: Axis) -> dict[str, object]:
    """The axis of a figure, with half a step of room for cells at its ends."""
    low, high = min(axis.values), max(axis.values)
    if not axis.is_log or low == high:
        return {"type": "linear"}
    room = (high / low) ** (0.5 / max(len(axis.values) - 1, 1))
    return log_axis(low / room, high * room, exactly=True)


def _heights(found: Sweep) -> dict[str, object]:
    values = [value for cost in found.cost for value in cost if math.isfinite(value)]
    low, high = min(values), max(values)
    return log_axis(low / 1.2, high * 1.1) if low > 0 and high > 20 * low else {"type": "linear"}


def _ranks(found: Sweep) -> dict[str, int]:
    """The plans that win, those that win most often first."""
    often = Counter([*found.winner, *(c.after for c in found.crossovers)])
    return {plan: rank for rank, (plan, _) in enumerate(often.most_common())}


def ranked_winners(found: Sweep) -> tuple[str, ...]:
    """The plans that win somewhere, in the order of their numbers."""
    return tuple(_ranks(found))


def curves_alternative(found: Sweep, title: str) -> str:
    changes = "; ".join(
        f"{plan_title(c.after)} from {amount(c.at)} on" for c in found.crossovers[:20]
    )
    first = plan_title(found.winner[0])
    return f"{found.by.title} of plans by {title}. Best: {first}; {changes or 'everywhere'}."
