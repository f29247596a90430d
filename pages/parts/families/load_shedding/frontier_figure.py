"""The part of the answer that every policy gives, by memory: a line for each.

100% |- - - - - - - EXACT - - -        the dotted line: the memory of the workload
     |       OSSJ  .-'' .--''
     |     .-' .:--''
  0% |--:-''-------------------  tuples
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log10

import plotly.graph_objects as go

from pages.parts.families.load_shedding import policies
from pages.parts.shared.figures import LINE, frame, log_axis
from planner.families.load_shedding.frontier import MemoryPoint
from planner.families.load_shedding.labels import EXACT, OFFLINE
from planner.families.load_shedding.read_backwards import Wish, share_of
from planner.numbers import amount

OF = {"importance": "of the importance", "recall": "of the results"}


def frontier_figure(
    points: Sequence[MemoryPoint], by: Wish, exact: MemoryPoint, now: int, chosen: str
) -> go.Figure:
    """The lines of all policies, the chosen one wide; `now` is the memory of the workload."""
    figure = go.Figure()
    for label, own in _lines(points).items():
        is_bound = label in OFFLINE
        figure.add_scatter(
            x=[point.memory for point in own],
            y=[100 * share_of(point, by, exact.importance) for point in own],
            name=f"{label} (knows the future)" if is_bound else label,
            mode="lines+markers",
            line={
                "color": policies.colour(label),
                "width": 4 if label == chosen else 1.8,
                "dash": "dash" if is_bound else "solid",
            },
            marker={"symbol": policies.symbol(label), "size": 8},
            hovertext=[_hover(point, exact) for point in own],
            hovertemplate="%{hovertext}<extra></extra>",
        )
    sizes = [point.memory for point in points]
    low, high = min((*sizes, now)) / 1.15, max((*sizes, now)) * 1.15
    ticks = sorted({size for size in sizes if size != now} or {now})
    figure.add_scatter(
        x=[low, high],
        y=[100, 100],
        name="EXACT (no bound)",
        mode="lines",
        line={"color": policies.colour(EXACT), "width": 2, "dash": "dot"},
        hovertemplate=f"without a bound<br>importance {amount(exact.importance)}<extra></extra>",
    )
    figure.add_vline(x=now, line={"color": LINE, "width": 1.5, "dash": "dot"})
    figure.add_annotation(
        text=f"memory now: {now:,}",
        # Plotly wants the logarithm here, and here alone.
        x=log10(now),
        y=0,
        yanchor="bottom",
        xanchor="right",
        showarrow=False,
        font={"color": LINE},
    )
    layout = frame(f"Share {OF[by]} that is found, by memory (predicted)", 480)
    # The legend may take several lines: below, it hides nothing.
    layout["margin"] = {"l": 10, "r": 10, "t": 56, "b": 120}
    layout["legend"] = {"orientation": "h", "yanchor": "top", "y": -0.2, "x": 0}
    figure.update_layout(
        xaxis={
            "title": "Memory (tuples kept, all streams together)",
            **log_axis(low, high),
            "tickvals": ticks,
            "ticktext": [f"{size:,}" for size in ticks],
        },
        yaxis={"title": f"Share {OF[by]}", "ticksuffix": "%", "range": [0, 106]},
        **layout,
    )
    return figure


def _lines(points: Sequence[MemoryPoint]) -> dict[str, list[MemoryPoint]]:
    lines: dict[str, list[MemoryPoint]] = {}
    for point in sorted(points, key=lambda point: point.memory):
        if point.label != EXACT:
            lines.setdefault(point.label, []).append(point)
    return lines


def _hover(point: MemoryPoint, exact: MemoryPoint) -> str:
    share = share_of(point, "importance", exact.importance)
    return (
        f"{point.label}, {point.memory:,} tuples<br>{share:.1%} of the importance "
        f"({amount(point.importance)} of {amount(exact.importance)})<br>"
        f"{point.recall:.1%} of the results<br>{policies.how_known(point.model)}"
    )


def frontier_alternative(points: Sequence[MemoryPoint], by: Wish, exact: MemoryPoint) -> str:
    """The text alternative: every line, size by size."""
    lines = (
        f"{label}: "
        + ", ".join(
            f"{share_of(point, by, exact.importance):.0%} with {point.memory:,}" for point in own
        )
        for label, own in _lines(points).items()
    )
    return (
        f"Share {OF[by]} that each policy finds, by tuples of memory; all of "
        f"{amount(exact.importance)} without a bound. {'; '.join(lines)}."
    )
