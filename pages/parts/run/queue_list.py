"""The queue of jobs: workload and plans of each, with buttons to watch or cancel them."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import streamlit as st

from pages.parts.run import job_names
from pages.parts.shared import backend
from pages.parts.shared.formatting import counted, plain, seconds_text

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
    """All jobs in order, without the one whose progress the page shows."""
    active = backend.runner().active()
    watched = backend.watched()
    is_shown = active[:1] == [watched]
    if len(active) == is_shown:
        return
    with st.container(border=True, gap="small"):
        waiting = counted(len(active) - 1, "job waits", "jobs wait")
        st.markdown(f":material/queue: **Queue:** one job runs at a time, {waiting}")
        before: float | None = 0.0
        for place, job in enumerate(active):
            if place or not is_shown:
                _row(place, job, before)
            left = job.seconds_left(time.time())
            before = None if before is None or left is None else before + left


def _row(place: int, job: Job, before: float | None) -> None:
    """One job; `before` are the seconds that those ahead of it still take, if known."""
    own = backend.is_own(job)
    with st.container(horizontal=True, vertical_alignment="center"):
        whose = "" if own else " · from another tab"
        st.markdown(
            f"{place + 1}. **{plain(job_names.name(job), 200)}** · {_state(place, before)}{whose}",
            width="stretch",
        )
        if job.is_calibration:
            st.page_link("pages/calibration.py", label="Watch", icon=":material/speed:")
        elif job.figure is not None:
            st.page_link("pages/papers.py", label="Watch", icon=":material/menu_book:")
        elif not own:
            st.button("Watch", on_click=backend.watch, args=(job.id,), key=f"watch-{job.id}")
        elif job is not backend.watched():
            # The job that is watched has its cancel button beside its progress.
            cancel_button(job)


def _state(place: int, before: float | None) -> str:
    if not place:
        return "running"
    soon = "" if before is None else f", starts in about {seconds_text(before)}"
    return f"waiting{soon}"


def cancel_button(job: Job) -> None:
    """A button that names what it cancels."""
    stopping = job.cancelled.is_set()
    verb = "Cancelling" if stopping else "Cancel"
    st.button(
        f"{verb} {plain(job_names.short_name(job), 120)}",
        icon=":material/stop_circle:",
        on_click=job.cancel,
        disabled=stopping,
        key=f"cancel-{job.id}",
    )


def notice() -> None:
    """One line where a run can be started: what is under way, and where to see it."""
    active = backend.runner().active()
    if not active:
        return
    waiting = f", {len(active) - 1} waiting" if active[1:] else ""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(
            f":material/directions_run: Running: {plain(job_names.name(active[0]), 160)}{waiting}. "
            "A run that you start now waits for its turn.",
            width="content",
        )
        st.page_link("pages/run.py", label="Watch", icon=":material/play_circle:")
