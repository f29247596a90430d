"""The Run form: which plans and one button; everything else is under Advanced, in one line."""

from __future__ import annotations

import streamlit as st

from pages.parts.run import change_editor, launch, progress, run_settings
from pages.parts.shared import controls, planning
from pages.parts.shared.formatting import plain


def show(waits: bool) -> None:
    """The form; what it starts waits for its turn where something runs."""
    chosen, workload = planning.subject()
    ranking = planning.ranking(chosen, workload)
    labels = run_settings.pick_plans(ranking)
    button = st.container(horizontal=True, vertical_alignment="center")
    reasons = st.container()
    line = st.container()
    with st.expander("Advanced", icon=":material/tune:"):
        options = run_settings.pick(chosen, workload)
        change_editor.show(chosen, workload, labels)
    line.caption(plain(run_settings.summary(workload, options), 600))
    refusal = run_settings.mistake() or launch.refusal(labels, options)
    with reasons:
        unable = run_settings.refused(chosen, workload, labels, options)
        if refusal is not None:
            controls.show(refusal)
        for warning in run_settings.warnings(workload):
            st.warning(plain(warning, 400), icon=":material/warning:")
    with button:
        # Not a callback: it would get the settings as they were when the page was drawn.
        start = st.button(
            "Add to the queue" if waits else "Run on Spark",
            type="primary",
            icon=":material/playlist_add:" if waits else ":material/play_arrow:",
            disabled=refusal is not None or unable,
        )
        if refusal is None:
            run_settings.expectation(chosen, workload, labels, options)
        progress.warming_note()
    if start:
        launch.launch(labels, options)
        st.rerun()
    if (failure := launch.failure()) and refusal is None:
        controls.show(failure)
