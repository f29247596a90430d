"""Who is scanned when: a burst under two policies, a bar for each partial window of each tuple.

tuple 1  |  ▮▮▮▮▮▮▮▮                 above: rows are tuples, bars are scans
tuple 2  |          ▮▮  ◆            ◆ results that waited for an older tuple leave
waiting  |  ▂▄▄▆▆▄▂                  below: tuples by the partial window they wait for
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from pages.parts.families.shared_schedule import windows
from pages.parts.shared.figures import LINE, frame
from pages.parts.shared.formatting import counted, plan_name, safe
from planner.families.shared_schedule.delays.burst_trace import BurstTrace, TracedRelease
from planner.families.shared_schedule.model import ScheduleModel
from planner.numbers import amount
from planner.workload.validation import listed

_HELD, _FOUND, _ARRIVES = "Held results leave", "Results leave as found", "Tuple arrives"
# Clear on light and on dark pages, and apart from all partial windows.
_MARK, _EDGE = "#B0BEC5", "#37474F"
_ROW, _QUEUE, _AROUND = 20, 110, 208
# The time axis goes on beyond the last scan by this share.
_BEYOND = 1.02

Side = tuple[str, BurstTrace]


def burst_figure(model: ScheduleModel, sides: Sequence[Side]) -> go.Figure:
    """The chosen policy and another, on the same arrivals."""
    rows = len(sides[0][1].arrivals_ns)
    tall = max(_ROW * rows, 120)
    figure = make_subplots(
        2,
        len(sides),
        shared_xaxes=True,
        shared_yaxes=True,
        row_heights=[tall, _QUEUE],
        vertical_spacing=0.06,
        horizontal_spacing=0.03,
        subplot_titles=[safe(plan_name(name), 40) for name, _ in sides],
    )
    size, unit = _time_unit(sides)
    for column, (_, trace) in enumerate(sides, 1):
        _queues(figure, model, trace, size, column)
        _scans(figure, model, trace, size, column)
        _marks(figure, model, trace, size, column)
    layout = frame("Who is scanned when", tall + _QUEUE + _AROUND)
    # The legend may take several lines: below, it hides nothing.
    layout["margin"] = {"l": 10, "r": 10, "t": 76, "b": 132}
    layout["legend"] = {
        "orientation": "h",
        "yanchor": "top",
        "y": -56 / (tall + _QUEUE),
        "x": 0,
        "traceorder": "normal",
    }
    figure.update_layout(barmode="overlay", bargap=0, **layout)
    ends = max(trace.end_ns for _, trace in sides) / size
    figure.update_xaxes(range=[-0.015 * ends, _BEYOND * ends])
    figure.update_xaxes(title=f"Time since the first tuple ({unit}, clock of work)", row=2)
    figure.update_xaxes(title="", showticklabels=False, row=1)
    figure.update_yaxes(range=[rows + 0.6, 0.4], dtick=max(1, rows // 12), row=1)
    figure.update_yaxes(title="Tuple", col=1, row=1)
    # Plotly would take the range of one side for both.
    figure.update_yaxes(range=[0, 1.05 * max(_most_waiting(trace) for _, trace in sides)], row=2)
    figure.update_yaxes(title="Tuples waiting", col=1, row=2)
    for column in range(2, len(sides) + 1):
        figure.update_yaxes(showticklabels=False, col=column)
    return figure


def _most_waiting(trace: BurstTrace) -> int:
    """The most tuples that are not done at one time."""
    last = max(scan.part for scan in trace.scans)
    done = sorted(scan.end_ns for scan in trace.scans if scan.part == last)
    return max(
        place + 1 - bisect_right(done, arrival)
        for place, arrival in enumerate(sorted(trace.arrivals_ns))
    )


def _time_unit(sides: Sequence[Side]) -> tuple[float, str]:
    """Nanoseconds of a unit in which the burst has numbers that are easy to read."""
    longest = max(trace.end_ns for _, trace in sides)
    return next(
        ((size, unit) for size, unit in ((1e9, "s"), (1e6, "ms")) if longest >= 10 * size),
        (1e3, "µs"),
    )


def _scans(
    figure: go.Figure, model: ScheduleModel, trace: BurstTrace, size: float, column: int
) -> None:
    """A trace for every partial window; a tuple that finds nothing stored there has no bar."""
    count = len(model.windows)
    for part, colour in enumerate(windows.colours(count)):
        scans = [scan for scan in trace.scans if scan.part == part and scan.end_ns > scan.begin_ns]
        name = windows.part_name(model, part)
        figure.add_bar(
            base=[scan.begin_ns / size for scan in scans],
            x=[(scan.end_ns - scan.begin_ns) / size for scan in scans],
            y=[scan.outer + 1 for scan in scans],
            width=0.72,
            orientation="h",
            name=name,
            legendgroup=name,
            showlegend=False,
            marker={"color": colour, "line": {"width": 0}},
            hovertext=[
                f"tuple {scan.outer + 1} scans {name}<br>from {scan.begin_ns / 1e6:.4g} to "
                f"{scan.end_ns / 1e6:.4g} ms<br>finds {counted(scan.matches, 'match', 'matches')}"
                for scan in scans
            ],
            hovertemplate="%{hovertext}<extra></extra>",
            row=1,
            col=column,
        )


def _marks(
    figure: go.Figure, model: ScheduleModel, trace: BurstTrace, size: float, column: int
) -> None:
    figure.add_scatter(
        x=[time / size for time in trace.arrivals_ns],
        y=[place + 1 for place in range(len(trace.arrivals_ns))],
        mode="markers",
        name=_ARRIVES,
        legendgroup=_ARRIVES,
        showlegend=column == 1,
        marker={"symbol": "triangle-right", "size": 9, "color": _MARK, "line": _line(1)},
        hovertemplate="tuple %{y} arrives<extra></extra>",
        row=1,
        col=column,
    )
    for name, held, symbol, dots, line in (
        (_FOUND, False, "line-ns", 7, {"width": 1.4, "color": LINE}),
        (_HELD, True, "diamond", 9, _line(1.4)),
    ):
        shown = [release for release in trace.releases if release.held is held]
        figure.add_scatter(
            x=[release.at_ns / size for release in shown],
            y=[release.outer + 1 for release in shown],
            mode="markers",
            name=name,
            legendgroup=name,
            showlegend=column == 1,
            marker={"symbol": symbol, "size": dots, "color": "#FFFFFF", "line": line},
            hovertext=[_leaves(model, release) for release in shown],
            hovertemplate="%{hovertext}<extra></extra>",
            row=1,
            col=column,
        )


def _line(width: float) -> dict[str, object]:
    return {"width": width, "color": _EDGE}


def _leaves(model: ScheduleModel, release: TracedRelease) -> str:
    to = listed((windows.row_name(model, place) for place in release.windows), 4)
    which = "held results" if release.held else "results, as they are found"
    return (
        f"tuple {release.outer + 1}, {release.at_ns / 1e6:.4g} ms:<br>"
        f"{amount(release.results)} {which}<br>to {to}"
    )


def _queues(
    figure: go.Figure, model: ScheduleModel, trace: BurstTrace, size: float, column: int
) -> None:
    """Tuples by what they wait for, one above another: in all, those that are not done."""
    count = len(model.windows)
    steps = [dict(trace.waiting(part)) for part in range(count)]
    times = sorted({time for own in steps for time in own} | {trace.end_ns})
    for part, colour in enumerate(windows.colours(count)):
        level, levels = 0, []
        for time in times:
            level = steps[part].get(time, level)
            levels.append(level)
        name = windows.part_name(model, part)
        figure.add_scatter(
            x=[time / size for time in times],
            y=levels,
            mode="lines",
            stackgroup="waiting",
            line={"shape": "hv", "width": 0},
            fillcolor=colour,
            name=name,
            legendgroup=name,
            # Every partial window is waited for, though some are scanned in no time.
            showlegend=column == 1 and windows.is_named(part, count),
            hovertemplate="%{y} wait for " + name + " or scan it<extra></extra>",
            row=2,
            col=column,
        )


def burst_alternative(model: ScheduleModel, sides: Sequence[Side]) -> str:
    """The text alternative: when each tuple has completed the smallest and the largest window."""
    last = len(model.windows) - 1
    texts = []
    for name, trace in sides:
        ended = {(scan.outer, scan.part): scan.end_ns / 1e6 for scan in trace.scans}
        tuples = "; ".join(
            f"tuple {place + 1} arrives at {arrival / 1e6:.3g} ms, has the smallest window at "
            f"{ended[place, 0]:.3g} ms, the largest at {ended[place, last]:.3g} ms"
            for place, arrival in enumerate(trace.arrivals_ns)
        )
        texts.append(f"{plan_name(name)}: {tuples}")
    return f"Scans of {counted(len(sides[0][1].arrivals_ns), 'tuple')}. {'. '.join(texts)}."
