"""Recent and interrupted runs, for those who come back."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from pages.parts.shared import backend, messages, state
from pages.parts.shared.formatting import counted, error_text, moment, plain, plan_name
from runtime.runs.history import gone_runs
from runtime.runs.run_summary import RunFilter, RunSummary

# So many runs are read; the newest run of so many workloads is shown.
_MOST_READ, MOST_SHOWN = 30, 3


def show() -> None:
    """A note on interrupted runs, and recent runs with links to their results."""
    history = backend.history()
    if not history.file.exists():
        return
    with messages.shown():
        gone = gone_runs(history)
        recent = backend.summaries(RunFilter(), _MOST_READ)
        if not recent:
            return
        with st.container(border=True, gap="xxsmall"):
            _interrupted(gone)
            for run in _of_each(recent)[:MOST_SHOWN]:
                _row(run)


def _of_each(runs: Sequence[RunSummary]) -> list[RunSummary]:
    """The newest run of each workload."""
    found: dict[str, RunSummary] = {}
    for run in runs:
        found.setdefault(run.workload_digest, run)
    return list(found.values())


def _interrupted(count: int) -> None:
    if not count:
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        interrupted = counted(count, "run was", "runs were")
        st.markdown(f":material/bolt: {interrupted} interrupted.", width="content")
        st.page_link("pages/run.py", label="Resume or discard", icon=":material/play_circle:")


def _row(run: RunSummary) -> None:
    parts = [plain(plan_name(run.label)), run.status, moment(run.started)]
    if run.measured is not None:
        parts.append(f"q-error {error_text(run.predicted, run.measured)}")
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(
            f":material/history: Recent: **{plain(run.workload, 60)}** · {' · '.join(parts)}",
            width="content",
        )
        if st.button("See the results", key=f"recent-{run.id}", type="tertiary"):
            request = backend.history().get(run.id).request
            state.open_workload(request.as_run, request.data, request.sort)
            st.switch_page("pages/results.py")
