"""Figures of runs: all plans predicted against measured, and their seconds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isnan, log10

import plotly.graph_objects as go
import streamlit as st

from pages.parts.shared import charts, controls
from pages.parts.shared.figures import LINE, MEASURED, PALETTE, frame, log_axis, room
from pages.parts.shared.formatting import counted, error_text, plain
from pages.parts.shared.planning import subject, title
from pages.parts.shared.seconds import short
from planner.numbers import amount, shortened, unique_names
from planner.workload.validation import exact
from planner.workload.workload import Workload
from runtime.runs.run_groups import Manner, Spread, manners, seconds_by_plan
from runtime.runs.run_summary import RunSummary

# Pixels of a plot in half a narrow page, of a letter in it, and of a marker.
_PLOT, _LETTER, _MARKER = (320.0, 280.0), (6.6, 16.0), 14.0
_PLACES = {
    "top left": (-1, 1),
    "bottom right": (1, -1),
    "middle right": (1, 0),
    "middle left": (-1, 0),
    "top right": (1, 1),
    "bottom left": (-1, -1),
}
Box = tuple[float, float, float, float]
PARTS = {
    "kernel": ("Kernels", PALETTE[2]),
    "engine": ("Spark", PALETTE[4]),
    "start": ("Start", PALETTE[1]),
    "total": ("Total", PALETTE[7]),
}
Spreads = Sequence[tuple[str, Mapping[str, "Spread | None"]]]


def all_plans(points: Sequence[tuple[str, float, float]], unit: str) -> go.Figure:
    """Every plan that was run, predicted against measured on equal logarithmic axes."""
    figure = go.Figure()
    values = [value for _, p, m in points for value in (p, m) if value > 0]
    low, high = min(values, default=1) / 1.6, max(values, default=10) * 1.6
    names = [shortened(name, 32) for name, _, _ in points]
    places = label_places([(p, m) for _, p, m in points], names, low, high)
    axis = log_axis(low, high)
    figure.add_scatter(
        x=[low, 10 ** axis["range"][1]],
        y=[low, 10 ** axis["range"][1]],
        mode="lines",
        name="Measured as predicted",
        line={"color": LINE, "dash": "dash"},
        hoverinfo="skip",
    )
    figure.add_scatter(
        x=[p for _, p, _ in points],
        y=[m for _, _, m in points],
        mode="markers+text",
        name="Plans run",
        text=[name if place else "" for name, place in zip(names, places, strict=True)],
        textposition=[place or "top left" for place in places],
        customdata=names,
        cliponaxis=False,
        marker={"size": 12, "color": MEASURED, "line": {"width": 1, "color": LINE}},
        hovertemplate="%{customdata}<br>predicted %{x:,.6g}<br>measured %{y:,.6g}<extra></extra>",
    )
    figure.update_layout(
        xaxis={"title": f"Predicted {unit.lower()}", **axis},
        yaxis={"title": f"Measured {unit.lower()}", **axis},
        **frame(f"{unit}: predicted against measured", 430),
    )
    return figure


def label_places(
    points: Sequence[tuple[float, float]], names: Sequence[str], low: float, high: float
) -> list[str]:
    """The place of each point's label so that none overlap; empty where there is no room.

    Points below the diagonal try the lower right first, those above it the upper left.
    """
    at = [
        tuple(
            size * log10(max(value, low) / low) / log10(high / low)
            for size, value in zip(_PLOT, point, strict=True)
        )
        for point in points
    ]
    half = _MARKER / 2
    taken: list[Box] = [(x - half, y - half, x + half, y + half) for x, y in at]
    placed = []
    for place, ((x, y), name) in enumerate(zip(at, names, strict=True)):
        order = list(_PLACES)
        if points[place][1] <= points[place][0]:
            order[:2] = order[1::-1]
        others = [box for other, box in enumerate(taken) if other != place]
        boxes = {option: _box(x, y, len(name), *_PLACES[option]) for option in order}
        free = [
            option
            for option, box in boxes.items()
            if box[0] >= 0 and box[2] <= _PLOT[0] and not any(_meet(box, other) for other in others)
        ]
        placed.append(free[0] if free else "")
        if free:
            taken.append(boxes[free[0]])
    return placed


def _box(x: float, y: float, letters: int, right: int, up: int) -> Box:
    width, height, gap = letters * _LETTER[0], _LETTER[1], _MARKER / 2
    left = x + gap if right > 0 else x - gap - width
    bottom = y - height / 2 + up * (gap + height / 2)
    return left, bottom, left + width, bottom + height


def _meet(one: Box, other: Box) -> bool:
    apart = one[2] <= other[0] or other[2] <= one[0] or one[3] <= other[1] or other[3] <= one[1]
    return not apart


def pairs_text(rows: Sequence[tuple[str, float | None, float | None]], most: int = 12) -> str:
    """A text alternative: predicted, measured and q-error of each row."""
    lines = [
        f"{shortened(name, 40)}: "
        + ("not predicted, " if p is None or isnan(p) else f"predicted {amount(p)}, ")
        + ("not measured" if m is None or isnan(m) else _measured(p, m))
        for name, p, m in rows[:most]
    ]
    return "; ".join(lines) + (f"; and {len(rows) - most} more." if len(rows) > most else ".")


def _measured(predicted: float | None, measured: float) -> str:
    if predicted is None or isnan(predicted):
        return f"measured {amount(measured)}"
    return f"measured {amount(measured)}, q-error {error_text(predicted, measured)}"


def seconds(rows: Spreads, parts: Sequence[str], manner: str) -> go.Figure:
    """The seconds of each plan as medians over its runs, with their range."""
    figure = go.Figure()
    for part in parts:
        title, colour = PARTS[part]
        found = [spreads[part] for _, spreads in rows]
        figure.add_bar(
            y=[name for name, _ in rows],
            x=[spread and spread.median for spread in found],
            name=title,
            orientation="h",
            marker_color=colour,
            text=[_spread_text(spread) for spread in found],
            textposition="outside",
            hovertemplate="%{y}<br>" + title + ": %{x:.3f} s<extra></extra>",
        )
    shown = [spread for _, spreads in rows for part in parts if (spread := spreads[part])]
    # The texts of several runs are longer, also beside the longest bar.
    longer = 1.3 if any(spread.runs > 1 for spread in shown) else 1.0
    most = [longer * spread.median for spread in shown]
    figure.update_layout(
        barmode="group",
        xaxis={"title": "Seconds (wall time)", "range": room(most)},
        yaxis={"autorange": "reversed", "type": "category"},
        **frame(f"Seconds of each plan: {manner}", 150 + 22 * len(parts) * max(len(rows), 1)),
    )
    return figure


def _spread_text(spread: Spread | None) -> str:
    """`3.4 s`, or `3.4 s (3 s to 3.8 s)` for several runs."""
    if spread is None:
        return ""
    several = f" ({short(spread.least)} to {short(spread.most)})" if spread.runs > 1 else ""
    return f"{short(spread.median)}{several}"


def seconds_alternative(rows: Spreads, parts: Sequence[str]) -> str:
    """The text alternative of `seconds`."""
    return "Seconds of each plan. " + "; ".join(
        f"{shortened(name, 40)}: "
        + ", ".join(
            f"{PARTS[part][0].lower()} {_spread_text(spread)}"
            for part in parts
            if (spread := spreads[part])
        )
        for name, spreads in rows
    )


ENGINE, WHOLE = "In Spark", "Whole runs"
_PARTS = {ENGINE: ("kernel", "engine"), WHOLE: ("engine", "start", "total")}
_LEGEND = {
    ENGINE: "Spark: from its first micro-batch to its last. Kernels: their part of it, summed over "
    "tasks.",
    WHOLE: "Start: until Spark and the kernels were ready (a first run waits for them). Total: "
    "also preparing and writing data.",
}


def show(runs: Sequence[RunSummary]) -> None:
    """The seconds of every plan: medians over repeats, with their range."""
    every = manners(runs)
    if not every:
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        of = controls.segments("Seconds", [ENGINE, WHOLE], "seconds-of")
        chosen = next(iter(every))
        if len(every) > 1:
            chosen = st.selectbox(
                "Runs",
                list(every),
                format_func=lambda manner: f"{manner_text(manner)}: {_count(every[manner])}",
                key="seconds-of-runs",
            )
    rows = named(every[chosen], subject()[1])
    shown = seconds(rows, _PARTS[of], manner_text(chosen))
    charts.show(shown, alt=seconds_alternative(rows, _PARTS[of]))
    st.caption(f"Medians over repeats, with minimum and maximum. {_LEGEND[of]}")
    if len(every) > 1:
        st.caption(plain(left_out(every, chosen), 600))


def named(runs: Sequence[RunSummary], workload: Workload | None) -> Spreads:
    """The seconds of each plan by its name."""
    rows = seconds_by_plan(runs)
    titles = {run.label: title(run.family, run.label, workload) for run in runs}
    names = unique_names([titles[label] for label, _ in rows])
    return [(name, spreads) for name, (_, spreads) in zip(names, rows, strict=True)]


def manner_text(manner: Manner) -> str:
    """How plans were run, in a few words."""
    words = [manner.way or "unknown mode"]
    words += ["Spark's own operators"] if manner.backend == "native" else ["kernels"]
    if manner.pace is not None:
        words.append(f"at a pace of {exact(round(manner.pace, 2))} s per second")
    words += [f"on {manner.master}"] if manner.master else []
    return ", ".join(words)


def left_out(every: Mapping[Manner, Sequence[RunSummary]], chosen: Manner) -> str:
    """The runs that cannot be compared with those that are shown."""
    others = [
        f"{manner_text(manner)} ({counted(len(runs), 'run')})"
        for manner, runs in every.items()
        if manner != chosen
    ]
    return f"Left out, as seconds cannot be compared: {'; '.join(others)}." if others else ""


def _count(runs: Sequence[RunSummary]) -> str:
    plans = counted(len({run.label for run in runs}), "plan")
    return f"{plans}, {counted(len(runs), 'run')}"
