"""Run: which plans, in which mode, for how long; then progress, live figures, a cancel button."""

import streamlit as st

from pages.parts.plans import ranking_table
from pages.parts.run import (
    change_editor,
    interrupted,
    launch,
    live_changes,
    progress,
    queue_list,
    run_settings,
)
from pages.parts.shared import backend, controls, heading, planning
from pages.parts.shared.formatting import plain

heading.show("Run")
job = backend.job()
if job is not None and job.done:
    live_changes.adopt(job)
    if backend.follow(job):
        st.switch_page("pages/results.py")

if job is not None and not job.done:
    live_changes.form(job.id)
    progress.live(job.id)
else:
    if job is not None:
        progress.ended(job)
    interrupted.show()
    queue_list.elsewhere()
    chosen, workload = planning.subject()
    ranking = planning.ranking(chosen, workload)
    ranking_table.pick_objective(chosen.name, workload)
    labels = run_settings.pick_plans(ranking)
    options = run_settings.pick(chosen, workload)
    change_editor.show(chosen, workload, labels)
    run_settings.expectation(chosen, workload, labels, options)
    refused = run_settings.refused(chosen, workload, labels, options)
    with st.container(horizontal=True, vertical_alignment="center"):
        # Not a callback: it would get the settings as they were when the page was drawn.
        start = st.button(
            "Run on Spark",
            type="primary",
            icon=":material/play_arrow:",
            disabled=not labels or refused,
        )
        progress.warming_note()
    if start:
        launch.launch(labels, options)
        st.rerun()
    if failure := launch.failure():
        controls.show(failure)
    for warning in run_settings.warnings(workload):
        st.warning(plain(warning, 400), icon=":material/warning:")
