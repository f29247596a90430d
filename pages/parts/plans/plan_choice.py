"""Which plan is looked at: a ranking to choose from, with pictures of one plan or of all."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import streamlit as st

from pages.parts.families.early_aggregation import gallery
from pages.parts.families.sliced_chain import chain_view
from pages.parts.plans import drawings, ranking_table, work_figures
from pages.parts.shared import charts, planning, state
from pages.parts.shared.formatting import plain, plan_name
from planner.families.early_aggregation import EarlyAggregation
from planner.families.early_aggregation.space import AggregationPlans
from planner.families.protocol import Candidate, Family, Ranking
from planner.families.sliced_chain import SlicedChain
from planner.workload.workload import Workload


def show(
    chosen: Family,
    workload: Workload,
    ranking: Ranking,
    shown: Sequence[Candidate],
    baseline: Candidate,
) -> str:
    """The plans to choose from; returns the label of the one that is chosen."""
    labels = [candidate.label for candidate in shown]
    picked = state.plan(tuple(labels), ranking.best)
    key = f"ranking-{workload.digest}-{len(shown)}-{baseline.label}"
    choose = partial(ranking_table.choose, key, labels)
    if isinstance(chosen, EarlyAggregation):
        gallery.show(chosen, workload, ranking, baseline, picked, choose)
    if isinstance(chosen, SlicedChain):
        _heading(picked, baseline.label)
        chain_view.show(workload, picked)
    left, right = st.columns([2, 3], gap="medium")
    with right:
        st.markdown("**Plans, best first** (click one to see it)")
        picked = ranking_table.pick(ranking, shown, picked, baseline, key)
        state.choose_plan(picked)
    if isinstance(chosen, EarlyAggregation):
        with left:
            _work(chosen, workload, [c.label for c in gallery.instructive(ranking, picked)])
        _heading(picked, baseline.label)
    elif isinstance(chosen, SlicedChain):
        with left:
            chain_view.work(workload, ranking, picked)
    else:
        with left:
            _heading(picked, baseline.label)
            drawings.show(chosen, workload, *planning.priced(chosen.name, workload, picked))
    return picked


def _work(chosen: EarlyAggregation, workload: Workload, labels: Sequence[str]) -> None:
    """What the plans that are drawn spend their operations on."""
    bars = list(
        zip(
            labels,
            planning.capable(chosen.name, workload, AggregationPlans).work(labels),
            strict=True,
        )
    )
    charts.show(work_figures.stacked(bars), alt=work_figures.in_words(bars))


def _heading(picked: str, baseline: str) -> None:
    """The chosen plan's name, and what pins it as the baseline."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(f"**{plain(plan_name(picked))}**", width="content", help=plain(picked, 800))
        if picked == baseline:
            st.badge("baseline", icon=":material/keep:", color="gray")
            if state.pinned() is not None:
                st.button("Unpin", on_click=state.pin, args=(None,), type="tertiary")
        else:
            st.button(
                "Pin as baseline",
                icon=":material/keep:",
                on_click=state.pin,
                args=(picked,),
                type="tertiary",
            )
