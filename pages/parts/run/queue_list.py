"""The queue of jobs: whose they are, with buttons to watch them or to leave the queue."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from pages.parts.shared import backend
from pages.parts.shared.formatting import counted, plain, plan_name

if TYPE_CHECKING:
    from runtime.control.jobs import Job


@st.fragment(run_every=2)
def _refreshed() -> None:
    """The jobs of others, kept up to date; when the last is done, the page is drawn again."""
    if not backend.runner().active():
        st.rerun()
    show()


def elsewhere() -> None:
    """The jobs of other tabs, which a run started now waits for."""
    if backend.runner().active():
        _refreshed()


def show() -> None:
    """All jobs in order, unless this session's run, which the page shows, is the only one."""
    active = backend.runner().active()
    if active in ([], [backend.job()]):
        return
    with st.container(border=True):
        st.markdown(":material/queue: **One job runs at a time; the others wait.**")
        for place, job in enumerate(active):
            _row(place, job, own=backend.is_own(job))


def _row(place: int, job: Job, own: bool) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        state = f"{place} ahead of it" if place else "running"
        whose = "this tab" if own else "another tab"
        st.markdown(
            f"{place + 1}. **{plain(job.subject, 60)}** · {plain(_plans(job), 120)} · {state} · "
            f"{whose}",
            width="stretch",
        )
        if own and place:
            # The job that is watched has its cancel button below.
            st.button("Leave the queue", on_click=job.cancel, key=f"leave-{job.id}")
        elif job.is_calibration:
            st.page_link("pages/calibration.py", label="Watch", icon=":material/speed:")
        elif job.figure is not None:
            st.page_link("pages/papers.py", label="Watch", icon=":material/menu_book:")
        elif job is not backend.job():
            st.button("Watch", on_click=backend.watch, args=(job.id,), key=f"watch-{job.id}")


def _plans(job: Job) -> str:
    """`S1,S2,S3`, or how many plans and runs it has."""
    labels = list(dict.fromkeys(entry.request.label for entry in job.entries))
    if job.figure is not None:
        return "a paper's figure"
    if job.entries[0].asked is None:
        return "calibration"
    if len(labels) == len(job.entries) == 1:
        return plan_name(labels[0])
    runs = counted(len(job.entries), "run")
    return (
        f"{plan_name(labels[0])} and {len(labels) - 1} more, {runs}"
        if labels[1:]
        else (f"{plan_name(labels[0])}, {runs}")
    )
