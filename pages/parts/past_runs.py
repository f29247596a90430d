"""The history: runs of this workload and of others, whatever became of them."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from pages.parts import backend, comparison, state
from pages.parts.words import error_text, moment, plan_name
from planner.workload import Workload

MOST = 100


def show(workload: Workload) -> None:
    """The latest runs in a table, on demand; a click opens the workload of a run."""
    everyone = st.segmented_control(
        "History", ["Hidden", "This workload", "All workloads"], default="Hidden", required=True
    )
    if everyone == "Hidden":
        return
    runs = backend.runs(workload.digest if everyone == "This workload" else None, MOST)
    if not runs:
        st.caption("No runs yet.")
        return
    frame = pd.DataFrame(
        {
            "Started": [moment(run.started) for run in runs],
            "Workload": [run.workload.name for run in runs],
            "Plan": [plan_name(run.plan.label) for run in runs],
            "Way": [run.request.way for run in runs],
            "Status": [run.status for run in runs],
            "q-error": [error_text(*comparison.scores(run)) for run in runs],
            "Error": [run.error or "" for run in runs],
            "Run": [run.id for run in runs],
        }
    )
    event = st.dataframe(
        frame, hide_index=True, on_select="rerun", selection_mode="single-row", alt="Past runs"
    )
    rows = event["selection"]["rows"]
    if rows:
        chosen = runs[rows[0]]
        if st.button("Open this run's workload", icon=":material/folder_open:"):
            state.open_workload(chosen.request.workload, chosen.request.data, chosen.request.sort)
            st.rerun()
