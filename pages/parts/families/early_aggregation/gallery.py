"""Aggregation plans side by side as pictures, each with its score; a button chooses one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import streamlit as st

from pages.parts.families.protocol import PlanChoice
from pages.parts.plans.ranking_table import against, places
from pages.parts.shared import charts, planning, state
from pages.parts.shared.formatting import counted, plain
from planner.families.early_aggregation.plan_picture import aggregation_tree
from planner.families.protocol import Candidate, Ranking
from planner.plan.plan import Plan
from planner.workload.query import Query

MOST_PICTURES = 8
# Pixels by the number of sources, so that rows of four, three or two fill a wide page. Four are
# still spelled out, more are not.
_WIDTHS = {1: 268, 2: 268, 4: 550}
_USUAL_WIDTH = 362
_COLOURS: dict[str, Literal["green", "gray", "orange"]] = {
    "best": "green",
    "baseline": "gray",
    "worst": "orange",
}


def instructive(ranking: Ranking, chosen: str) -> list[Candidate]:
    """All plans where they are few; else the best ones, what has a name, and the chosen one."""
    every = ranking.candidates
    named = [c for c in every if c.tags or c.label == chosen]
    others = [c for c in every if c not in named]
    kept = {c.label for c in (*named, *others[: MOST_PICTURES - len(named)])}
    return [c for c in every if c.label in kept]


def show(choice: PlanChoice) -> None:
    """The pictures, best first; a button chooses the plan."""
    ranking, chosen = choice.ranking, choice.label
    shown = instructive(ranking, chosen)
    (query,) = choice.workload.queries
    width = _WIDTHS.get(len(query.sources), _USUAL_WIDTH)
    with st.container(horizontal=True):
        for candidate in shown:
            with st.container(border=True, width=width, height="stretch"):
                plan, _ = planning.priced(choice.family.name, choice.workload, candidate.label)
                _picture(query, plan)
                _caption(choice, candidate)
                if st.button(
                    "Shown above" if candidate.label == chosen else "Show this plan",
                    key=f"choose-{candidate.label}",
                    icon=":material/check:" if candidate.label == chosen else None,
                    disabled=candidate.label == chosen,
                    width="stretch",
                ):
                    state.choose_plan(candidate.label)
                    # The details are a part of their own: what is above them follows, too.
                    st.rerun()
    st.caption(
        "Drawn as in the paper, with tuples flowing upwards. γ below the join is an early "
        f"aggregation. {how_many(ranking, shown)}"
    )
    if ranking.excluded:
        count = counted(len(ranking.excluded), "plan is", "plans are")
        st.caption(f"{count} left out: {plain(ranking.excluded[0][1], 400)}.")


def _picture(query: Query, plan: Plan) -> None:
    early = [str(op.param("source")) for op in plan.operators() if op.kind == "aggregate"]
    charts.picture(
        aggregation_tree(query, plan),
        width="stretch",
        alt=f"{plan.label}: aggregates {', '.join(early) or 'no source'} before the join",
    )


def _caption(choice: PlanChoice, candidate: Candidate) -> None:
    ranking, label = choice.ranking, candidate.label
    with st.container(height="stretch", vertical_alignment="bottom", gap="xxsmall"):
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            place = places(ranking).get(label)
            rank = "" if place is None else f"#{place} "
            name = f"{plain(rank)}**{plain(choice.title(label))}**"
            st.markdown(name, width="content", help=plain(label))
            for tag in candidate.tags:
                st.badge(tag, color=_COLOURS[tag])
        score = ranking.by.said(candidate.score)
        st.caption(f"{plain(score)} · {plain(against(candidate, choice.baseline))}")


def how_many(ranking: Ranking, shown: Sequence[Candidate]) -> str:
    """Which of the plans are drawn. The worst is known only where all are ranked."""
    if len(shown) == ranking.considered:
        return f"These are all {len(shown)} plans." if len(shown) > 1 else "There is no other plan."
    worst = any("worst" in candidate.tags for candidate in shown)
    named = "the best ones, LAP and the worst" if worst else "the best ones and LAP"
    return (
        f"These are {len(shown)} of {counted(ranking.considered, 'plan')}: {named}. "
        "A plan chosen in the table is drawn here, too."
    )
