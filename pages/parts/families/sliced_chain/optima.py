"""The two optima of a chain: the shortest path through the graph of mergings, and the trade-off
of memory and CPU."""

from __future__ import annotations

from collections.abc import Sequence

import networkx as nx
import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from pages.parts.families.protocol import PlanChoice
from pages.parts.families.sliced_chain import chain_view
from pages.parts.shared import charts, controls
from pages.parts.shared.figures import PALETTE, frame
from pages.parts.shared.formatting import compared, counted, plain, plan_name, rounded_each
from pages.parts.shared.state import BY_DIGEST
from planner import numbers
from planner.families.sliced_chain.chain_search.chains import MOST_DRAWN, MergedSlice, Mergings
from planner.families.sliced_chain.picture import TradeOff
from planner.numbers import amount, shortened
from planner.time_limit import planning_limit
from planner.workload.validation import exact
from planner.workload.workload import Workload

_OTHER, _CHOSEN, _CHEAPEST = "rgba(138,151,160,0.45)", PALETTE[1], PALETTE[2]
_STEPS = 24
# How high an arc is above the boundaries it goes over.
_RISE = 0.5


def trade_off_figure(found: TradeOff, score: str, chosen: str) -> go.Figure:
    """State over score, one point per chain; the ends are those of Mem-Opt and CPU-Opt."""
    figure = go.Figure()
    figure.add_scatter(
        x=found.scores,
        y=found.state_tuples,
        mode="lines+markers",
        name="Chains that no other beats in both",
        line={"shape": "hv", "color": PALETTE[0], "dash": "dot"},
        marker={"size": 9, "color": PALETTE[0]},
        hovertext=[shortened(plan_name(label), 60) for label in found.labels],
        hovertemplate="%{hovertext}<br>%{x:,.6g} "
        + score.lower()
        + "<br>%{y:,.6g} tuples held<extra></extra>",
    )
    ends = [(0, "least CPU", "top right"), (len(found.scores) - 1, "least memory", "top left")]
    figure.add_scatter(
        x=[found.scores[place] for place, _, _ in ends],
        y=[found.state_tuples[place] for place, _, _ in ends],
        mode="markers+text",
        name="Ends",
        text=[name for _, name, _ in ends],
        textposition=[place for _, _, place in ends],
        marker={"size": 13, "color": PALETTE[2], "symbol": "diamond"},
        hoverinfo="skip",
    )
    if chosen in found.labels:
        place = found.labels.index(chosen)
        figure.add_scatter(
            x=[found.scores[place]],
            y=[found.state_tuples[place]],
            mode="markers",
            name="The chosen chain",
            marker={
                "size": 20,
                "symbol": "circle-open",
                "color": PALETTE[1],
                "line": {"width": 3, "color": PALETTE[1]},
            },
            hoverinfo="skip",
        )
    figure.update_layout(
        xaxis={"title": f"{score} (stream time)", "tickformat": ",.6~g"},
        yaxis={"title": "Tuples held", "tickformat": ",.6~g"},
        **frame("Memory against CPU", 430),
    )
    return figure


def trade_off_alternative(found: TradeOff, score: str) -> str:
    """The text alternative of `trade_off_figure`."""
    points = zip(found.labels, found.scores, found.state_tuples, strict=True)
    return "; ".join(
        f"{shortened(label)}: {amount(round(cost, 1))} {score.lower()}, "
        f"{amount(round(state, 1))} tuples"
        for label, cost, state in list(points)[:20]
    )


@st.cache_resource(show_spinner=False, max_entries=64, hash_funcs=BY_DIGEST)
@planning_limit()
def _mergings(workload: Workload, label: str) -> tuple[Mergings, ...]:
    return chain_view.plans(workload).mergings(label)


def mergings(choice: PlanChoice) -> None:
    """The graph of mergings of a group with its shortest path; of many windows the path alone."""
    score = choice.ranking.by.title
    pictures = chain_view.pictures(choice.workload, choice.label)
    picture = chain_view.pick_group(pictures, "mergings-group")
    found = _mergings(choice.workload, choice.label)[pictures.index(picture)]
    windows = len(found.boundaries) - 1
    if found.every:
        charts.show(merge_figure(found), alt=merge_alternative(found))
        st.caption(
            f"An arc is a slice, with the {plain(score.lower())} it adds. A chain is a path from 0 "
            "to the end."
        )
    else:
        st.info(
            f"{counted(windows, 'different window')} make {windows * (windows + 1) // 2:,} "
            f"possible slices. Beyond {MOST_DRAWN} windows the arcs cannot be read, so the "
            "shortest path is shown as a table.",
            icon=":material/info:",
        )
    controls.table(
        path_table(found, score),
        "The slices of the cheapest chain",
        numbers=("Merges", score, "Unmerged"),
    )
    whole, apart = (sum(values) for values in zip(*_both(found.cheapest), strict=True))
    st.caption(
        f"The shortest path (CPU-Opt) has {counted(len(found.cheapest), 'slice')} and costs "
        f"{amount(round(whole + found.ahead, 1))} {plain(score.lower())}. A slice for every window "
        f"(Mem-Opt, {windows} slices) costs {amount(round(apart + found.ahead, 1))}. Unions are "
        "counted with the first slice."
    )


