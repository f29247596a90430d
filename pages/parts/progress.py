"""A job while it runs, and how it ended."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from pages.parts import backend, stage_table, warming
from pages.parts.words import counted, on_pages, plain, plan_name, seconds_text
from planner.wording import amount

if TYPE_CHECKING:
    from runtime.jobs import Entry, Job

_ICONS = {
    "waiting": ":material/hourglass_empty:",
    "running": ":material/directions_run:",
    "finished": ":material/check_circle:",
    "cancelled": ":material/cancel:",
    "failed": ":material/error:",
}


@st.fragment(run_every=1)
def live(job_id: str) -> None:
    """The job's plans, once a second, until it is done; then the page takes over."""
    job = backend.runner().job(job_id)
    if job is None or job.done:
        st.rerun()
    ahead = backend.runner().ahead_of(job)
    if ahead:
        st.info(f"{counted(ahead, 'run')} ahead of yours: it starts when Spark is free.")
    with st.container(horizontal=True, vertical_alignment="center"):
        stopping = job.cancelled.is_set()
        st.button(
            "Cancelling" if stopping else "Cancel",
            icon=":material/stop_circle:",
            on_click=job.cancel,
            disabled=stopping,
            key=f"cancel-{job.id}",
        )
        warming_note()
    for entry in job.entries:
        _entry(entry)


def _entry(entry: Entry) -> None:
    with st.container(border=True):
        head = f"{_ICONS[entry.status]} **{plain(plan_name(entry.request.label))}**"
        share = 1.0 if entry.status == "finished" else entry.progress.share
        st.progress(min(max(share, 0.0), 1.0), text=f"{head} · {plain(_phase(entry))}")
        if entry.progress.arrivals and entry.progress.batches_done:
            _figures(entry)
            _stage(entry)
        if entry.error:
            st.error(plain(on_pages(entry.error), 1000))


def _phase(entry: Entry) -> str:
    progress = entry.progress
    if entry.status == "waiting":
        return "waiting for its turn"
    if entry.status != "running":
        return entry.status
    parts = [progress.phase]
    if progress.batches_done:
        parts.append(f"{progress.step} {progress.batches_done} of {progress.batches}")
        parts.append(f"about {seconds_text(progress.seconds_left)} left")
    return " · ".join(parts)


def _figures(entry: Entry) -> None:
    progress = entry.progress
    rows = progress.arrivals * progress.share
    pace = rows / progress.seconds if progress.seconds else 0.0
    columns = st.columns(4)
    columns[0].metric("Input tuples/s", amount(round(pace)))
    columns[1].metric("Comparisons", amount(progress.comparisons))
    columns[2].metric("Results", amount(progress.results))
    columns[3].metric("Tuples held", amount(progress.state_tuples))


def _stage(entry: Entry) -> None:
    """Where a run stands whose queries or plan change while it goes on."""
    from runtime.prepare import run_seconds
    from runtime.records import RunRequest

    request = entry.request
    if isinstance(request, RunRequest) and request.workload.run.changes:
        stages = stage_table.stages_of_run(request.family, request.workload, request.label)
        if len(stages) > 1:
            st.caption(
                f":material/sync_alt: {stage_table.in_words(stages, entry.progress.reached)}"
            )
            stage_table.show(stages, run_seconds(request.workload), entry.progress.reached)


def ended(job: Job) -> None:
    """How the last job went, with the way to its results."""
    failed = [entry for entry in job.entries if entry.status == "failed"]
    finished = [entry for entry in job.entries if entry.status == "finished"]
    for entry in failed:
        message = plain(on_pages(entry.error or "failed"), 1000)
        st.error(f"**{plain(plan_name(entry.request.label))}** {message}", icon=":material/error:")
    if any(entry.status == "cancelled" for entry in job.entries):
        st.info("The run was cancelled. What had finished is kept.", icon=":material/cancel:")
    if finished:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(f"{counted(len(finished), 'run')} finished.", width="content")
            st.page_link("pages/results.py", label="See the results", icon=":material/monitoring:")


def failed_figure(experiment: str) -> None:
    """Why the last measuring of this experiment failed, if it did."""
    job = backend.figure_job()
    if job is not None and job.figure == experiment:
        for entry in job.entries:
            if entry.error:
                st.error(plain(on_pages(entry.error), 1000), icon=":material/error:")


def elsewhere() -> None:
    """Runs of other tabs, and figures that are measured: a run started now waits for them."""
    if backend.measuring() is not None:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.info(
                "A paper's figure is being measured: a run starts after it.",
                icon=":material/queue:",
                width="stretch",
            )
            st.page_link("pages/evaluation.py", label="Watch it", icon=":material/menu_book:")
    others = backend.others()
    if not others:
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        st.info(
            f"{counted(len(others), 'job')} of another tab going on: yours starts after it.",
            icon=":material/queue:",
            width="stretch",
        )
        st.button("Watch it", on_click=backend.watch, args=(others[0].id,))


def warming_note() -> None:
    """That the first run has to wait for Spark, while it has."""
    note = warming.status()
    if note:
        st.caption(f":material/bolt: {plain(note, 300)}", width="content")
