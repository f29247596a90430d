"""How a job ended: what finished, failed or was cancelled, and where its results are."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from pages.parts.run import job_names, live_changes
from pages.parts.shared import backend, planning, state
from pages.parts.shared.formatting import counted, on_pages, plain, seconds_text

if TYPE_CHECKING:
    from runtime.control.job_entry import JobEntry
    from runtime.control.jobs import Job


def show(job: Job) -> None:
    """How the last job ended, with a link to its results."""
    failed = [entry for entry in job.entries if entry.status == "failed"]
    finished = [entry for entry in job.entries if entry.status == "finished"]
    for entry in failed:
        message = plain(on_pages(entry.error or "failed"), 1000)
        st.error(f"**{plain(job_names.entry_title(entry))}** {message}", icon=":material/error:")
    if any(entry.status == "cancelled" for entry in job.entries):
        message = f"**{plain(job_names.name(job), 200)}** was cancelled. {_kept(job)}"
        st.info(message, icon=":material/cancel:")
    if finished:
        with st.container(horizontal=True, vertical_alignment="center"):
            name = plain(job_names.name(job), 200)
            st.markdown(
                f":material/check_circle: **{name}**: {counted(len(finished), 'run')} finished.",
                width="content",
            )
            if not _open_workload(finished[-1]):
                icon = ":material/monitoring:"
                st.page_link("pages/results.py", label="See the results", icon=icon)


def _kept(job: Job) -> str:
    """What is kept of a cancelled job."""
    from runtime.runs.records import Run

    for entry in job.entries:
        run = entry.outcome
        if isinstance(run, Run) and run.measurement and run.measurement.reached:
            kept = (
                "Its counts until then are kept, and so are finished runs."
                if run.measurement.costs
                else "It was still in its warm-up, so nothing was counted. Finished runs are kept."
            )
            return (
                f"{plain(planning.title_of(run))} had processed "
                f"{seconds_text(run.measurement.reached)} of stream time. {kept}"
            )
    return "Finished runs are kept."


def leads_to_results(job: Job) -> bool:
    """Whether to go from a job that has ended to its results: once, if they are shown there."""
    return of_open_workload(job.entries[-1]) and backend.follow(job)


def of_open_workload(entry: JobEntry) -> bool:
    """Whether Results shows this run: it is of the workload that is open."""
    asked = live_changes.asked(entry)
    return asked is None or asked.as_run.digest == planning.subject()[1].digest


def _open_workload(entry: JobEntry) -> bool:
    """A button for the workload of a run, where another one is open; whether there is one."""
    asked = live_changes.asked(entry)
    if asked is None or of_open_workload(entry):
        return False
    st.button(
        f"Open {plain(asked.workload.name)}",
        icon=":material/folder_open:",
        on_click=state.open_workload,
        args=(asked.as_run, asked.data, asked.sort),
        key=f"open-{asked.as_run.digest}",
    )
    return True


def failed_figure(experiment: str) -> None:
    """Why the last measurement of this experiment failed, if it did."""
    job = backend.figure_job()
    if job is not None and job.figure == experiment:
        for entry in job.entries:
            if entry.error:
                st.error(plain(on_pages(entry.error), 1000), icon=":material/error:")