def _both(slices: Sequence[MergedSlice]) -> list[tuple[float, float]]:
    return [(slice_.cost, slice_.apart) for slice_ in slices]


def path_table(found: Mergings, score: str) -> pd.DataFrame:
    """One row per slice of the cheapest chain: its cost, and the cost of its parts unmerged."""
    path = found.cheapest
    ends = [(found.boundaries[m.start], found.boundaries[m.end]) for m in path]
    return pd.DataFrame(
        {
            "Slice": [f"[{exact(start)}, {exact(end)})" for start, end in ends],
            "Merges": [m.merged for m in path],
            score: rounded_each([m.cost for m in path]),
            "Unmerged": rounded_each([m.apart for m in path]),
            "In words": [
                "one window" if m.merged == 1 else compared(m.cost, m.apart) for m in path
            ],
        }
    )


@st.cache_resource(show_spinner=False, max_entries=64, hash_funcs=BY_DIGEST)
@planning_limit()
def _trade_off(workload: Workload) -> tuple[TradeOff, ...]:
    return chain_view.plans(workload).trade_off()


def trade_off(choice: PlanChoice) -> None:
    """The trade-off of a group: a curve, or a sentence where it is one point."""
    pictures = chain_view.pictures(choice.workload, choice.label)
    picture = chain_view.pick_group(pictures, "trade-off-group")
    found = _trade_off(choice.workload)[pictures.index(picture)]
    score = choice.ranking.by.title
    if len(found.labels) == 1:
        only = plain(choice.title(found.labels[0]), 200)
        # Scores are of work, whatever plans are ranked by now.
        work = chain_view.plans(choice.workload).objectives[0]
        st.info(
            f"One chain is best in both memory and CPU: {only} with "
            f"{plain(work.said(found.scores[0]))} and "
            f"{numbers.figure(found.state_tuples[0])} tuples held. There is nothing to trade.",
            icon=":material/balance:",
        )
        return
    figure = trade_off_figure(found, score, choice.label)
    charts.show(figure, alt=trade_off_alternative(found, score))
    least, most = found.state_tuples[-1], found.state_tuples[0]
    exactly = (
        "exactly" if not found.epsilon else f"within {100 * found.epsilon:.2g}% of the least memory"
    )
    st.caption(
        f"{counted(len(found.labels), 'chain')} that no other beats in both, {exactly}: the "
        f"cheapest holds {amount(round(most, 1))} tuples, the smallest {amount(round(least, 1))} "
        f"at {compared(found.scores[-1], found.scores[0])} {plain(score.lower())}."
    )


def graph_of(mergings: Mergings) -> nx.DiGraph:
    """Boundaries as nodes with a position; slices as edges weighted by their cost."""
    graph = nx.DiGraph()
    for place, boundary in enumerate(mergings.boundaries):
        graph.add_node(place, boundary=boundary, position=(float(place), 0.0))
    for slice_ in mergings.every:
        graph.add_edge(slice_.start, slice_.end, weight=slice_.cost)
    return graph


def merge_figure(mergings: Mergings) -> go.Figure:
    """All slices as arcs; those of the cheapest chain and of the chosen one are marked."""
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
            "title": f"Where slices can begin and end ({unit}; not to scale)",
            "showticklabels": False,
            "showgrid": False,
            "zeroline": False,
        },
        yaxis={"visible": False, "range": [-0.45, _RISE * last + 0.4]},
        **frame("All possible slices, and the cheapest path through them", 230 + 22 * last),
    )
    return figure


def _arcs(
    figure: go.Figure,
    graph: nx.DiGraph,
    slices: Sequence[MergedSlice],
    title: str,
    colour: str,
    width: float,
    dash: str,
) -> None:
    """Flat half circles with the cost of each at its top."""
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
        hovertext=[_slice_text(graph, slice_) for slice_ in slices],
        hovertemplate="%{hovertext}<extra></extra>",
    )


def _slice_text(graph: nx.DiGraph, slice_: MergedSlice) -> str:
    start, end = (exact(graph.nodes[at]["boundary"]) for at in (slice_.start, slice_.end))
    return f"[{start}, {end}): {amount(round(slice_.cost, 1))} comparisons/s"


def merge_alternative(mergings: Mergings) -> str:
    """The text alternative of `merge_figure`."""
    path = " to ".join(
        exact(mergings.boundaries[place])
        for place in (0, *(slice_.end for slice_ in mergings.cheapest))
    )
    return f"{len(mergings.every)} possible slices; the cheapest path goes from {path}."
