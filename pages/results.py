"""Results: verdict, same answer and trust; a plan with what was measured of it; then tables."""

import streamlit as st

from pages.parts.results import past_runs, result_sections, run_views, verdict
from pages.parts.shared import backend, heading, planning
from runtime.runs.run_groups import answers_apart, as_measured, best_first, by_plan, same_data

heading.show("Results")
chosen, workload = planning.subject()
backend.arrived(planning.digests())
summaries = backend.summaries_of(planning.digests(), run_views.MOST_RUNS)
# Other kinds of plans are measured by something else.
every = same_data([run for run in summaries if run.family == chosen.name])
plans = by_plan(every)[: run_views.MOST_PLANS]
wanted = dict.fromkeys(run.id for run in (*(p.newest for p in plans), *answers_apart(every)))
runs = backend.records(tuple(wanted))
# What plans are ranked by, as chosen in the head of the page.
by = as_measured(planning.objective(chosen.name, workload))
plans = best_first([plan for plan in plans if plan.newest.id in runs], runs, by)

if plans:
    verdict.show(plans, runs, by)
    result_sections.show(result_sections.Compared(workload, every, plans, runs, by))
else:
    with st.container(border=True):
        st.markdown("#### No plan of this workload has been run yet.", anchors=False)
        st.markdown("Run one or two plans to see predicted and measured figures side by side.")
        st.page_link("pages/run.py", label="Go to Run", icon=":material/play_circle:")
    past_runs.show(workload, hidden=True)
