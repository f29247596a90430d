"""How long runs like one took before: what progress and the Run form expect."""

from __future__ import annotations

from statistics import median

from runtime.runs.history import History
from runtime.runs.records import RunRequest
from runtime.runs.run_groups import Manner, manner_of
from runtime.runs.run_summary import RunFilter, RunSummary

# So many of the newest runs of a workload are read.
_MOST_RUNS = 50


def runs_like(history: History, request: RunRequest) -> list[RunSummary]:
    """The finished runs of this workload in the same manner, newest first; on other data, too."""
    wanted = RunFilter(workload_digest=request.as_run.digest, status="finished")
    manner = Manner(request.way, request.backend, request.pace, request.master)
    return [
        run
        for run in history.summaries(wanted, _MOST_RUNS)
        if run.total_seconds is not None and manner_of(run) == manner
    ]


def usual_seconds(history: History, request: RunRequest) -> float | None:
    """The median seconds of earlier runs: of the plan, else of the workload's other plans."""
    alike = runs_like(history, request)
    chosen = [run for run in alike if run.label == request.label] or alike
    seconds = [run.total_seconds for run in chosen if run.total_seconds is not None]
    return median(seconds) if seconds else None
