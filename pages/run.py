"""Run: which plans, in which mode, for how long; then progress, live figures, a cancel button."""

import streamlit as st

from pages.parts.run import (
    change_editor,
    interrupted,
    launch,
    live_changes,
    progress,
    queue_list,
    run_choices,
    run_settings,
)
from pages.parts.shared import backend, heading, messages, planning
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
    labels = run_settings.pick_plans(ranking)
    way = run_settings.pick_way()
    operators = run_settings.pick_backend()
    keep = run_settings.keep_answers(chosen)
    run_settings.edit_span()
    first, second, third, fourth, fifth = st.columns(5)
    with first:
        repeats = run_settings.pick_repeats()
    with second:
        most_seconds = run_settings.pick_most_seconds()
    with third:
        most_disk = run_settings.pick_most_disk()
    with fourth:
        pace = run_choices.pick(workload, way) if operators == "kernels" else None
    with fifth:
        master = run_settings.pick_master()
    change_editor.show(chosen, workload, labels)
    run_settings.expectation(chosen, workload, labels, way, pace, repeats, operators)
    refused = run_settings.refused(chosen, workload, labels, way, operators)
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
        limits = most_seconds, most_disk
        launch.launch(labels, way, keep, repeats, limits, pace, master, operators)
        st.rerun()
    if failure := launch.failure():
        messages.show(failure)
    for warning in run_settings.warnings(workload):
        st.warning(plain(warning, 400), icon=":material/warning:")
