"""A job in progress, with the plan that runs and its figures so far; and how a job ended."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import streamlit as st

from pages.parts.plans import drawings
from pages.parts.run import live_changes, queue_list, run_choices
from pages.parts.shared import backend, charts, planning, state
from pages.parts.shared.formatting import counted, on_pages, plain, plan_name, seconds_text
from pages.parts.shared.state import BY_DIGEST
from planner.families.registry import family
from planner.numbers import amount
from planner.plan.cost import Cost, Estimate
from planner.plan.dot import to_dot
from planner.plan.plan import Plan
from planner.plan.plan_text import Overlay, cost_text, to_text
from planner.seconds.calibration import calibrated_units, calibration_stamp
from planner.workload.workload import Workload

if TYPE_CHECKING:
    from runtime.control.jobs import Entry, Job

_SCRIPT = Path(__file__).with_name("live_figures.js")
_UNCOUNTED = "so far: not counted yet"
# The first of these that a plan's runs have gives the icon.
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
    """The plans of the job, drawn every second until it is done; then the page takes over."""
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
    # A new picture shows the old one in its place until it is laid out, so plans alternate
    # between two places.
    places = st.container(), st.container()
    if (running := job.running) is not None:
        number = sum(entry.status != "waiting" for entry in job.entries)
        with places[number % 2]:
            _entry(running)
    for label, entries in _by_plan(job).items():
        _line(label, entries)


def _whole(job: Job) -> str:
    """How many runs of the job are done, and the time left."""
    entries = [entry for entry in job.entries if entry.status not in ("waiting", "running")]
    if len(job.entries) == 1:
        return ""
    left = job.seconds_left(time.time())
    remaining = "" if left is None else f", about {seconds_text(left)} left in total"
    return f"{len(entries)} of {counted(len(job.entries), 'run')} done{remaining}"


def _by_plan(job: Job) -> dict[str, list[Entry]]:
    """The entries that are not running now, by plan."""
    found: dict[str, list[Entry]] = {}
    for entry in job.entries:
        if entry is not job.running:
            found.setdefault(entry.request.label, []).append(entry)
    return found


def _line(label: str, entries: Sequence[Entry]) -> None:
    """One plan in one line, with the status of its runs."""
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
        _picture(entry)


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
    """The pace of a run, and its changes so far."""
    request = entry.asked
    if request is None:
        return
    if request.pace is not None:
        st.caption(f":material/speed: {run_choices.pace_text(request.pace, entry.progress)}")
    live_changes.show(entry, request)


def _picture(entry: Entry) -> None:
    """The operators of the plan that runs, with figures that change in place."""
    asked, progress, workload = entry.asked, entry.progress, entry.workload
    if asked is None or workload is None or asked.backend == "native" or not progress.batches:
        return
    plan, estimate = _priced(asked.family, workload, asked.label, calibration_stamp())
    drawn = drawings.part_of(plan)
    figures = {op.id: _so_far(progress.costs.get(op.id)) for op in drawn.operators()}
    if len(drawn.operators()) > drawings.MOST_OPERATORS:
        text = to_text(drawn, estimate, _overlays(figures))
        st.code(text, language=None, height=400, wrap_lines=False)
    else:
        with st.container(gap=None):
            charts.picture(
                to_dot(drawn, estimate, _overlays(dict.fromkeys(figures, _UNCOUNTED)), steady=True),
                f"Operators of {plan.label}, predicted and so far",
                width="stretch",
            )
            # The time makes the figures be written again if the picture came after them.
            _writer()(data={"figures": figures, "at": time.time()}, key="sluice-live", height=0)
    st.caption(plain(_counted_until(asked.workload, progress.reached, bool(progress.costs)), 300))


def _counted_until(workload: Workload, reached: float, counted: bool) -> str:
    done = f"Processed so far: {seconds_text(reached)} of stream time"
    if counted:
        return (
            f"Per second of stream time after the warm-up: predicted, and measured so far. {done}."
        )
    return f"Counting begins after the warm-up of {seconds_text(workload.warmup)}. {done}."


def _overlays(figures: Mapping[str, str]) -> dict[str, Overlay]:
    return {operator_id: Overlay((figure,)) for operator_id, figure in figures.items()}


@cache
def _writer() -> Any:
    return st.components.v2.component("sluice-live", js=_SCRIPT.read_text())


def _so_far(cost: Cost | None) -> str:
    if cost is None:
        return _UNCOUNTED
    return f"so far: {cost_text(cost) or 'nothing'}"


@st.cache_resource(show_spinner=False, max_entries=32, hash_funcs=BY_DIGEST)
def _priced(
    name: str,
    workload: Workload,
    label: str,
    calibrated: int,  # noqa: ARG001 - part of the key: the machine may be calibrated again
) -> tuple[Plan, Estimate]:
    """The plan with the operators of all its stages, and the cost of each."""
    from planner.families.stages import planned_stages, whole_estimate, whole_plan
    from runtime.data.run_data import run_seconds

    units = calibrated_units()
    stages = planned_stages(family(name), workload, label, units)
    warmup, end = (round(1e6 * at) for at in (workload.warmup, run_seconds(workload)))
    return whole_plan(stages), whole_estimate(family(name), stages, 0, warmup, end, units)


def ended(job: Job) -> None:
    """How the last job ended, with a link to its results."""
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
                f"{plain(plan_name(run.plan.label))} had processed "
                f"{seconds_text(run.measurement.reached)} of stream time. {kept}"
            )
    return "Finished runs are kept."


def _open_workload(entry: Entry) -> None:
    """A button for the workload of a run, where another one is open: Results shows that one."""
    asked = live_changes.asked(entry)
    if asked is not None and asked.as_run.digest != planning.subject()[1].digest:
        st.button(
            f"Open {plain(asked.workload.name)}",
            icon=":material/folder_open:",
            on_click=state.open_workload,
            args=(asked.as_run, asked.data, asked.sort),
        )


def failed_figure(experiment: str) -> None:
    """Why the last measurement of this experiment failed, if it did."""
    job = backend.figure_job()
    if job is not None and job.figure == experiment:
        for entry in job.entries:
            if entry.error:
                st.error(plain(on_pages(entry.error), 1000), icon=":material/error:")


def warming_note() -> None:
    """A note while Spark is still starting."""
    note = backend.warming_status()
    if note:
        st.caption(f":material/bolt: {plain(note, 300)}", width="content")
