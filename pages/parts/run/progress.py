"""A job while it runs, and how it ended."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

import streamlit as st

from pages.parts.run import live_changes, live_picture, queue_list, run_choices, warming
from pages.parts.shared import backend, planning, state
from pages.parts.shared.formatting import counted, on_pages, plain, plan_name, seconds_text
from planner.numbers import amount

if TYPE_CHECKING:
    from runtime.control.jobs import Entry, Job

# Of several runs of a plan, the first of these that there is gives the icon.
_ORDER = ("failed", "cancelled", "waiting", "finished")
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
    queue_list.show()
    with st.container(horizontal=True, vertical_alignment="center"):
        stopping = job.cancelled.is_set()
        st.button(
            "Cancelling" if stopping else "Cancel",
            icon=":material/stop_circle:",
            on_click=job.cancel,
            disabled=stopping,
            key=f"cancel-{job.id}",
        )
        st.markdown(_whole(job), width="content")
        warming_note()
    live_changes.notice(job)
    # A picture that is drawn in the place of another shows that one until it is laid out: plans
    # that follow each other take turns in two places.
    places = st.container(), st.container()
    if (running := job.running) is not None:
        number = sum(entry.status != "waiting" for entry in job.entries)
        with places[number % 2]:
            _entry(running)
    for label, entries in _by_plan(job).items():
        _line(label, entries)


def _whole(job: Job) -> str:
    """How far the job is, and how long it may take."""
    entries = [entry for entry in job.entries if entry.status not in ("waiting", "running")]
    if len(job.entries) == 1:
        return ""
    left = job.seconds_left(time.time())
    told = "" if left is None else f", about {seconds_text(left)} left in all"
    return f"{len(entries)} of {counted(len(job.entries), 'run')} done{told}"


def _by_plan(job: Job) -> dict[str, list[Entry]]:
    """The entries that do not run just now, by the plan they are of."""
    found: dict[str, list[Entry]] = {}
    for entry in job.entries:
        if entry is not job.running:
            found.setdefault(entry.request.label, []).append(entry)
    return found


def _line(label: str, entries: Sequence[Entry]) -> None:
    """One plan in one line: what became of its runs."""
    statuses = [entry.status for entry in entries]
    shown = next((status for status in _ORDER if status in statuses), statuses[0])
    counts = [
        f"{statuses.count(status)} {status}" if len(entries) > 1 else status
        for status in _ORDER
        if status in statuses
    ]
    took = [e.ended - e.began for e in entries if e.status == "finished" and e.ended and e.began]
    if took:
        counts.append(
            f"{seconds_text(sum(took) / len(took))} each"
            if len(took) > 1
            else seconds_text(took[0])
        )
    st.markdown(f"{_ICONS[shown]} **{plain(plan_name(label))}** · {plain(', '.join(counts), 200)}")
    for entry in entries:
        if entry.error:
            st.error(plain(on_pages(entry.error), 1000))


def _entry(entry: Entry) -> None:
    with st.container(border=True):
        head = f"{_ICONS[entry.status]} **{plain(plan_name(entry.request.label))}**"
        share = 1.0 if entry.status == "finished" else entry.progress.share
        st.progress(min(max(share, 0.0), 1.0), text=f"{head} · {plain(_phase(entry), 200)}")
        if entry.progress.arrivals and entry.progress.batches_done:
            _figures(entry)
            _stage(entry)
        live_picture.show(entry)


def _phase(entry: Entry) -> str:
    progress = entry.progress
    parts = [progress.phase]
    if (repeat := repeat_of(entry)) is not None:
        parts.insert(0, f"repeat {repeat}")
    if progress.batches_done:
        parts.append(f"{progress.step} {progress.batches_done} of {progress.batches}")
    if (left := entry.seconds_left) is not None:
        parts.append(f"about {seconds_text(left)} left")
    return " · ".join(parts)


def repeat_of(entry: Entry) -> int | None:
    """Which repeat of its plan this is, where plans are repeated."""
    asked = entry.asked
    return asked.repeat if asked is not None and asked.series is not None else None


def _figures(entry: Entry) -> None:
    progress = entry.progress
    seconds = progress.seconds or 1.0
    columns = st.columns(5)
    columns[0].metric("Input tuples/s", amount(round(progress.arrivals * progress.share / seconds)))
    columns[1].metric("Results/s", amount(round(progress.results / seconds)))
    columns[2].metric("Results", amount(progress.results))
    columns[3].metric("Comparisons", amount(progress.comparisons))
    columns[4].metric("Tuples held", amount(progress.state_tuples))


def _stage(entry: Entry) -> None:
    """Where a run stands whose queries or plan change while it goes on."""
    request = entry.asked
    if request is None:
        return
    if request.pace is not None:
        st.caption(f":material/speed: {run_choices.in_words(request.pace, entry.progress)}")
    live_changes.show(entry, request)


def ended(job: Job) -> None:
    """How the last job went, with the way to its results."""
    failed = [entry for entry in job.entries if entry.status == "failed"]
    finished = [entry for entry in job.entries if entry.status == "finished"]
    for entry in failed:
        message = plain(on_pages(entry.error or "failed"), 1000)
        st.error(f"**{plain(plan_name(entry.request.label))}** {message}", icon=":material/error:")
    if any(entry.status == "cancelled" for entry in job.entries):
        st.info(f"The run was cancelled. {_kept(job)}", icon=":material/cancel:")
    if finished:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(f"{counted(len(finished), 'run')} finished.", width="content")
            st.page_link("pages/results.py", label="See the results", icon=":material/monitoring:")
            _open_workload(finished[-1])


def _kept(job: Job) -> str:
    """What a cancelled job leaves."""
    from runtime.runs.records import Run

    for entry in job.entries:
        run = entry.outcome
        if isinstance(run, Run) and run.measurement and run.measurement.reached:
            kept = (
                "what it counted until then is kept, and so is what had finished."
                if run.measurement.costs
                else "still in its warm-up, it had counted nothing. What had finished is kept."
            )
            return (
                f"{plain(plan_name(run.plan.label))} had done "
                f"{seconds_text(run.measurement.reached)} of stream time: {kept}"
            )
    return "What had finished is kept."


def _open_workload(entry: Entry) -> None:
    """The way to the workload of a run, where another one is in force: results are of that one."""
    asked = live_changes.asked(entry)
    if asked is not None and asked.as_run.digest != planning.subject()[1].digest:
        st.button(
            f"Open {plain(asked.workload.name)}",
            icon=":material/folder_open:",
            on_click=state.open_workload,
            args=(asked.as_run, asked.data, asked.sort),
        )


def failed_figure(experiment: str) -> None:
    """Why the last measuring of this experiment failed, if it did."""
    job = backend.figure_job()
    if job is not None and job.figure == experiment:
        for entry in job.entries:
            if entry.error:
                st.error(plain(on_pages(entry.error), 1000), icon=":material/error:")


def warming_note() -> None:
    """That the first run has to wait for Spark, while it has."""
    note = warming.status()
    if note:
        st.caption(f":material/bolt: {plain(note, 300)}", width="content")
