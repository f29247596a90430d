"""Plans: the answer, the plans drawn and ranked, and the details of the chosen one."""

import streamlit as st

from pages.parts.families.protocol import PlanChoice
from pages.parts.plans import plan_details, ranking_table
from pages.parts.results import exports
from pages.parts.run import launch
from pages.parts.shared import controls, heading, planning, seconds, state
from pages.parts.shared.formatting import counted, plain
from planner.families.protocol import MOST_CANDIDATES

heading.show("Plans")
family, workload = planning.subject()
answer, _ = planning.explained(family.name, workload)
everything = st.session_state.get("show-all", False)
ranking = planning.ranking(family, workload, everything)
baseline = planning.baseline(ranking)
few = planning.instructive(family.name, ranking, baseline.label)
what, other = planning.companion(ranking)

with st.container(border=True):
    st.markdown(f"#### {plain(answer, 800)}", anchors=False)
    planning.show_models(family.name, workload, ranking.best)
    st.caption(seconds.kernel_time(workload, ranking))
    with st.container(horizontal=True, vertical_alignment="center"):
        run = st.button(
            f"Run best and {what} on Spark",
            type="primary",
            icon=":material/play_arrow:",
            on_click=launch.launch,
            args=([ranking.best, other.label],),
        )
        ranking_table.pick_objective(family.name, workload)
        listed = min(ranking.considered, MOST_CANDIDATES)
        if listed > len(few):
            every = f"Show all {counted(listed, 'plan')}"
            st.toggle(every, key="show-all", persist_state="session")
        if ranking.truncated:
            st.caption(planning.left_out(ranking, listed))
if run and (failure := launch.failure()):
    controls.show(failure)
elif run:
    st.switch_page("pages/run.py")

shown = ranking.candidates if everything else few
label = state.plan(tuple(candidate.label for candidate in shown), ranking.best)
choice = ranking_table.pick(PlanChoice(family, workload, ranking, baseline, label), shown)
plan_details.show(choice)
exports.program(choice.priced[0], workload)
