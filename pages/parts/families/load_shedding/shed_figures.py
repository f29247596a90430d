"""What a run has shed, drawn: when, by stream, and which keys suffered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import plotly.graph_objects as go

from pages.parts.shared.figures import LINE, MEASURED, PALETTE, frame
from pages.parts.shared.formatting import safe
from planner.numbers import amount, shortened

Timeline = Mapping[str, Any]
Keys = Sequence[Mapping[str, Any]]
# So many keys are drawn of each stream.
MOST_KEYS = 12


def timeline_figure(timeline: Timeline) -> go.Figure:
    """Tuples shed in each step of the run, streams one above the other."""
    figure = go.Figure()
    start, every = float(timeline["from"]), float(timeline["every"])
    for place, (alias, counts) in enumerate(timeline["shed"].items()):
        begins = [start + every * step for step in range(len(counts))]
        figure.add_bar(
            x=[begin + every / 2 for begin in begins],
            y=list(counts),
            width=every,
            name=safe(alias, 40),
            marker={"color": PALETTE[place % len(PALETTE)], "line": {"width": 0}},
            hovertext=[
                f"{safe(alias, 40)}, {begin:,.6g} to {begin + every:,.6g} s: {count:,} shed"
                for begin, count in zip(begins, counts, strict=True)
            ],
            hovertemplate="%{hovertext}<extra></extra>",
        )
    figure.update_layout(
        barmode="stack",
        bargap=0,
        xaxis={"title": "Stream time (s)"},
        yaxis={"title": "Tuples shed", "rangemode": "tozero"},
        **frame("What was shed when", 340),
    )
    return figure


def timeline_alternative(timeline: Timeline) -> str:
    """The text alternative: how many, and the step with most, by stream."""
    start, every = float(timeline["from"]), float(timeline["every"])
    texts = []
    for alias, counts in timeline["shed"].items():
        most = max(range(len(counts)), key=counts.__getitem__, default=0)
        peak = (
            f", most ({counts[most]:,}) from {start + every * most:,.6g} s" if any(counts) else ""
        )
        texts.append(f"{alias}: {sum(counts):,}{peak}")
    return f"Tuples shed in steps of {amount(every)} s of stream time. {'; '.join(texts)}."


def keys_figure(alias: str, keys: Keys) -> go.Figure:
    """The keys of a stream of which most was shed: what arrived, and what of it was shed."""
    shown = keys[:MOST_KEYS]
    names = [safe(shortened(str(own["key"]), 20)) for own in shown]
    figure = go.Figure()
    for name, field, colour in (("Arrived", "arrived", LINE), ("Shed", "shed", MEASURED)):
        figure.add_bar(
            y=names,
            x=[own[field] for own in shown],
            name=name,
            orientation="h",
            marker_color=colour,
            hovertext=[
                f"key {key}: {own['shed']:,} of {own['arrived']:,} shed "
                f"({own['shed'] / own['arrived']:.0%})"
                for key, own in zip(names, shown, strict=True)
            ],
            hovertemplate="%{hovertext}<extra></extra>",
        )
    figure.update_layout(
        barmode="overlay",
        bargap=0.3,
        xaxis={"title": "Tuples"},
        yaxis={"title": "Key", "autorange": "reversed", "type": "category"},
        **frame(f"Which keys of {safe(alias, 24)} suffered", 150 + 24 * max(len(shown), 4)),
    )
    return figure


def keys_alternative(alias: str, keys: Keys) -> str:
    """The text alternative of `keys_figure`."""
    texts = (f"{own['key']}: {own['shed']:,} of {own['arrived']:,}" for own in keys[:MOST_KEYS])
    return f"Tuples shed by key of {alias}, most first. {'; '.join(texts)}."
