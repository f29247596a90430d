"""Work over time of a run that adapts, beside plans that stay as they are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from pages.parts.shared.figures import LINE, PALETTE, frame, log_axis
from planner.numbers import amount, shortened
from runtime.backends.kernels.hindsight import Hindsight

ADAPTIVE, LEAST = "This run", "Best plan of every batch"
# Beside a plan that does so many times the work the other lines can no longer be told apart.
_FAR = 10.0
_LOOKS = ((PALETTE[0], "solid"), (PALETTE[2], "dash"), (PALETTE[5], "dot"), (LINE, "dashdot"))


def lines_of(found: Hindsight, title: Callable[[str], str]) -> dict[str, np.ndarray]:
    """The work per second of each batch: of the run, of plans that stay, of the best of each."""
    lengths = np.diff([0.0, *found.ends])
    drawn = {
        ADAPTIVE: found.adaptive,
        f"Best plan that stays: {shortened(title(found.best), 32)}": found.static[found.best],
        f"Worst plan that stays: {shortened(title(found.worst), 32)}": found.static[found.worst],
        LEAST: np.min(list(found.static.values()), axis=0),
    }
    return {
        name: np.divide(work, lengths, out=np.zeros(len(lengths)), where=lengths > 0)
        for name, work in drawn.items()
    }


def work(found: Hindsight, title: Callable[[str], str]) -> go.Figure:
    """Steps from batch to batch; a line where the plan was switched."""
    figure, lines = go.Figure(), lines_of(found, title)
    axis = _axis(found, np.concatenate(list(lines.values())))
    times = [0.0, *(end for end in found.ends for _ in range(2))][:-1]
    for (name, rates), (colour, dash) in zip(lines.items(), _LOOKS, strict=True):
        figure.add_scatter(
            x=times,
            # A logarithmic axis has no place for a batch without work.
            y=[rate or (None if "type" in axis else 0.0) for rate in rates for _ in range(2)],
            mode="lines",
            name=name,
            line={"color": colour, "dash": dash, "width": 4 if name == ADAPTIVE else 2},
            hovertemplate="%{x:,.6g} s: %{y:,.4g} operations/s<extra>" + name + "</extra>",
        )
    for switch in found.switches:
        figure.add_vline(x=switch.at / 1e6, line={"color": LINE, "dash": "dot", "width": 1})
    layout = frame("Work over time (dotted lines: switches)", 420)
    # Names of plans are long: each has a line of its own, which must not grow into the title.
    layout["legend"] = {"orientation": "v", "yanchor": "top", "y": -0.24, "x": 0}
    figure.update_layout(
        xaxis={"title": "Seconds of the run", "range": [0, found.ends[-1]]},
        yaxis={"title": "Operations/s", **axis},
        hovermode="x",
        **layout,
    )
    return figure


def _axis(found: Hindsight, rates: np.ndarray) -> dict[str, Any]:
    """From 0; logarithmic where the worst plan would press all others onto that line."""
    if found.static[found.worst].sum() <= _FAR * found.adaptive.sum():
        return {"rangemode": "tozero"}
    some = rates[rates > 0]
    return log_axis(float(some.min()), float(some.max()))


def alternative(found: Hindsight, title: Callable[[str], str]) -> str:
    """The text alternative: the sums."""
    sums: Sequence[tuple[str, float]] = [
        (ADAPTIVE, float(found.adaptive.sum())),
        (title(found.best), float(found.static[found.best].sum())),
        (title(found.worst), float(found.static[found.worst].sum())),
        (LEAST, found.oracle()),
    ]
    return "Work over time. In all: " + "; ".join(f"{n}: {amount(s)}" for n, s in sums) + "."
