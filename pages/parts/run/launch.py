"""Start the chosen plans as a job: what every run button does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from pages.parts.families.registry import view_of
from pages.parts.shared import backend, controls, planning, state
from planner.errors import PlanError, SluiceError
from runtime.runs.records import MOST_DISK_MB, MOST_SECONDS, Backend, RunRequest, Way


@dataclass(frozen=True, slots=True)
class RunOptions:
    """How plans are run; `keep` keeps their answers for Results."""

    way: Way = "stream"
    backend: Backend = "kernels"
    keep: bool = True
    repeats: int = 1
    most_seconds: float = MOST_SECONDS
    most_disk_mb: float = MOST_DISK_MB
    pace: float | None = None
    master: str | None = None
    watch: bool = False


USUAL = RunOptions()
_FAILURE = "launch_error"


def launch(labels: Sequence[str], options: RunOptions = USUAL) -> None:
    """Start these plans, when a button is pressed. A mistake is kept for the page to show."""
    with controls.kept(_FAILURE):
        backend.start(_requests(labels, options))


def refusal(labels: Sequence[str], options: RunOptions = USUAL) -> SluiceError | None:
    """Why these plans cannot be run as asked, to be said before the button is pressed."""
    try:
        _requests(labels, options)
    except SluiceError as error:
        return error
    return None


def _requests(labels: Sequence[str], options: RunOptions) -> list[RunRequest]:
    from runtime.data.run_data import check_size
    from runtime.runs.masters import usual_shared
    from runtime.runs.records import repeated
    from runtime.runs.result_files import folder_for

    if not labels:
        raise PlanError("choose at least one", "Plans")
    chosen, workload = planning.subject()
    folder, sort = state.data()
    if folder is None:
        check_size(workload)
    counting = options.backend == "kernels"
    # Spark's own operators do not report changes of groups, which are part of the answer.
    keep = options.keep and view_of(chosen.name).keeps_answers and counting
    requests = [
        RunRequest(
            workload,
            chosen.name,
            label,
            options.way,
            data=folder,
            sort=sort,
            results=folder_for(workload, chosen.name, label) if keep else None,
            master=options.master,
            most_seconds=options.most_seconds,
            most_disk_mb=options.most_disk_mb,
            pace=options.pace,
            watch=options.watch,
            shared=usual_shared(options.master),
            steerable=counting
            and options.way == "stream"
            and workload.run.adapt is None
            and planning.changes(chosen.name, workload) is not None,
            backend=options.backend,
        )
        for label in dict.fromkeys(labels)
    ]
    return repeated(requests, options.repeats)


def failure() -> SluiceError | None:
    """Why the last start did not happen, if it did not."""
    return st.session_state.get(_FAILURE)
