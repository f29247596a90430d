"""The plans to explore: the chosen one drawn, the ranking and the landscape to choose from, and
details on demand.

Choosing a plan draws this part again, and nothing else of the page.
"""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from pages.parts.families.protocol import PlanChoice
from pages.parts.families.registry import view_of
from pages.parts.plans import landscape, plan_details, ranking_table
from pages.parts.plans.measured_scores import measured_scores
from pages.parts.plans.short_list import short_list
from pages.parts.results import exports
from pages.parts.shared import controls, links, planning, state
from pages.parts.shared.formatting import plain
from planner.families.protocol import MOST_CANDIDATES, Candidate, Family, Ranking
from planner.workload.workload import Workload


@st.fragment
def show(family: Family, workload: Workload, ranking: Ranking) -> None:
    """The chosen plan beside the plans to choose from; below them its details."""
    view, baseline = view_of(family.name), planning.baseline(ranking)
    label = state.plan(tuple(c.label for c in ranking.candidates), ranking.best)
    state.choose_plan(label)
    measured: Mapping[str, float] = {}
    with controls.shown():
        measured = measured_scores(family.name, ranking.by)
    also = (label, baseline.label, *measured)
    found = short_list(ranking, view.shape, view.landmarks, also)
    beside = tuple(c.label for c in found.plans)
    choice = PlanChoice(family, workload, ranking, baseline, label, beside)
    # On a narrow screen its style puts one below the other.
    with st.container(key="plan-and-ranking"):
        left, right = st.columns([9, 10], gap="medium")
    with left:
        _chosen(choice)
    with right:
        listed = found.plans
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown("**Plans, best first**", width="content")
            _pin(choice)
            if _with_ties(found.ties):
                listed = tuple(c for c in ranking.candidates if c in (*listed, *found.ties))
            if _everything(ranking, listed):
                listed = ranking.candidates
        ranking_table.pick(choice, listed, found, measured)
        landscape.pick(choice, found, measured)
        st.caption(plain(landscape.caption(ranking), 200))
    plan_details.show(choice, listed)
    exports.program(choice.priced[0], workload)
    links.keep()


def _with_ties(ties: tuple[Candidate, ...]) -> bool:
    """Whether to list the plans that are as good as the best one."""
    if not ties:
        return False
    near = f"{len(ties):,} more within 1%"
    return st.toggle(near, key="show-ties", help="Plans that cost at most 1% more than the best.")


def _everything(ranking: Ranking, listed: tuple[Candidate, ...]) -> bool:
    """Whether to list all plans. More of them than are ranked at once take a moment."""
    every = min(ranking.considered, MOST_CANDIDATES)
    if every <= len(listed):
        return False
    return st.toggle(f"All {every:,}", key="show-all", persist_state="session")


def _chosen(choice: PlanChoice) -> None:
    """The chosen plan: its name, and its picture."""
    pictures = view_of(choice.family.name).pictures(choice)
    with st.container(horizontal=True, vertical_alignment="center"):
        name = f"**{plain(choice.title(choice.label))}**"
        st.markdown(name, width="content", help=plain(choice.label, 800))
        picture = next(iter(pictures))
        if len(pictures) > 1:
            picture = controls.segments(
                "Drawn as", pictures, "drawn-as", kept=True, hidden_label=True, width="content"
            )
    pictures[picture]()


def _pin(choice: PlanChoice) -> None:
    """A button that pins the chosen plan as the baseline. The run button names the baseline, so
    the whole page is drawn again."""
    if choice.label != choice.baseline.label:
        if st.button("Pin as baseline", icon=":material/keep:", type="tertiary"):
            state.pin(choice.label)
            st.rerun()
    elif state.pinned() is not None and st.button(
        "Unpin", icon=":material/keep_off:", type="tertiary"
    ):
        state.pin(None)
        st.rerun()
