"""How the cheapest chain is found, and what it trades: the graph of mergings, memory and CPU."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from pages.parts.families.sliced_chain import chain_view, merge_figures
from pages.parts.families.sliced_chain.ledger import height
from pages.parts.plans.ranking_table import score_name
from pages.parts.shared import charts
from pages.parts.shared.caching import BY_DIGEST
from pages.parts.shared.figures import PALETTE, frame
from pages.parts.shared.formatting import compared, counted, plain, plan_name, rounded_alike
from planner.families.protocol import Ranking
from planner.families.sliced_chain.chain_search.merge_graph import MOST_DRAWN, Merging, Mergings
from planner.families.sliced_chain.plan_totals import TradeOff
from planner.numbers import amount, shortened
from planner.workload.validation import exact
from planner.workload.workload import Workload


def drawn(found: TradeOff, score: str, chosen: str) -> go.Figure:
    """State over score, a point a chain; the ends are Mem-Opt's and CPU-Opt's."""
    figure = go.Figure()
    figure.add_scatter(
        x=found.scores,
        y=found.state_tuples,
        mode="lines+markers",
        name="Chains that none beats in both",
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


def in_words(found: TradeOff, score: str) -> str:
    """The curve for those who cannot see it."""
    points = zip(found.labels, found.scores, found.state_tuples, strict=True)
    return "; ".join(
        f"{shortened(label)}: {amount(round(cost, 1))} {score.lower()}, "
        f"{amount(round(state, 1))} tuples"
        for label, cost, state in list(points)[:20]
    )


_NUMBER = st.column_config.NumberColumn(format="localized")


@st.cache_resource(show_spinner=False, max_entries=64, hash_funcs=BY_DIGEST)
def _mergings(workload: Workload, label: str) -> tuple[Mergings, ...]:
    return chain_view.plans(workload).mergings(label)


def mergings(workload: Workload, ranking: Ranking, label: str) -> None:
    """The graph of mergings of a group with its shortest path; of many windows the path alone."""
    pictures = chain_view.pictures(workload, label)
    picture = chain_view.pick_group(pictures, "mergings-group")
    found = _mergings(workload, label)[pictures.index(picture)]
    windows = len(found.boundaries) - 1
    if found.every:
        charts.show(merge_figures.drawn(found), alt=merge_figures.in_words(found))
        st.caption(
            f"An arc is a slice, its figure what it adds in {plain(score_name(ranking).lower())}; "
            "a chain is a way from 0 to the end."
        )
    else:
        st.info(
            f"{counted(windows, 'different window')} make {windows * (windows + 1) // 2:,} "
            f"possible slices: beyond {MOST_DRAWN} windows their arcs cannot be told apart, so the "
            "shortest path stands in a table.",
            icon=":material/info:",
        )
    st.dataframe(
        path_table(found, score_name(ranking)),
        hide_index=True,
        column_config=dict.fromkeys(("Merges", score_name(ranking), "Apart"), _NUMBER),
        height=height(len(found.cheapest)),
        alt="The slices of the cheapest chain",
    )
    whole, apart = (sum(values) for values in zip(*_both(found.cheapest), strict=True))
    st.caption(
        f"The shortest path (CPU-Opt): {counted(len(found.cheapest), 'slice')} of {windows}, "
        f"{amount(round(whole + found.ahead, 1))} {plain(score_name(ranking).lower())} in all, "
        f"where a slice for every window (Mem-Opt) takes {amount(round(apart + found.ahead, 1))}. "
        "Unions are counted with the first slice."
    )


def _both(slices: Sequence[Merging]) -> list[tuple[float, float]]:
    return [(slice_.cost, slice_.apart) for slice_ in slices]


def path_table(found: Mergings, score: str) -> pd.DataFrame:
    """One row a slice of the cheapest chain: what it costs, and what its parts would cost."""
    path = found.cheapest
    ends = [(found.boundaries[m.start], found.boundaries[m.end]) for m in path]
    return pd.DataFrame(
        {
            "Slice": [f"[{exact(start)}, {exact(end)})" for start, end in ends],
            "Merges": [m.merged for m in path],
            score: rounded_alike([m.cost for m in path]),
            "Apart": rounded_alike([m.apart for m in path]),
            "In words": [
                "one window" if m.merged == 1 else compared(m.cost, m.apart) for m in path
            ],
        }
    )


@st.cache_resource(show_spinner=False, max_entries=64, hash_funcs=BY_DIGEST)
def _trade_off(workload: Workload) -> tuple[TradeOff, ...]:
    return chain_view.plans(workload).trade_off()


def trade_off(workload: Workload, ranking: Ranking, label: str) -> None:
    """The front of a group: a curve, or a sentence where it is one point."""
    pictures = chain_view.pictures(workload, label)
    picture = chain_view.pick_group(pictures, "trade-off-group")
    found = _trade_off(workload)[pictures.index(picture)]
    score = score_name(ranking)
    if len(found.labels) == 1:
        st.info(
            f"One chain is the best in both memory and CPU: {plain(found.labels[0], 200)} with "
            f"{amount(round(found.scores[0], 1))} {score.lower()} and "
            f"{amount(round(found.state_tuples[0], 1))} tuples held. There is nothing to trade.",
            icon=":material/balance:",
        )
        return
    charts.show(drawn(found, score, label), alt=in_words(found, score))
    least, most = found.state_tuples[-1], found.state_tuples[0]
    exactly = (
        "exactly" if not found.epsilon else f"within {100 * found.epsilon:.2g}% of the least memory"
    )
    st.caption(
        f"{counted(len(found.labels), 'chain')} that none beats in both, {exactly}: the cheapest "
        f"holds {amount(round(most, 1))} tuples, the smallest {amount(round(least, 1))} at "
        f"{compared(found.scores[-1], found.scores[0])} {plain(score.lower())}."
    )
