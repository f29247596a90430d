"""The pages' access to the runtime: one runner for the process, its jobs, and the history.

The runtime takes seconds to import (Numba), so it is imported on first use, and warmed up in the
background when the app starts.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

import streamlit as st

from planner.errors import PlanError
from runtime.runs.records import Run, RunRequest
from runtime.runs.run_summary import RunFilter, RunSummary

if TYPE_CHECKING:
    from runtime.control.jobs import Job, Runner
    from runtime.control.resume import ResumeRequest
    from runtime.runs.history import History


# The ids of all runs that this session has started; `job` is the one that it watches.
_OWN = "own_jobs"
# Those whose results this session has seen.
_SEEN = "seen_jobs"
# Two clicks within so many seconds are one.
_DOUBLE_CLICK = 3.0


def make_runner() -> Runner:
    """A runner of the real runtime; tests put another in its place."""
    from runtime.control.jobs import Runner

    return Runner()


@st.cache_resource(show_spinner=False)
def runner() -> Runner:
    """The one runner of this process."""
    return make_runner()


def history() -> History:
    """The runs that were kept."""
    from runtime.runs.history import History

    return History()


def start(requests: Sequence[RunRequest | ResumeRequest]) -> Job:
    """Submit these runs; they wait for those before them. A double click starts them once."""
    if not requests:
        raise PlanError("no plan is chosen; choose at least one", "run")
    wanted = [_asked(request) for request in requests]
    since = time.time() - _DOUBLE_CLICK
    recent = (job for job in _own_active() if job.submitted > since)
    submitted = next((job for job in recent if _asks(job) == wanted), None)
    if submitted is None:
        submitted = runner().submit(requests)
        st.session_state.setdefault(_OWN, set()).add(submitted.id)
    st.session_state["job"] = submitted.id
    st.session_state["follow"] = submitted.id
    return submitted


def _own_active() -> list[Job]:
    return [job for job in runner().active() if is_own(job)]


def _asks(job: Job) -> list[object]:
    return [_asked(entry.request) for entry in job.entries]


def _asked(request: object) -> object:
    """What a request asks for, without the names that every click makes anew."""
    if isinstance(request, RunRequest):
        return replace(request, results=None, series=None)
    return request


def interrupted_runs() -> list[Run]:
    """The runs that can be resumed or discarded, newest first; not those in the queue."""
    from runtime.control.resume import ResumeRequest, broken_off

    waiting = {
        entry.request.run_id
        for job in runner().active()
        for entry in job.entries
        if isinstance(entry.request, ResumeRequest)
    }
    return [run for run in broken_off(history()) if run.id not in waiting]


def resume(run: Run) -> None:
    """Resume an interrupted run, as a job of this session."""
    from runtime.control.resume import ResumeRequest

    start([ResumeRequest(run.id, run.request)])


def discard(run_id: str) -> None:
    """Delete a run and its files."""
    from runtime.runs.history import delete_run

    delete_run(run_id, history())


def job() -> Job | None:
    """The job that this session has started or watches, if any."""
    return _started("job")


def watched() -> Job | None:
    """The run of this session that goes on or is next; else the last that it has watched."""
    mine = (job for job in _own_active() if job.entries[0].asked is not None)
    return next(mine, None) or job()


def ended() -> list[Job]:
    """The runs of this session that have ended, without those whose results it has seen."""
    seen = st.session_state.get(_SEEN, set())
    return [
        job
        for job in runner().jobs()
        if job.done and is_own(job) and job.id not in seen and job.entries[0].asked is not None
    ]


def _started(role: str) -> Job | None:
    known = st.session_state.get(role)
    return None if known is None else runner().job(known)


def watch(job_id: str) -> None:
    """Watch this job: after a reload, or from another tab."""
    st.session_state["job"] = job_id


def measure(experiment: str, anew: bool = False) -> None:
    """Measure an experiment's figure, unless that is in the queue already."""
    from runtime.experiments.measurement import FigureRequest

    if measuring(experiment) is None:
        submitted = runner().submit([FigureRequest(experiment, anew)])
        st.session_state["figure_job"] = submitted.id


def measuring(experiment: str | None = None) -> Job | None:
    """The job that measures this experiment (or any), whichever tab has started it."""
    figures = [job for job in _active() if job.figure is not None]
    return next((job for job in figures if experiment in (None, job.figure)), None)


