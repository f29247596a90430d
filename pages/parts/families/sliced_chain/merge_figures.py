"""The graph of mergings: boundaries in a row, an arc for every slice, the shortest path marked."""

from __future__ import annotations

from collections.abc import Sequence

import networkx as nx
import plotly.graph_objects as go

from pages.parts.shared.figures import PALETTE, frame
from planner.families.sliced_chain.chain_search.merge_graph import Merging, Mergings
from planner.numbers import amount
from planner.workload.validation import exact

_OTHER, _CHOSEN, _CHEAPEST = "rgba(138,151,160,0.45)", PALETTE[1], PALETTE[2]
_STEPS = 24
# How high an arc is above the boundaries it goes over.
_RISE = 0.5


def graph_of(mergings: Mergings) -> nx.DiGraph:
    """Boundaries as nodes, with a place each; slices as edges, with what they add to the score."""
    graph = nx.DiGraph()
    for place, boundary in enumerate(mergings.boundaries):
        graph.add_node(place, boundary=boundary, position=(float(place), 0.0))
    for slice_ in mergings.every:
        graph.add_edge(slice_.start, slice_.end, weight=slice_.cost)
    return graph


def drawn(mergings: Mergings) -> go.Figure:
    """All slices as arcs; those of the cheapest chain and of the chosen one stand out."""
    figure = go.Figure()
    graph = graph_of(mergings)
    marked = {(m.start, m.end) for m in (*mergings.cheapest, *mergings.chosen)}
    others = [m for m in mergings.every if (m.start, m.end) not in marked]
    _arcs(figure, graph, others, "Other slices", _OTHER, 1.2, "solid")
    differs = mergings.chosen if mergings.chosen != mergings.cheapest else ()
    _arcs(figure, graph, differs, "The chosen chain", _CHOSEN, 3, "dash")
    _arcs(figure, graph, mergings.cheapest, "Shortest path (CPU-Opt)", _CHEAPEST, 4.5, "solid")
    figure.add_scatter(
        x=[graph.nodes[place]["position"][0] for place in graph],
        y=[graph.nodes[place]["position"][1] for place in graph],
        mode="markers+text",
        text=[exact(graph.nodes[place]["boundary"]) for place in graph],
        textposition="bottom center",
        name="Boundaries",
        showlegend=False,
        marker={"size": 13, "color": PALETTE[0]},
        hoverinfo="skip",
    )
    last = len(mergings.boundaries) - 1
    unit = "rows" if mergings.unit == "rows" else "s"
    figure.update_layout(
        xaxis={
            "title": f"Where slices may begin and end ({unit}; not to scale)",
            "showticklabels": False,
            "showgrid": False,
            "zeroline": False,
        },
        yaxis={"visible": False, "range": [-0.45, _RISE * last + 0.4]},
        **frame("Every slice there could be, and the cheapest way through", 230 + 22 * last),
    )
    return figure


def _arcs(
    figure: go.Figure,
    graph: nx.DiGraph,
    slices: Sequence[Merging],
    title: str,
    colour: str,
    width: float,
    dash: str,
) -> None:
    """Half circles, flattened, with the cost of each at its top."""
    if not slices:
        return
    xs: list[float | None] = []
    ys: list[float | None] = []
    tops: list[tuple[float, float]] = []
    for slice_ in slices:
        start, end = (graph.nodes[at]["position"][0] for at in (slice_.start, slice_.end))
        rise = _RISE * slice_.merged
        for step in range(_STEPS + 1):
            share = step / _STEPS
            xs.append(start + share * (end - start))
            ys.append(4 * rise * share * (1 - share))
        xs.append(None)
        ys.append(None)
        tops.append(((start + end) / 2, rise))
    figure.add_scatter(
        x=xs,
        y=ys,
        mode="lines",
        name=title,
        legendgroup=title,
        line={"color": colour, "width": width, "dash": dash},
        hoverinfo="skip",
    )
    costs = [amount(round(slice_.cost, 1)) for slice_ in slices]
    few = len(slices) <= 2 * len(graph)
    figure.add_scatter(
        x=[x for x, _ in tops],
        y=[y for _, y in tops],
        mode="markers+text" if few else "markers",
        text=costs,
        textposition="top center",
        name=title,
        legendgroup=title,
        showlegend=False,
        marker={"size": 5, "color": colour},
        hovertext=[_told(graph, slice_) for slice_ in slices],
        hovertemplate="%{hovertext}<extra></extra>",
    )


def _told(graph: nx.DiGraph, slice_: Merging) -> str:
    start, end = (exact(graph.nodes[at]["boundary"]) for at in (slice_.start, slice_.end))
    return f"[{start}, {end}): {amount(round(slice_.cost, 1))} comparisons/s"


def in_words(mergings: Mergings) -> str:
    """The figure for those who cannot see it."""
    path = " to ".join(
        exact(mergings.boundaries[place])
        for place in (0, *(slice_.end for slice_ in mergings.cheapest))
    )
    return f"{len(mergings.every)} possible slices; the cheapest way goes from {path}."
