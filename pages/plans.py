"""Plans: the answer, plans drawn and ranked, and what stands behind the chosen one."""

import streamlit as st

from pages.parts.plans import plan_choice, plan_details
from pages.parts.run import launch, native
from pages.parts.shared import heading, messages, planning, seconds
from pages.parts.shared.formatting import counted, plain
from planner.families.protocol import MOST_CANDIDATES

heading.show("Plans")
chosen, workload = planning.subject()
answer, _ = planning.told(chosen.name, workload)
everything = st.session_state.get("show-all", False)
ranking = planning.ranking(chosen, workload, everything)
baseline = planning.baseline(ranking)
few = planning.instructive(ranking, baseline.label)
what, other = planning.companion(ranking)

with st.container(border=True):
    st.markdown(f"#### {plain(answer, 800)}", anchors=False)
    planning.show_models(chosen.name, workload, ranking.best)
    st.caption(seconds.by_the_clock(workload, ranking))
    with st.container(horizontal=True, vertical_alignment="center"):
        run = st.button(
            f"Run best and {what} on Spark",
            type="primary",
            icon=":material/play_arrow:",
            on_click=launch.launch,
            args=([ranking.best, other.label],),
        )
        listed = min(ranking.considered, MOST_CANDIDATES)
        if listed > len(few):
            every = f"Show all {counted(listed, 'plan')}"
            st.toggle(every, key="show-all", persist_state="session")
        if ranking.truncated:
            st.caption(planning.left_out(ranking, listed))
if run and (failure := launch.failure()):
    messages.show(failure)
elif run:
    st.switch_page("pages/run.py")

shown = ranking.candidates if everything else few
picked = plan_choice.show(chosen, workload, ranking, shown, baseline)
plan, estimate = planning.priced(chosen.name, workload, picked)
plan_details.show(chosen, workload, plan, estimate, baseline.label)
native.program(plan, workload)
