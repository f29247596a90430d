"""One run, figure or calibration of a job: how far it is, and the time that it still takes."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from planner.seconds.calibration import Calibration
from planner.workload.workload import Workload
from runtime.backends.live_changes import Steering
from runtime.calibration.calibrate import CalibrationRequest
from runtime.control.resume import ResumeRequest
from runtime.experiments.figure import MeasuredFigure
from runtime.experiments.measurement import FigureRequest
from runtime.runs.records import Progress, Run, RunRequest

Request = RunRequest | ResumeRequest | FigureRequest | CalibrationRequest
Outcome = Run | MeasuredFigure | Calibration
# After so many batches beside the first one, the time left is known.
STEADY_BATCHES = 2
EntryStatus = Literal["waiting", "running", "finished", "cancelled", "failed"]
# Of a progress bar: what the steps before the first batch may fill where nothing else is known,
# the seconds after which they have filled half of that, and where an estimate has run out.
_BEFORE_BATCHES, _HALF_SECONDS, _NEARLY = 0.1, 10.0, 0.99
# A run that takes longer than earlier ones goes on for a tenth of its time, as far as one knows.
_LONGER = 0.1


class RunPhase(NamedTuple):
    """A phase of a run, and when it began."""

    phase: str
    began: float


@dataclass
class JobEntry:
    """One plan or figure of a job, and how far it is.

    `expected` are the seconds that earlier runs like it took.
    """

    request: Request
    expected: float | None = None
    status: EntryStatus = "waiting"
    progress: Progress = field(default_factory=lambda: Progress("Waiting"))
    outcome: Outcome | None = None
    error: str | None = None
    began: float | None = None
    ended: float | None = None
    # When Spark had started, which earlier runs did not wait for.
    underway: float | None = None
    steering: Steering = field(default_factory=Steering)
    # How far it was when its first batch was done, which takes longer than those after it.
    first: Progress | None = None
    steps: list[RunPhase] = field(default_factory=list)
    # A bar never goes back.
    _furthest: float = 0.0

    def heard(self, progress: Progress) -> None:
        """It is so far now."""
        before = self.first
        if progress.batches_done and (
            before is None or progress.batches_done < before.batches_done
        ):
            self.first = progress
        if not self.steps or self.steps[-1].phase != progress.phase:
            self.steps.append(RunPhase(progress.phase, time.time()))
        self.progress = progress

    @property
    def seconds_left(self) -> float | None:
        """At the pace since its first batch; None until that is known."""
        first, now = self.first, self.progress
        if first is None or now.batches_done < first.batches_done + STEADY_BATCHES:
            return None
        each = (now.seconds - first.seconds) / (now.batches_done - first.batches_done)
        return each * (now.batches - now.batches_done)

    def time_left(self, now: float) -> float | None:
        """At its own pace, else as long as earlier runs took; None where neither is known."""
        if (left := self.seconds_left) is not None:
            return left
        if self.expected is None:
            return None
        spent = 0.0 if self.underway is None else now - self.underway
        return max(self.expected - spent, _LONGER * spent)

    def share(self, now: float) -> float:
        """How far it is, from 0 to 1: it moves from the first second, and never back."""
        if self.status == "finished":
            return 1.0
        spent = 0.0 if self.began is None else now - self.began
        left = self.time_left(now)
        if left is not None and spent > 0:
            share = spent / (spent + left)
        else:
            before = _BEFORE_BATCHES * spent / (spent + _HALF_SECONDS)
            share = before + (1 - _BEFORE_BATCHES) * self.progress.share
        self._furthest = max(self._furthest, min(share, _NEARLY))
        return self._furthest

    @property
    def asked(self) -> RunRequest | None:
        """What is asked of the run, or of the one that is resumed; None where none is."""
        request = self.request
        if isinstance(request, ResumeRequest):
            return request.asked
        return request if isinstance(request, RunRequest) else None

    @property
    def workload(self) -> Workload | None:
        """The workload of the run, with the changes that were made while it went on."""
        if (current := self.steering.current) is not None:
            return current[1].workload
        return self.asked.workload if self.asked is not None else None