def _active() -> Sequence[Job]:
    # Asking must not load the runtime: before it is loaded, no job can run.
    return runner().active() if "runtime.control.jobs" in sys.modules else ()


def figure_job() -> Job | None:
    """The last job for a figure that this session has started, if any."""
    return _started("figure_job")


def calibrate() -> None:
    """Calibrate this machine, unless that is in the queue already."""
    from runtime.calibration.calibrate import CalibrationRequest

    if calibrating() is None:
        st.session_state["calibration_job"] = runner().submit([CalibrationRequest()]).id


def calibrating() -> Job | None:
    """The job that calibrates this machine, whichever tab has started it."""
    return next((job for job in _active() if job.is_calibration), None)


def calibration_job() -> Job | None:
    """The last calibration that this session has started, if any."""
    return _started("calibration_job")


def is_own(job: Job) -> bool:
    """Whether this session has started the job, or watches it."""
    known = (st.session_state.get(name) for name in ("job", "figure_job", "calibration_job"))
    return job.id in known or job.id in st.session_state.get(_OWN, ())


def follow(finished: Job) -> bool:
    """Whether to go from this finished job to its results: once, if all its runs finished."""
    if st.session_state.get("follow") != finished.id:
        return False
    del st.session_state["follow"]
    return finished.went_well


def arrived(digests: Sequence[str] = ()) -> None:
    """The user is at the results: no need to go there, or to point at what has finished."""
    st.session_state.pop("follow", None)
    if "runtime.control.jobs" in sys.modules:
        seen = st.session_state.setdefault(_SEEN, set())
        seen.update(job.id for job in ended() if job.went_well and _digest(job) in digests)


def _digest(job: Job) -> str | None:
    asked = job.entries[-1].asked
    return None if asked is None else asked.as_run.digest


def runs(workload_digest: str | None, most: int = 50) -> tuple[Run, ...]:
    """The latest runs, newest first; of one workload, if its digest is given."""
    return _read(_written(), "runs", workload_digest, most)


def records(run_ids: tuple[str, ...]) -> dict[str, Run]:
    """These runs by their ids; those that cannot be read are left out."""
    return {run.id: run for run in _read(_written(), "records", run_ids)}


def summaries(wanted: RunFilter, most: int, offset: int = 0) -> tuple[RunSummary, ...]:
    """A summary of each wanted run, newest first."""
    return _read(_written(), "summaries", wanted, most, offset)


def summaries_of(digests: Sequence[str], most: int) -> list[RunSummary]:
    """The latest runs of a workload that is known under these digests, newest first."""
    found = [
        run for digest in digests for run in summaries(RunFilter(workload_digest=digest), most)
    ]
    return sorted(found, key=lambda run: -run.started)[:most]


def _written() -> tuple[str, tuple[int, ...]]:
    """The file of the history and when it was written: what caches depend on."""
    file = history().file
    log = file.with_name(f"{file.name}-wal")
    return str(file), tuple(f.stat().st_mtime_ns if f.exists() else 0 for f in (file, log))


@st.cache_resource(show_spinner=False, max_entries=64)
def _read(
    written: tuple[str, tuple[int, ...]],  # noqa: ARG001 - part of the key
    what: Literal["runs", "records", "summaries"],
    *wanted: Any,
) -> tuple[Any, ...]:
    return tuple(getattr(history(), what)(*wanted))


@st.cache_resource(show_spinner=False)
def begin_warming() -> None:
    """Warm up Spark and the kernels, once per process; SLUICE_WARM=0 leaves it to the first run."""
    from runtime.runs import processes

    processes.give_way()
    if os.environ.get("SLUICE_WARM", "1") != "0":
        threading.Thread(target=_warm, daemon=True, name="sluice-import").start()


def _warm() -> None:
    # Importing the runtime takes seconds: in a thread of its own, no page waits for it.
    from pages.parts.canvas import graph_layout
    from runtime.control.warm import warm_in_background

    graph_layout.load()
    warm_in_background()


def spark_ready() -> bool:
    """Whether Spark has started."""
    from runtime.control import warm

    return warm.status() == "ready"


def warming_status() -> str:
    """What a run would have to wait for; empty where Spark is ready."""
    from runtime.control import warm

    state = warm.status()
    return {"ready": "", "cold": "", "warming": "Spark is starting"}.get(state, state)
