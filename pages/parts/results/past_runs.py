"""The history of runs: to search, filter, annotate, pin as a baseline, open and delete."""

from __future__ import annotations

from typing import get_args

import pandas as pd
import streamlit as st

from pages.parts.shared import backend, controls, state
from pages.parts.shared.formatting import counted, error_text, moment, plain
from planner.families import registry
from planner.families.registry import plan_title
from planner.workload.workload import Workload
from runtime.runs.records import BACKENDS, WAYS, Status
from runtime.runs.run_summary import RunFilter, RunSummary

HIDDEN, MINE, ALL = "Hidden", "This workload", "All workloads"
A_PAGE = 100
_ANY = "any"


def show(workload: Workload, hidden: bool = False) -> None:
    """The runs in a table, a page at a time; actions for the chosen row. At first they may be
    hidden, so that they are not read."""
    options = [HIDDEN, MINE, ALL] if hidden else [MINE, ALL]
    key = "history-hidden" if hidden else "history-of"
    everyone = controls.segments("History", options, key, hidden_label=not hidden)
    if everyone == HIDDEN:
        return
    wanted = _wanted(workload.digest if everyone == MINE else None)
    count = backend.history().count(wanted)
    if not count:
        st.caption(
            "No runs yet."
            if wanted == RunFilter(workload_digest=wanted.workload_digest)
            else "No run matches."
        )
        return
    skipped = _page(count)
    runs = backend.summaries(wanted, A_PAGE, skipped)
    event = controls.table(
        table(runs),
        f"{counted(len(runs), 'past run')} of {count:,}, newest first",
        on_select="rerun",
        selection_mode="single-row",
        key=f"history-{everyone}-{skipped}",
    )
    rows = event["selection"]["rows"]
    if rows and rows[0] < len(runs):
        _actions(runs[rows[0]])
    else:
        st.caption("Choose a row to open, annotate, pin or delete a run.")


def _wanted(workload_digest: str | None) -> RunFilter:
    """The filter that the user sets."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        search = st.text_input(
            "Search", placeholder="workload, plan, note, error", key="history-search"
        )
        chosen = {
            name: st.selectbox(label, [_ANY, *options], key=f"history-{name}", width=150)
            for name, label, options in (
                ("status", "Status", get_args(Status)),
                ("family", "Family", [family.name for family in registry.FAMILIES]),
                ("way", "Mode", WAYS),
                ("backend", "Backend", BACKENDS),
            )
        }
    given = {name: value for name, value in chosen.items() if value != _ANY}
    return RunFilter(search=search, workload_digest=workload_digest, **given)


def _page(count: int) -> int:
    """How many runs come before the page that is shown."""
    pages = -(-count // A_PAGE)
    if pages == 1:
        return 0
    number = st.number_input(f"Page (of {pages})", 1, pages, key="history-page", width=150)
    return A_PAGE * (int(number) - 1)


def table(runs: tuple[RunSummary, ...]) -> pd.DataFrame:
    """One row per run."""
    return pd.DataFrame(
        {
            "Started": [moment(run.started) for run in runs],
            "Workload": [run.workload for run in runs],
            "Plan": [plan_title(run.family, run.label) for run in runs],
            "Mode": [run.way for run in runs],
            "Backend": [run.backend for run in runs],
            "Status": [run.status for run in runs],
            "q-error": [error_text(run.predicted, run.measured) for run in runs],
            "Kernel s": [run.kernel_seconds for run in runs],
            "Total s": [run.total_seconds for run in runs],
            "Baseline": ["pinned" if run.baseline else "" for run in runs],
            "Note": [run.note for run in runs],
            "Error": [run.error or "" for run in runs],
            "Label": [run.label for run in runs],
            "Run": [run.id for run in runs],
        }
    )


def _actions(chosen: RunSummary) -> None:
    """Buttons for one run."""
    kept = backend.history()
    st.markdown(
        f"**{plain(plan_title(chosen.family, chosen.label))}** · {chosen.status} · "
        f"{plain(chosen.id)}"
    )
    with st.container(horizontal=True, vertical_alignment="bottom"):
        note = st.text_input("Note", chosen.note, key=f"note-{chosen.id}")
        if note.strip() != chosen.note:
            with controls.shown():
                kept.note(chosen.id, note)
                st.rerun()
        st.button(
            "Unpin" if chosen.baseline else "Pin as baseline",
            icon=":material/push_pin:",
            on_click=kept.unpin if chosen.baseline else kept.pin,
            args=(chosen.id,),
            disabled=chosen.measured is None,
            help="Results compares other runs of the workload with it.",
        )
        if st.button("Open the workload", icon=":material/folder_open:"):
            with controls.shown():
                request = kept.get(chosen.id).request
                state.open_workload(request.workload, request.data, request.sort)
                state.choose_family(chosen.family)
                st.rerun()
        with st.popover("Delete", icon=":material/delete:"):
            st.markdown("This deletes the run, its note and its files for good.")
            if st.button("Delete this run", type="primary", key=f"delete-{chosen.id}"):
                with controls.shown():
                    backend.discard(chosen.id)
                    st.rerun()
