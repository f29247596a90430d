"""A job in progress, with the plan that runs and its figures so far; and how a job ended."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

import streamlit as st

from pages.parts.canvas import plan_canvas
from pages.parts.canvas.plan_canvas import CanvasPlan
from pages.parts.run import job_names, live_changes, queue_list, run_choices
from pages.parts.shared import backend, planning
from pages.parts.shared.formatting import counted, on_pages, plain, seconds_text
from pages.parts.shared.state import BY_DIGEST
from pages.parts.start.workload_picture import colours
from pages.parts.time_lines import adaptive_view, statistics_view
from planner.families.registry import family
from planner.numbers import amount, figure
from planner.plan.cost import Estimate
from planner.plan.plan import Plan
from planner.seconds.calibration import calibrated_units, calibration_stamp
from planner.workload.workload import Workload

if TYPE_CHECKING:
    from runtime.control.job_entry import JobEntry
    from runtime.control.jobs import Job

# Steps that took fewer seconds are left out.
_SHORTEST_STEP = 0.1
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
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(_whole(job), width="stretch")
        queue_list.cancel_button(job)
    # Above the picture, so that it is in sight.
    queue_list.show()
    live_changes.notice(job)
    # A new picture shows the old one in its place until it is laid out, so plans alternate
    # between two places.
    places = st.container(), st.container()
    if (running := job.running) is not None:
        number = sum(entry.status != "waiting" for entry in job.entries)
        with places[number % 2]:
            _entry(running)
    for entries in _by_plan(job).values():
        _line(entries)


def _whole(job: Job) -> str:
    """What goes on, how many runs of the job are done, and the time left."""
    entries = [entry for entry in job.entries if entry.status not in ("waiting", "running")]
    name = f"**{plain(job_names.name(job), 200)}**"
    if job.running is None:
        return f"{name} · waiting for its turn"
    if len(job.entries) == 1:
        return name
    left = job.seconds_left(time.time())
    remaining = "" if left is None else f", about {seconds_text(left)} left in total"
    return f"{name} · {len(entries)} of {counted(len(job.entries), 'run')} done{remaining}"


def _by_plan(job: Job) -> dict[str, list[JobEntry]]:
    """The entries that are not running now, by plan."""
    found: dict[str, list[JobEntry]] = {}
    for entry in job.entries:
        if entry is not job.running:
            found.setdefault(entry.request.label, []).append(entry)
    return found


def _line(entries: Sequence[JobEntry]) -> None:
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
    name = plain(job_names.entry_title(entries[0]))
    st.markdown(f"{_ICONS[shown]} **{name}** · {plain(', '.join(counts), 200)}")
    for entry in entries:
        if entry.error:
            st.error(plain(on_pages(entry.error), 1000))


def _entry(entry: JobEntry) -> None:
    with st.container(border=True):
        head = f"{_ICONS[entry.status]} **{plain(job_names.entry_title(entry))}**"
        now = time.time()
        st.progress(entry.share(now), text=f"{head} · {plain(_phase(entry, now), 200)}")
        st.caption(plain(_steps(entry, now), 400))
        if entry.progress.arrivals and entry.progress.batches_done:
            _figures(entry)
            _stage(entry)
        _over_time(entry)
        _picture(entry)
        if entry.workload is not None:
            statistics_view.show(
                entry.progress.observed,
                entry.workload,
                entry.request.label,
                entry.progress.switches,
            )


def _over_time(entry: JobEntry) -> None:
    """Of a run that adapts: the plan that runs now, and its switches so far."""
    if entry.workload is not None and entry.asked is not None:
        adaptive_view.now(entry.progress, entry.workload, entry.asked.family, entry.asked.label)


def _steps(entry: JobEntry, now: float) -> str:
    """Every step so far with its seconds: what was waited for."""
    ends = [*(step.began for step in entry.steps[1:]), now]
    took = [(step.phase, end - step.began) for step, end in zip(entry.steps, ends, strict=True)]
    shown = [f"{phase} {seconds_text(s)}" for phase, s in took[:-1] if s >= _SHORTEST_STEP]
    if took:
        shown.append(f"{took[-1][0]} for {seconds_text(took[-1][1])}")
    return " → ".join(shown)


def _phase(entry: JobEntry, now: float) -> str:
    progress = entry.progress
    parts = [progress.phase]
    if (repeat := repeat_of(entry)) is not None:
        parts.insert(0, f"repeat {repeat}")
    if progress.batches_done:
        parts.append(f"{progress.step} {progress.batches_done} of {progress.batches}")
    if (left := entry.time_left(now)) is not None:
        parts.append(f"about {seconds_text(left)} left")
    return " · ".join(parts)


def repeat_of(entry: JobEntry) -> int | None:
    """Which repeat of its plan this is, where plans are repeated."""
    asked = entry.asked
    return asked.repeat if asked is not None and asked.series is not None else None


def _figures(entry: JobEntry) -> None:
    """How far the run is, and how fast by the clock: only the plan is in seconds of stream."""
    progress = entry.progress
    read = round(progress.arrivals * progress.share)
    columns = st.columns(4)
    columns[0].metric("Tuples read", amount(read))
    columns[1].metric("Results", amount(progress.results))
    columns[2].metric("Comparisons", amount(progress.comparisons))
    columns[3].metric("Tuples held", amount(progress.state_tuples))
    if progress.seconds:
        per_second = (figure(round(count / progress.seconds)) for count in (read, progress.results))
        st.caption("By the clock: {} tuples read and {} results each second.".format(*per_second))


def _stage(entry: JobEntry) -> None:
    """The pace of a run, and its changes so far."""
    request = entry.asked
    if request is None:
        return
    if request.pace is not None:
        st.caption(f":material/speed: {run_choices.pace_text(request.pace, entry.progress)}")
    live_changes.show(entry, request)


def _picture(entry: JobEntry) -> None:
    """The operators of the plan that runs; figures and rings change in place as it counts."""
    asked, progress, workload = entry.asked, entry.progress, entry.workload
    if asked is None or workload is None or asked.backend == "native" or not progress.batches:
        return
    # Of a run that adapts, the plan that it has now.
    label = progress.switches[-1].after if progress.switches else asked.label
    plan, estimate = _priced(asked.family, workload, label, calibration_stamp())
    by = planning.objective(asked.family, workload)
    drawn = CanvasPlan(plan, estimate, by, dict(progress.costs), colours=colours(workload))
    plan_canvas.show(drawn, f"running-{entry.request.label}", aspect=2.2)
    st.caption(plain(_counted_until(asked.workload, progress.reached, bool(progress.costs)), 300))


def _counted_until(workload: Workload, reached: float, counted: bool) -> str:
    done = f"Processed so far: {seconds_text(reached)} of stream time"
    if counted:
        return (
            f"Per second of stream time after the warm-up: predicted, and measured so far. {done}."
        )
    return f"Counting begins after the warm-up of {seconds_text(workload.warmup)}. {done}."


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


def warming_note() -> None:
    """A note while Spark is still starting."""
    note = backend.warming_status()
    if note:
        st.caption(f":material/bolt: {plain(note, 300)}", width="content")
