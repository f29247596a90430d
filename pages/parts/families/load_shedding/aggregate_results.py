"""COUNT and SUM of a run that shed: what was found, its interval, and the exact figure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from pages.parts.shared import charts, controls
from pages.parts.shared.figures import LINE, MEASURED, frame
from pages.parts.shared.formatting import plain, safe
from planner.families.load_shedding.labels import RANDOM
from planner.numbers import amount
from runtime.runs.records import Run

Aggregates = Mapping[str, Any]
MEANINGS = {
    "exact": "exact",
    "unbiased": "estimate, right on average",
    "lower bound": "lower bound",
    "of what was found": "of the results found; no estimate",
}
# Beyond so many groups the first ones are shown.
MOST_ROWS = 200


def show(run: Run) -> None:
    """The aggregates at the end of the run, and over time; nothing where there are none."""
    aggregates = run.measurement.shed.get("aggregates") if run.measurement else None
    if not aggregates or not aggregates["over_time"]:
        return
    st.markdown("**Aggregates over the windows at the last tuple**")
    controls.table(
        answer_table(aggregates).head(MOST_ROWS),
        f"COUNT and SUM of {run.plan.label} beside the exact figures",
        columns="shed-aggregates",
        placeholder="–",
    )
    st.caption(plain(_caption(aggregates), 600))
    for n, name in enumerate(aggregates["names"]):
        charts.show(
            over_time_figure(aggregates, n),
            alt=over_time_alternative(aggregates, n),
            key=f"aggregate-{n}-{name}",
        )


def answer_table(aggregates: Aggregates) -> pd.DataFrame:
    """One row per group and aggregate."""
    rows = [
        {
            "Group": "all" if not aggregates["grouped"] else str(own["group"]),
            "Aggregate": name,
            "Found": own["found"][n],
            "From": own["low"][n],
            "To": own["high"][n],
            "Exact": own["exact"][n],
            "Meaning": MEANINGS[aggregates["meanings"][n]],
        }
        for own in aggregates["answer"]
        for n, name in enumerate(aggregates["names"])
    ]
    heads = ["Group", "Aggregate", "Found", "From", "To", "Exact", "Meaning"]
    return pd.DataFrame(rows, columns=heads)


def _caption(aggregates: Aggregates) -> str:
    if "unbiased" in aggregates["meanings"]:
        text = (
            "Each result found counts for those that chance has lost. From and to: the 95% "
            "interval, estimate ± 1.96 standard errors. It is too narrow where few tuples are kept."
        )
        if not any(own["error"][0] is not None for own in aggregates["answer"]):
            text = "No interval is known here: it takes two streams that keep two tuples or more."
    elif "exact" in aggregates["meanings"]:
        text = "Nothing was shed: these are the exact figures."
    else:
        text = (
            "This policy chooses what it keeps, so that no estimate follows from what it found: "
            f"COUNT is a lower bound, SUM is of the results found. {RANDOM} gives estimates."
        )
    more = len(aggregates["answer"]) * len(aggregates["names"]) - MOST_ROWS
    return f"{text} {more:,} more rows are in the JSON of the run." if more > 0 else text


def over_time_figure(aggregates: Aggregates, n: int) -> go.Figure:
    """An aggregate of all results over time: found with its interval, and exact."""
    series = aggregates["over_time"]
    at = [own["at"] for own in series]
    figure = go.Figure()
    bounded = [own for own in series if own["low"][n] is not None]
    if bounded and any(own["high"][n] > own["low"][n] for own in bounded):
        times = [own["at"] for own in bounded]
        figure.add_scatter(
            x=[*times, *times[::-1]],
            y=[*(own["high"][n] for own in bounded), *(own["low"][n] for own in bounded[::-1])],
            fill="toself",
            mode="none",
            name="95% interval",
            fillcolor="rgba(230, 159, 0, 0.2)",
            hoverinfo="skip",
        )
    for name, field, colour, dash in (
        ("Exact", "exact", LINE, "dash"),
        ("Found", "found", MEASURED, "solid"),
    ):
        figure.add_scatter(
            x=at,
            y=[own[field][n] for own in series],
            name=name,
            mode="lines+markers",
            line={"color": colour, "dash": dash},
        )
    title = safe(aggregates["names"][n], 60)
    figure.update_layout(
        xaxis={"title": "Stream time (s)"},
        yaxis={"title": title},
        **frame(f"{title} over the windows, over time", 320),
    )
    return figure


def over_time_alternative(aggregates: Aggregates, n: int) -> str:
    """The text alternative: the figures at each evaluation."""
    texts = []
    for own in aggregates["over_time"]:
        text = f"at {amount(own['at'])} s {amount(own['found'][n])}"
        if own["error"][n]:
            text += f" ± {amount(own['high'][n] - own['found'][n])}"
        texts.append(f"{text} (exact {amount(own['exact'][n])})")
    return f"{aggregates['names'][n]} over the windows: {'; '.join(texts)}."
