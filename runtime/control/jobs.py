"""Runs and measured figures in the background, one at a time: started and watched by pages."""

from __future__ import annotations

import logging
import queue
import threading
import time
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from planner.errors import SluiceError
from runtime.backends.interruption import RunCancelledError
from runtime.backends.live_changes import Steering
from runtime.backends.protocol import OnProgress
from runtime.calibration.calibrate import CalibrationRequest, calibrate
from runtime.control import warm
from runtime.control.execute import run
from runtime.control.job_entry import JobEntry, Outcome, Request
from runtime.control.resume import ResumeRequest, resume
from runtime.experiments.measurement import FigureRequest, measure
from runtime.runs.earlier_runs import usual_seconds
from runtime.runs.history import History
from runtime.runs.records import Progress, RunRequest

logger = logging.getLogger(__name__)

Execute = Callable[[Request, OnProgress, threading.Event, Steering], Outcome]


@dataclass
class Job:
    """What was started together. Read by pages, written by the runner's thread."""

    entries: list[JobEntry]
    id: str = field(default_factory=lambda: uuid.uuid4().hex[:8])
    cancelled: threading.Event = field(default_factory=threading.Event)
    submitted: float = field(default_factory=time.time)

    @property
    def done(self) -> bool:
        """Whether nothing of it is waiting or running."""
        return all(entry.status not in ("waiting", "running") for entry in self.entries)

    @property
    def went_well(self) -> bool:
        """Whether all of it finished."""
        return all(entry.status == "finished" for entry in self.entries)

    @property
    def figure(self) -> str | None:
        """The experiment whose figure it measures, if it does."""
        request = self.entries[0].request
        return request.experiment if isinstance(request, FigureRequest) else None

    @property
    def subject(self) -> str:
        """What it is about: the name of its workload, or the experiment."""
        asked = self.entries[0].asked
        return self.entries[0].request.label if asked is None else asked.workload.name

    @property
    def running(self) -> JobEntry | None:
        """The entry that is carried out just now, if one is."""
        return next((entry for entry in self.entries if entry.status == "running"), None)

    @property
    def is_calibration(self) -> bool:
        """Whether it calibrates this machine."""
        return isinstance(self.entries[0].request, CalibrationRequest)

    def cancel(self) -> None:
        """Stop the plan that runs, and do not start the others."""
        self.cancelled.set()
        for entry in self.entries:
            if entry.status == "waiting":
                entry.status = "cancelled"

    def seconds_left(self, now: float) -> float | None:
        """Until all of it is done: by the pace of the plan that runs, by earlier runs, and by what
        the other plans took. None until there is something to judge by.
        """
        took = [e.ended - e.began for e in self.entries if e.ended is not None and e.began]
        mean = sum(took) / len(took) if took else None
        left = 0.0
        for entry in self.entries:
            if entry.status not in ("waiting", "running"):
                continue
            spent = now - entry.began if entry.began else 0.0
            each = entry.time_left(now)
            if each is None and mean is not None:
                each = max(0.0, mean - spent)
            if each is None:
                return None
            mean = mean or spent + each
            left += each
        return left


def execute(
    request: Request, on_progress: OnProgress, cancel: threading.Event, steering: Steering
) -> Outcome:
    """Run a plan, which may be changed while it goes on, measure a figure, or calibrate."""
    if isinstance(request, ResumeRequest):
        return resume(request.run_id, on_progress, cancel=cancel, steering=steering)
    if isinstance(request, FigureRequest):
        return measure(request, on_progress, cancel)
    if isinstance(request, CalibrationRequest):
        return calibrate(request, on_progress, cancel)
    warm.ready_for(request, on_progress, cancel)
    return run(request, on_progress, cancel, steering=steering)


def _expected(request: Request) -> float | None:
    return usual_seconds(History(), request) if isinstance(request, RunRequest) else None


class Runner:
    """Carries out jobs in the order they come, in one thread; Spark is used by one at a time.

    Figures wait for their turn, too: what is timed while a run goes on is timed wrong.
    """

    def __init__(self, execute: Execute = execute) -> None:
        self._execute = execute
        self._waiting: queue.Queue[Job] = queue.Queue()
        self._jobs: dict[str, Job] = {}
        threading.Thread(target=self._work, daemon=True, name="sluice-runner").start()

    def submit(self, requests: Sequence[Request]) -> Job:
        """Start these as soon as the jobs before them are done."""
        job = Job([JobEntry(request, _expected(request)) for request in requests])
        self._jobs[job.id] = job
        self._waiting.put(job)
        return job

    def job(self, job_id: str) -> Job | None:
        """The job with this id, if it is of this process."""
        return self._jobs.get(job_id)

    def jobs(self) -> list[Job]:
        """All jobs of this process, in their order."""
        return list(self._jobs.values())

    def active(self) -> list[Job]:
        """The jobs that are not done, in their order."""
        return [job for job in self._jobs.values() if not job.done]

    def _work(self) -> None:
        while True:
            job = self._waiting.get()
            for entry in job.entries:
                self._carry_out(job, entry)

    def _carry_out(self, job: Job, entry: JobEntry) -> None:
        if job.cancelled.is_set():
            entry.status = "cancelled"
            return
        entry.began = time.time()
        try:
            self._attempt(job, entry)
        finally:
            entry.ended = time.time()

    def _attempt(self, job: Job, entry: JobEntry) -> None:
        on_progress = entry.heard
        entry.status = "running"
        on_progress(Progress("Starting Spark"))
        warm.wait(job.cancelled)
        entry.underway = time.time()
        try:
            entry.outcome = self._execute(entry.request, on_progress, job.cancelled, entry.steering)
            entry.status = "cancelled" if entry.outcome.status == "cancelled" else "finished"
        except RunCancelledError:
            entry.status = "cancelled"
        except SluiceError as error:
            entry.error, entry.status = str(error), "failed"
        except Exception as error:
            # A bug of ours: the log gets all of it, the page one line, and the runner lives on.
            logger.exception("run of %s failed", entry.request.label)
            entry.error = f"an internal fault ({type(error).__name__}); the log has the details"
            entry.status = "failed"
