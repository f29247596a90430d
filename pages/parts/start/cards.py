"""The cards of the start page: ways to begin, sample workloads, recent runs, the tour."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal

import streamlit as st

from pages.parts.shared import backend, controls, samples, state, views
from pages.parts.shared.formatting import counted, error_text, moment, plain
from pages.parts.shared.samples import SampleWorkload
from pages.parts.start import workload_picture
from pages.parts.workload import drafts, dropped_files
from planner.families.registry import plan_title
from runtime.runs.history import gone_runs
from runtime.runs.run_summary import RunFilter, RunSummary

if TYPE_CHECKING:
    from streamlit.runtime.uploaded_file_manager import UploadedFile

# Cards side by side.
A_ROW = 3


def begin() -> list[UploadedFile]:
    """Three ways to begin; returns the files that were dropped."""
    left, middle, right = st.columns([2, 3, 3])
    with left.container(border=True, height="stretch"):
        st.markdown("**New workload**")
        with st.container(height="stretch"):
            st.caption("Describe streams and write a query. Sluice generates the data.")
        if st.button("New workload", icon=":material/add:", type="primary", width="stretch"):
            drafts.begin()
            st.switch_page("pages/workload.py")
    with middle.container(border=True, height="stretch"):
        st.markdown("**Your data**: drop two or more files and get a query")
        files = dropped_files.pick("CSV, TSV, JSON lines or Parquet", "dropped-on-start")
    with right.container(border=True, height="stretch"):
        st.markdown("**Open a workload**, or a view that was saved")
        views.open_workload_file()
    return files


def show_files(files: Sequence[UploadedFile]) -> None:
    """What the dropped files hold, in place of the samples."""
    dropped_files.review(files)


def row(subjects: Mapping[str, Sequence[SampleWorkload]], primary: bool = False) -> None:
    """Cards side by side under their subjects."""
    columns = iter(st.columns(A_ROW))
    for subject, shown in subjects.items():
        for place, card in enumerate(shown):
            with next(columns):
                if subject:
                    # Cards of a subject begin at the same height.
                    st.markdown(f"##### {subject if place == 0 else '&nbsp;'}", anchors=False)
                with st.container(border=True, height="stretch"):
                    sample(card, primary and place == 0)


def sample(shown: SampleWorkload, primary: bool = False) -> None:
    """Picture, name and description; the button opens the workload and its plans."""
    workload = shown.workload
    names = ", ".join(stream.name for stream in workload.streams)
    into = "aggregation" if workload.queries[0].aggregates else "join"
    if len(workload.queries) > 1:
        into = f"{into} for {len(workload.queries)} queries"
    st.image(
        workload_picture.card(workload), width="stretch", alt=f"Streams {names} and their {into}"
    )
    st.markdown(f"**{plain(workload.name)}**")
    with st.container(height="stretch"):
        st.caption(plain(workload.description, 300))
    kind: Literal["primary", "secondary"] = "primary" if primary else "secondary"
    if st.button(
        "Open",
        key=f"open-{shown.id}",
        type=kind,
        width="stretch",
        # As a callback: who clicks another page at once has opened it, too.
        on_click=state.open_workload,
        args=(workload, shown.data),
    ):
        st.switch_page("pages/plans.py")


def tour() -> None:
    """What to do, in one minute."""
    st.markdown("**One minute with Sluice**")
    steps = samples.start_page()["tour"].items()
    for number, (column, (page, text)) in enumerate(zip(st.columns(5), steps, strict=True), 1):
        column.markdown(f"{number}. **{page}** {text}")


# So many runs are read; the newest run of so many workloads is shown.
_MOST_READ, MOST_SHOWN = 30, 3


def show() -> None:
    """A note on interrupted runs, and recent runs with links to their results."""
    history = backend.history()
    if not history.file.exists():
        return
    with controls.shown():
        gone = gone_runs(history)
        recent = backend.summaries(RunFilter(), _MOST_READ)
        if not recent:
            return
        with st.container(border=True, gap="xxsmall"):
            _interrupted(gone)
            for run in _of_each(recent)[:MOST_SHOWN]:
                _row(run)


def _of_each(runs: Sequence[RunSummary]) -> list[RunSummary]:
    """The newest run of each workload."""
    found: dict[str, RunSummary] = {}
    for run in runs:
        found.setdefault(run.workload_digest, run)
    return list(found.values())


def _interrupted(count: int) -> None:
    if not count:
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        interrupted = counted(count, "run was", "runs were")
        st.markdown(f":material/bolt: {interrupted} interrupted.", width="content")
        st.page_link("pages/run.py", label="Resume or discard", icon=":material/play_circle:")


def _row(run: RunSummary) -> None:
    parts = [plain(plan_title(run.family, run.label)), run.status, moment(run.started)]
    if run.measured is not None:
        parts.append(f"q-error {error_text(run.predicted, run.measured)}")
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(
            f":material/history: Recent: **{plain(run.workload, 60)}** · {' · '.join(parts)}",
            width="content",
        )
        if run.status == "running":
            st.page_link("pages/run.py", label="Watch it", icon=":material/play_circle:")
        elif st.button("See the results", key=f"recent-{run.id}", type="tertiary"):
            request = backend.history().get(run.id).request
            state.open_workload(request.as_run, request.data, request.sort)
            state.choose_family(run.family)
            st.switch_page("pages/results.py")
