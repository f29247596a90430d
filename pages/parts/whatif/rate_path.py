"""Changing rates as a path through a diagram of two rates: which plans it passes, and whether
switching between them pays."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import plotly.graph_objects as go
import streamlit as st

from pages.parts.plans.replanning import counted_trace, followed
from pages.parts.shared import state
from pages.parts.shared.formatting import counted
from pages.parts.shared.planning import plan_title
from pages.parts.whatif import ranges, scenarios
from planner.families.protocol import Family
from planner.report.replanning_report import switching_cost, unit_of
from planner.whatif.rates import RateTrace, burst, day_and_night, slowest
from planner.whatif.replanning import Replanning
from planner.whatif.sweep_paths import streams_of
from planner.workload.workload import Workload

_NONE = "None"
_LINE, _BELOW = "#000000", "#FFFFFF"


def pick(family: Family, workload: Workload, paths: Sequence[str]) -> Replanning | None:
    """The path that is chosen; None without one, and where the axes are not two streams' rates."""
    streams = streams_of(workload, paths)
    if len(streams) != 2:
        return None
    sources: dict[str, Callable[[Workload], RateTrace]] = {
        "A burst": lambda known: burst(known, slowest(known, streams)),
        "Day and night": day_and_night,
    }
    if state.data()[0] is not None:
        sources["Own data"] = counted_trace
    every = [_NONE, *sources]
    chosen = st.selectbox(
        "Path of changing rates",
        every,
        key=scenarios.choice("whatif-path", every, _NONE),
        persist_state="session",
        width=240,
        help="Draws rates that change as a path through the diagram; other streams keep theirs.",
    )
    if chosen == _NONE:
        return None
    trace = sources[chosen](workload).narrowed(streams)
    return followed(family.name, workload, trace)


def draw(figure: go.Figure, found: Replanning, streams: Sequence[str]) -> None:
    """The path, with a mark for each interval and a larger one where the best plan changes."""
    points = found.trace.of_streams(streams)
    changed = set(found.oracle.changed_at)
    times = found.trace.times
    across, up = [point[1] for point in points], [point[0] for point in points]
    # A light line below the dark one: one of them is seen on any colour, in either theme.
    figure.add_scatter(
        x=across,
        y=up,
        mode="lines",
        line={"color": _BELOW, "width": 5},
        hoverinfo="skip",
        showlegend=False,
    )
    figure.add_scatter(
        x=across,
        y=up,
        mode="lines+markers",
        name="Path of the rates",
        line={"color": _LINE, "width": 2},
        marker={
            "size": [13 if at in changed else 7 for at in times],
            "color": _BELOW,
            "line": {"color": _LINE, "width": 2},
        },
        hovertext=[
            f"from {ranges.shown(at)} s: {plan_title(plan)}"
            for at, plan in zip(times, found.oracle.plans, strict=True)
        ],
        hoverinfo="text",
    )


def sentence(found: Replanning) -> str:
    """Which plans the path passes, what switching saves, what it costs, and whether it pays."""
    switches = found.oracle.switches
    if not switches:
        return f"{plan_title(found.stay.plans[0])} is the best plan all along the path."
    return (
        f"Along the path the best plan changes {counted(len(switches), 'time')}: that saves "
        f"{ranges.shown(found.saved)} {unit_of(found)} against staying with "
        f"{plan_title(found.stay.plans[0])}. {switching_cost(found)}"
    )
