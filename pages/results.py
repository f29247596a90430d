"""Results: the plans that were run, predicted beside measured, and their one answer."""

import streamlit as st

from pages.parts import (
    answer_tables,
    backend,
    comparison,
    downloads,
    heading,
    past_runs,
    planning,
    query_results,
    run_views,
)
from pages.parts.words import plain

heading.show("Results")
chosen, workload = planning.subject()
backend.arrived()
runs = comparison.same_data(backend.runs(workload.digest))
latest = comparison.latest_by_plan(runs)

if not latest:
    with st.container(border=True):
        st.markdown("#### Nothing of this workload has been measured yet.", anchors=False)
        st.markdown("Run a plan or two: predicted and measured then stand side by side.")
        st.page_link("pages/run.py", label="Go to Run", icon=":material/play_circle:")
else:
    with st.container(border=True):
        st.markdown(f"#### {plain(run_views.answer(latest), 600)}", anchors=False)
        run_views.badge([run for run in runs if run.status == "finished"])
    run_views.plans(latest)
    planning.show_models(chosen.name, workload, latest[0].plan.label)
    left, right = st.columns(2, gap="medium")
    with left:
        run_views.chart(latest)
    with right:
        run_views.seconds(latest)
    st.markdown("### By operator", anchors=False)
    shown = run_views.pick(latest, runs)
    run_views.operators(shown)
    query_results.show(shown, [run for run in runs if run.status == "finished"])
    downloads.show(latest)
    answer_tables.show(shown)
past_runs.show(workload)
