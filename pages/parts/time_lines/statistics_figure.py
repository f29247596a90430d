"""A statistic over time: what was seen with its interval, and what was declared, dashed."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go

from pages.parts.shared.figures import LINE, PALETTE, frame, log_axis
from planner.adapt.switches import Switch
from planner.numbers import amount, shortened
from planner.statistics.observed import BatchStatistics, Likely
from planner.statistics.observed_series import UNITS, Series, labels

# More lines than these could not be told apart.
MOST_LINES = len(PALETTE)
_WIDE = 30


def statistic(
    observed: Sequence[BatchStatistics],
    name: str,
    series: Sequence[Series],
    height: int = 320,
    switches: Sequence[Switch] = (),
) -> go.Figure:
    """One line for each stream, attribute or condition, in steps from batch to batch; a dotted one
    where the plan was switched."""
    figure = go.Figure()
    shown = series[:MOST_LINES]
    for place, (one, label) in enumerate(zip(shown, labels(shown), strict=True)):
        colour = PALETTE[place]
        times, found = _steps(observed, one)
        _interval(figure, times, found, colour)
        figure.add_scatter(
            x=times,
            y=[seen.value for seen in found],
            mode="lines",
            name=shortened(label, 32),
            line={"color": colour, "width": 3},
            hovertemplate="%{x:,.6g} s: %{y:,.4g}<extra>" + shortened(label, 32) + "</extra>",
        )
        if one.declared is not None:
            figure.add_scatter(
                x=[observed[0].begin, observed[-1].end],
                y=[one.declared, one.declared],
                mode="lines",
                line={"color": colour, "dash": "dash", "width": 1.5},
                hovertemplate="declared %{y:,.4g}<extra>" + shortened(label, 32) + "</extra>",
                showlegend=False,
            )
    for switch in switches:
        figure.add_vline(x=switch.at / 1e6, line={"color": LINE, "dash": "dot", "width": 1})
    dotted = "; dotted: switches" if switches else ""
    title = f"{name} over time (declared: dashed; shaded: 95% sure{dotted})"
    figure.update_layout(
        xaxis={"title": "Seconds of the run", "range": [observed[0].begin, observed[-1].end]},
        yaxis={"title": UNITS[name], **_axis(shown)},
        hovermode="x",
        **frame(title, height),
    )
    return figure


def alternative(name: str, series: Sequence[Series]) -> str:
    """The text alternative: how far each moved, and what was declared."""
    parts = []
    for one, label in zip(series, labels(series), strict=True):
        values = [seen.value for seen in one.seen if seen is not None]
        declared = "" if one.declared is None else f" ({amount(one.declared)} declared)"
        if values:
            parts.append(f"{label} from {amount(min(values))} to {amount(max(values))}{declared}")
    return f"{name} over time, {UNITS[name].lower()}: {'; '.join(parts)}."


def _steps(observed: Sequence[BatchStatistics], one: Series) -> tuple[list[float], list[Likely]]:
    """Each value at the begin and at the end of its batch."""
    pairs = [(batch, seen) for batch, seen in zip(observed, one.seen, strict=True) if seen]
    times = [time for batch, _ in pairs for time in (batch.begin, batch.end)]
    return times, [seen for _, seen in pairs for _ in range(2)]


def _interval(
    figure: go.Figure, times: Sequence[float], found: Sequence[Likely], colour: str
) -> None:
    """What it is likely to be between; where nothing is known above, the value itself."""
    low = [seen.low for seen in found]
    high = [seen.value if seen.high is None else seen.high for seen in found]
    red, green, blue = (int(colour[at : at + 2], 16) for at in (1, 3, 5))
    figure.add_scatter(
        x=[*times, *reversed(times)],
        y=[*high, *reversed(low)],
        fill="toself",
        fillcolor=f"rgba({red},{green},{blue},0.18)",
        line={"width": 0},
        mode="lines",
        hoverinfo="skip",
        showlegend=False,
    )


def _axis(series: Sequence[Series]) -> dict[str, object]:
    values = [seen.value for one in series for seen in one.seen if seen is not None]
    values += [one.declared for one in series if one.declared is not None]
    low, high = min(values, default=0.0), max(values, default=1.0)
    if low > 0 and high / low > _WIDE:
        return log_axis(low / 1.3, high * 1.3)
    return {"rangemode": "tozero"}
