"""Start the chosen plans as a job: what every run button does."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from pages.parts.families.registry import view_of
from pages.parts.shared import backend, planning, state
from planner.errors import SluiceError
from runtime.runs.records import Backend, Way


def launch(
    labels: Sequence[str],
    way: Way = "stream",
    keep: bool = True,
    repeats: int = 1,
    limits: tuple[float, float] | None = None,
    pace: float | None = None,
    master: str | None = None,
    operators: Backend = "kernels",
) -> None:
    """Start these plans, when a button is pressed. A mistake is kept for the page to show.

    `keep` keeps answers for Results. `limits` are the most seconds and megabytes of a run.
    """
    from runtime.data.run_data import check_size
    from runtime.runs.kept_answers import folder_for
    from runtime.runs.masters import usual_shared
    from runtime.runs.records import MOST_DISK_MB, MOST_SECONDS, RunRequest, repeated

    st.session_state.pop("launch_error", None)
    try:
        chosen, workload = planning.subject()
        folder, sort = state.data()
        if folder is None:
            check_size(workload)
        most_seconds, most_disk_mb = limits or (MOST_SECONDS, MOST_DISK_MB)
        view = view_of(chosen.name)
        # Spark's own operators do not report changes of groups, which are part of the answer.
        keep = keep and view.keeps_answers and operators == "kernels"
        requests = [
            RunRequest(
                workload,
                chosen.name,
                label,
                way,
                data=folder,
                sort=sort,
                results=folder_for(workload, chosen.name, label) if keep else None,
                master=master,
                most_seconds=most_seconds,
                most_disk_mb=most_disk_mb,
                pace=pace,
                shared=usual_shared(master),
                steerable=operators == "kernels"
                and way == "stream"
                and planning.changes(chosen.name, workload) is not None,
                backend=operators,
            )
            for label in dict.fromkeys(labels)
        ]
        backend.start(repeated(requests, repeats))
    except SluiceError as error:
        st.session_state["launch_error"] = error


def failure() -> SluiceError | None:
    """Why the last start did not happen, if it did not."""
    return st.session_state.get("launch_error")
