"""Memory against CPU: the chains of which none is better in both, as a curve."""

from __future__ import annotations

import plotly.graph_objects as go

from pages.parts.figures import PALETTE, frame
from pages.parts.words import plan_name
from planner.families.sliced_chain.trade_off import TradeOff
from planner.wording import amount, shortened


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
