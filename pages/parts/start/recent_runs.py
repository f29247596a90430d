"""What was run lately, and what broke off: for those who come back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import streamlit as st

from pages.parts.shared import backend, messages, state
from pages.parts.shared.formatting import counted, error_text, moment, plain, plan_name
from runtime.runs.history import gone_runs
from runtime.runs.run_summary import RunFilter

if TYPE_CHECKING:
    from runtime.runs.run_summary import RunSummary

# Of so many runs, the last one of so many workloads is shown.
_LOOKED_THROUGH, MOST_SHOWN = 30, 3


def show() -> None:
    """What broke off, and the workloads that were run last, each with the way to its results;
    nothing where nothing was run."""
    history = backend.history()
    if not history.file.exists():
        return
    with messages.shown():
        gone = gone_runs(history)
        lately = backend.summaries(RunFilter(), _LOOKED_THROUGH)
        if not lately:
            return
        with st.container(border=True, gap="xxsmall"):
            _broken_off(gone)
            for run in _of_each(lately)[:MOST_SHOWN]:
                _row(run)


def _of_each(runs: Sequence[RunSummary]) -> list[RunSummary]:
    """The newest run of each workload."""
    found: dict[str, RunSummary] = {}
    for run in runs:
        found.setdefault(run.workload_digest, run)
    return list(found.values())


def _broken_off(count: int) -> None:
    if not count:
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(f":material/bolt: {counted(count, 'run')} broke off.", width="content")
        st.page_link("pages/run.py", label="Go on or discard", icon=":material/play_circle:")


def _row(run: RunSummary) -> None:
    told = [plain(plan_name(run.label)), run.status, moment(run.started)]
    if run.measured is not None:
        told.append(f"q-error {error_text(run.predicted, run.measured)}")
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(
            f":material/history: Lately: **{plain(run.workload, 60)}** · {' · '.join(told)}",
            width="content",
        )
        if st.button("See its results", key=f"lately-{run.id}", type="tertiary"):
            request = backend.history().get(run.id).request
            state.open_workload(request.as_run, request.data, request.sort)
            st.switch_page("pages/results.py")
