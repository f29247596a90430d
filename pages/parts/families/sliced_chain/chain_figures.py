"""Shared joins drawn over the age of the tuples they hold: slices to scale, states and taps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

import plotly.graph_objects as go

from pages.parts.families.sliced_chain.chain_text import (
    bounds,
    join_text,
    names,
    state_text,
    tap_text,
    unit_of,
)
from pages.parts.shared.figures import PALETTE, frame
from pages.parts.shared.formatting import safe
from planner.families.sliced_chain.picture import ALL, DrawnJoin, Picture, TapGroup
from planner.numbers import amount
from planner.workload.validation import exact

# With more queries or joins a row for each could not be read: those in the middle are left out.
MOST_ROWS = 40
# Up to so many rows, each is high enough for the text of its conditions.
_FEW = 12
_STREAM_COLOURS = (PALETTE[0], PALETTE[5])
_SLICE, _MERGED, _WHOLE, _ROUTED = "#7A868F", "#8C6BB1", PALETTE[2], PALETTE[3]
_LINE = "rgba(138,151,160,0.45)"
# Of the height of a row; the least that can be seen.
_HIGH, _LOW = 0.78, 0.08
# From this share of a stream on, a bar is high enough for its figure.
_READABLE = 0.45
# Rows are numbers along the axis: what is held has more room than what is asked for.
_SLICES_ROW, _STREAM_ROWS, _FIRST_TAP = 0.0, (1.2, 2.4), 3.3
_ROW_PIXELS, _TAP_PIXELS, _THIN_TAP_PIXELS = 44, 27, 17


def drawn(picture: Picture, label: str) -> go.Figure:
    """A chain with its slices to scale and where queries tap in; other joins one below another."""
    return _chain(picture, label) if picture.is_chain else _joins(picture, label)


def taps_shown(picture: Picture) -> tuple[TapGroup, ...]:
    """The rows of queries: all, or the shortest and the longest windows."""
    return _ends(picture.taps)


def joins_shown(picture: Picture) -> tuple[DrawnJoin, ...]:
    """The rows of joins that begin at 0: all, or the smallest and the largest."""
    return _ends(sorted(picture.joins, key=lambda join: (join.end, sum(join.tuples))))


def _ends(rows: Sequence) -> tuple:
    half = MOST_ROWS // 2
    return tuple(rows) if len(rows) <= MOST_ROWS else (*rows[:half], *rows[-half:])


def _chain(picture: Picture, label: str) -> go.Figure:
    figure = go.Figure()
    taps = taps_shown(picture)
    _slices(figure, picture)
    for side in (0, 1):
        _states(figure, picture, side)
    step = (_TAP_PIXELS if len(taps) <= _FEW else _THIN_TAP_PIXELS) / _ROW_PIXELS
    rows = [_FIRST_TAP + place * step for place in range(len(taps))]
    bottom = rows[-1] + 0.6 * step
    _taps(figure, picture, list(zip(rows, taps, strict=True)), step)
    figure.layout.shapes = [
        {
            "type": "line",
            "x0": join.end,
            "x1": join.end,
            "y0": _SLICES_ROW - 0.5,
            "y1": bottom,
            "line": {"color": _LINE, "width": 1, "dash": "dot"},
            "layer": "below",
        }
        for join in picture.joins[:-1]
    ]
    ticks = {
        _SLICES_ROW: "Slices",
        **{
            row: safe(stream, 20) for row, stream in zip(_STREAM_ROWS, picture.streams, strict=True)
        },
        **{row: _asked(picture, tap) for row, tap in zip(rows, taps, strict=True)},
    }
    _layout(figure, picture, label, ticks, bottom, 236 + round(_ROW_PIXELS * (bottom + 0.75)))
    return figure


def _asked(picture: Picture, tap: TapGroup) -> str:
    """The queries of a row, and their window."""
    return f"{names(tap, 2)} · {exact(tap.longest)} {unit_of(picture)}"


def _slices(figure: go.Figure, picture: Picture) -> None:
    """One bar a slice; merged ones are hatched, with a mark where each window ends inside."""
    for title, colour, hatch, chosen in (
        ("Slice", _SLICE, "", [join for join in picture.joins if not join.inside]),
        ("Merged slice", _MERGED, "/", [join for join in picture.joins if join.inside]),
    ):
        if chosen:
            figure.add_bar(
                **_bar(chosen, [join.end - join.start for join in chosen], _SLICES_ROW, _HIGH),
                name=title,
                marker={
                    "color": colour,
                    "line": {"width": 1.5, "color": "#FFFFFF"},
                    "pattern": {"shape": hatch, "size": 6, "solidity": 0.25},
                },
                text=[bounds(join) for join in chosen],
                hovertext=[join_text(picture, join) for join in chosen],
            )
    inside = [window for join in picture.joins for window in join.inside]
    if inside:
        figure.add_scatter(
            x=inside,
            y=[_SLICES_ROW] * len(inside),
            mode="markers",
            name="Window that ends inside a slice",
            marker={"symbol": "line-ns", "size": 16, "line": {"width": 2, "color": _ROUTED}},
            hovertemplate="a window of %{x} " + unit_of(picture) + " ends here<extra></extra>",
        )


def _states(figure: go.Figure, picture: Picture, side: int) -> None:
    """How many tuples of a stream each slice keeps: the higher the bar, the more."""
    held = [join for join in picture.joins if join.ends[side] > join.start]
    row, stream = _STREAM_ROWS[side], picture.streams[side]
    figure.add_bar(
        **_bar(
            held,
            [join.ends[side] - join.start for join in held],
            row,
            [max(_HIGH * join.shares[side], _LOW) for join in held],
        ),
        name=f"{safe(stream, 20)} held",
        marker={"color": _STREAM_COLOURS[side], "line": {"width": 1.5, "color": "#FFFFFF"}},
        text=[_held(join, side) if join.shares[side] >= _READABLE else "" for join in held],
        hovertext=[state_text(picture, join, side) for join in held],
    )
    # A bar too thin for its figure has it below.
    thin = [
        join
        for join in held
        if join.shares[side] < _READABLE and join.end - join.start > picture.longest / 16
    ]
    figure.add_scatter(
        x=[(join.start + join.ends[side]) / 2 for join in thin],
        y=[row + max(_HIGH * join.shares[side], _LOW) / 2 for join in thin],
        mode="text",
        text=[_held(join, side) for join in thin],
        textposition="bottom center",
        showlegend=False,
        hoverinfo="skip",
    )
    gates = list(_gates(held, side))
    if gates:
        figure.add_scatter(
            x=[place for place, _ in gates],
            y=[row - 0.5] * len(gates),
            mode="markers+text" if len(gates) <= 3 else "markers",
            name=f"Selection on {safe(stream, 20)}",
            marker={"symbol": "triangle-down", "size": 10, "color": _STREAM_COLOURS[side]},
            text=[f" σ {safe(text, 44)}" for _, text in gates],
            textposition="middle right",
            hovertemplate="beyond %{x} " + unit_of(picture) + ":%{text}<extra></extra>",
        )


def _held(join: DrawnJoin, side: int) -> str:
    return f"{amount(round(join.tuples[side], 1))} tuples"


def _gates(held: Sequence[DrawnJoin], side: int) -> Iterator[tuple[float, str]]:
    """Where a selection keeps fewer tuples of a stream than before, and which."""
    if held and held[0].entry[side] != ALL:
        yield held[0].start, held[0].entry[side]
    for before, after in pairwise(held):
        if after.entry[side] != before.entry[side]:
            yield after.start, after.entry[side]


def _taps(
    figure: go.Figure, picture: Picture, rows: Sequence[tuple[float, TapGroup]], step: float
) -> None:
    """A line for each window that queries have, as far as it reaches."""
    for title, colour, symbol, routed in (
        ("Query that reads whole slices", _WHOLE, "circle", False),
        ("Query that reads part of a merged slice", _ROUTED, "diamond", True),
    ):
        chosen = [(row, tap) for row, tap in rows if tap.routed is routed]
        if not chosen:
            continue
        ends = [(row, tap, end) for row, tap in chosen for end in sorted({*tap.windows})]
        figure.add_bar(
            x=[tap.longest for _, tap in chosen],
            y=[row for row, _ in chosen],
            width=0.22 * step,
            orientation="h",
            marker_color=colour,
            name=title,
            legendgroup=title,
            showlegend=False,
            hoverinfo="skip",
        )
        figure.add_scatter(
            x=[end for _, _, end in ends],
            y=[row for row, _, _ in ends],
            mode="markers",
            name=title,
            legendgroup=title,
            marker={"symbol": symbol, "size": 9, "color": colour},
            hovertext=[tap_text(picture, tap) for _, tap, _ in ends],
            hovertemplate="%{hovertext}<extra></extra>",
        )


def _joins(picture: Picture, label: str) -> go.Figure:
    """Joins that begin at 0, one below another: two bars each, for the streams they hold."""
    figure = go.Figure()
    rows = joins_shown(picture)
    for side, stream in enumerate(picture.streams):
        shown = [(place, join) for place, join in enumerate(rows) if join.ends[side] > 0]
        figure.add_bar(
            x=[join.ends[side] for _, join in shown],
            y=[place + (side - 0.5) * 0.42 for place, _ in shown],
            width=[max(0.4 * join.shares[side], 0.06) for _, join in shown],
            orientation="h",
            name=f"{safe(stream, 20)} held",
            marker_color=_STREAM_COLOURS[side],
            text=[_held(join, side) for _, join in shown],
            textposition="inside" if len(rows) <= _FEW else "none",
            insidetextanchor="start",
            hovertext=[state_text(picture, join, side) for _, join in shown],
            hovertemplate="%{hovertext}<extra></extra>",
        )
    ticks = {float(place): safe(join.name, 40) for place, join in enumerate(rows)}
    each = 50 if len(rows) <= _FEW else 20
    _layout(figure, picture, label, ticks, len(rows) - 0.4, 236 + each * len(rows))
    return figure


def _bar(
    joins: Sequence[DrawnJoin], lengths: Sequence[float], row: float, width: float | Sequence[float]
) -> dict[str, object]:
    return {
        "base": [join.start for join in joins],
        "x": lengths,
        "y": [row] * len(joins),
        "width": width,
        "orientation": "h",
        "textposition": "inside",
        "insidetextanchor": "middle",
        "textangle": 0,
        "hovertemplate": "%{hovertext}<extra></extra>",
    }


def _layout(
    figure: go.Figure,
    picture: Picture,
    label: str,
    ticks: dict[float, str],
    bottom: float,
    height: int,
) -> None:
    figure.update_layout(
        barmode="overlay",
        uniformtext={"mode": "hide", "minsize": 10},
        xaxis={
            "title": f"Age of the tuples held ({unit_of(picture)})",
            "range": [0, 1.02 * picture.longest],
            **_boundaries(picture),
        },
        yaxis={
            "tickvals": list(ticks),
            "ticktext": list(ticks.values()),
            "range": [bottom, -0.75],
            "showgrid": False,
            "zeroline": False,
        },
        **_framed(f"{safe(label, 60)}: who holds what, for how long", height),
    )


def _framed(title: str, height: int) -> dict[str, object]:
    """The legend below: on a narrow page it has many lines, and above it would hide the title."""
    top, bottom = 56, 170
    legend = {
        "orientation": "h",
        "yanchor": "top",
        "y": -66 / max(height - top - bottom, 1),
        "traceorder": "normal",
    }
    margin = {"l": 10, "r": 10, "t": top, "b": bottom}
    return frame(title, height) | {"legend": legend, "margin": margin}


def _boundaries(picture: Picture) -> dict[str, object]:
    """Ticks where slices end, but not so close that they cannot be read."""
    if not picture.is_chain:
        return {}
    ticks = [0.0]
    for join in picture.joins:
        if join.end - ticks[-1] >= picture.longest / 25:
            ticks.append(join.end)
    return {"tickvals": ticks, "ticktext": [exact(tick) for tick in ticks], "showgrid": False}
