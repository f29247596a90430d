"""Plans: the answer, the chosen plan drawn, all candidates ranked, and why."""

import streamlit as st

from pages.parts import (
    drawings,
    heading,
    launching,
    messages,
    plan_details,
    planning,
    ranking_table,
    state,
)
from pages.parts.words import counted, plain, plan_name
from planner.family import MOST_CANDIDATES

heading.show("Plans")
chosen, workload = planning.subject()
answer, _ = planning.told(chosen.name, workload)
everything = st.session_state.get("show-all", False)
ranking = planning.ranking(chosen, workload, everything)
baseline = planning.baseline(ranking)
shown = ranking.candidates if everything else planning.instructive(ranking, baseline.label)
picked = state.plan(tuple(candidate.label for candidate in shown), ranking.best)
what, other = planning.companion(ranking)

with st.container(border=True):
    st.markdown(f"#### {plain(answer, 800)}", anchors=False)
    planning.show_models(chosen.name, workload, ranking.best)
    with st.container(horizontal=True, vertical_alignment="center"):
        run = st.button(
            f"Run best and {what} on Spark",
            type="primary",
            icon=":material/play_arrow:",
            on_click=launching.launch,
            args=([ranking.best, other.label],),
        )
        listed = min(ranking.considered, MOST_CANDIDATES)
        st.toggle(f"Show all {counted(listed, 'plan')}", key="show-all", persist_state="session")
        if ranking.truncated:
            st.caption(f"{ranking.considered:,} plans exist; the {listed:,} best can be listed.")
if run and (failure := launching.failure()):
    messages.show(failure)
elif run:
    st.switch_page("pages/run.py")

left, right = st.columns([2, 3], gap="medium")
with right:
    st.markdown("**Plans, best first** (click one to draw it)")
    key = f"ranking-{workload.digest}-{everything}-{baseline.label}"
    picked = ranking_table.pick(ranking, shown, picked, baseline, key)
    state.choose_plan(picked)
plan, estimate = planning.priced(chosen.name, workload, picked)
with left:
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(f"**{plain(plan_name(picked))}**", width="content", help=plain(picked, 800))
        if picked == baseline.label:
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
    drawings.show(chosen, workload, plan, estimate)

plan_details.show(chosen, workload, plan, estimate, baseline.label)
