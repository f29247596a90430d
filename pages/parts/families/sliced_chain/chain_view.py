"""Shared joins on the Plans page: the chosen plan drawn over the age of what it holds."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from pages.parts.families.protocol import PlanChoice
from pages.parts.families.sliced_chain import chain_figures, chain_text
from pages.parts.plans.ranking_table import WITH_OVERHEAD
from pages.parts.shared import charts, planning
from pages.parts.shared.formatting import counted, plain, plan_name
from pages.parts.shared.state import BY_DIGEST
from planner.families.protocol import Ranking
from planner.families.sliced_chain import SlicedChain
from planner.families.sliced_chain.labels import CPU_OPT, MEM_OPT, STRATEGIES
from planner.families.sliced_chain.picture import KINDS, OVERHEAD, Balance, Picture
from planner.families.sliced_chain.space import ChainPlans
from planner.workload.workload import Workload


def plans(workload: Workload) -> ChainPlans:
    """The strategies and chains of a workload."""
    return planning.capable(SlicedChain.name, workload, ChainPlans)


@st.fragment
def show(workload: Workload, label: str) -> None:
    """The joins of one group of queries; of several groups the user picks one."""
    picture = pick_group(pictures(workload, label), "drawn-group")
    alternative = chain_text.chain_alternative(picture)
    charts.show(chain_figures.drawn(picture, plan_name(label)), alt=alternative)
    st.caption(plain(_legend(picture), 800))


@st.cache_resource(show_spinner=False, max_entries=64, hash_funcs=BY_DIGEST)
def pictures(workload: Workload, label: str) -> tuple[Picture, ...]:
    """The joins of every group under a plan."""
    return plans(workload).pictures(label)


@st.cache_resource(show_spinner="Pricing the plans", max_entries=64, hash_funcs=BY_DIGEST)
def balances(workload: Workload, labels: tuple[str, ...]) -> tuple[Balance, ...]:
    """What these plans hold and do."""
    return plans(workload).balances(labels)


def pick_group(found: Sequence[Picture], key: str) -> Picture:
    """The group that is shown, where there are several."""
    if len(found) == 1:
        return found[0]
    place = st.selectbox(
        "Queries that share a join",
        range(len(found)),
        format_func=lambda at: _described(found[at]),
        key=key,
        persist_state="session",
    )
    return found[place]


def _described(picture: Picture) -> str:
    queries = counted(sum(len(tap.queries) for tap in picture.taps), "query", "queries")
    return f"{picture.streams[0]} and {picture.streams[1]} on {picture.on}: {queries}"


def _legend(picture: Picture) -> str:
    """How to read the figure, and what it leaves out."""
    if not picture.is_chain:
        shown = chain_figures.joins_shown(picture)
        cut = _cut(len(shown), len(picture.joins), "joins")
        return f"Every join begins with the newest tuples. A bar is high where it keeps all.{cut}"
    taps = chain_figures.taps_shown(picture)
    merged = ""
    if picture.merged:
        merged = (
            f" {counted(picture.merged, 'slice is', 'slices are')} merged, and results are routed "
            "to the queries whose windows end inside."
        )
    return (
        "Lengths are to scale; drag to zoom in. Tuples move to the right as they grow older. A bar "
        "is high where all tuples of a stream are kept, and lower after a selection."
        f"{merged}{_cut(len(taps), len(picture.taps), 'windows of queries')}"
    )


def _cut(shown: int, every: int, what: str) -> str:
    if shown == every:
        return ""
    return f" Drawn are the {shown // 2} shortest and the {shown // 2} longest of {every} {what}."


def strategies(ranking: Ranking, chosen: str) -> dict[str, str]:
    """The plans to compare, by name, with the chosen one. A plan that is both optima is one."""
    tagged = {
        tag: candidate.label
        for candidate in ranking.candidates
        for tag in candidate.tags
        if tag in (MEM_OPT, CPU_OPT)
    }
    listed = {candidate.label for candidate in ranking.candidates}
    known = {label: label for label in STRATEGIES if label in listed} | tagged
    by_label: dict[str, list[str]] = {}
    for name, label in known.items():
        by_label.setdefault(label, []).append(name)
    if chosen not in by_label:
        by_label[chosen] = [plan_name(chosen)]
    return {" = ".join(names): label for label, names in by_label.items()}


def work(choice: PlanChoice) -> None:
    """Comparisons by kind of work over the strategies."""
    named = strategies(choice.ranking, choice.label)
    found = balances(choice.workload, tuple(named.values()))
    bars = [(name, balance.work) for name, balance in zip(named, found, strict=True)]
    charts.show_work(bars, KINDS, "comparisons")
    if any(OVERHEAD in balance.work for balance in found):
        st.caption(
            f"{WITH_OVERHEAD}: a tuple that enters a slice counts as "
            f"{choice.workload.execution.c_sys:g} comparisons."
        )
