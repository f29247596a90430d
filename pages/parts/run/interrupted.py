"""Interrupted runs: shown first, to be resumed or discarded."""

from __future__ import annotations

import streamlit as st

from pages.parts.shared import backend, controls, planning
from pages.parts.shared.formatting import moment, plain, seconds_text
from planner.families.registry import plan_title
from runtime.runs.records import Run

MOST_SHOWN = 3


def show() -> None:
    """The interrupted runs, newest first, with buttons."""
    lost = backend.interrupted_runs()
    if not lost:
        return
    with st.container(border=True):
        st.markdown(":material/bolt: **Interrupted runs**")
        for run in lost[:MOST_SHOWN]:
            _row(run)
        if len(lost) > MOST_SHOWN:
            st.caption(f"And {len(lost) - MOST_SHOWN} more: see the history under Results.")
        if (failed := st.session_state.get("discard_error")) is not None:
            st.error(plain(str(failed), 400), icon=":material/error:")


def _row(run: Run) -> None:
    from runtime.control.resume import why_not_resumed

    reason = why_not_resumed(run)
    name = plan_title(run.plan.family, run.plan.label, run.workload)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(
            f"**{plain(run.workload.name, 60)}** · {plain(name)} · "
            f"{plain(moment(run.started))} · {plain(_how_it_ended(run), 300)}"
            + (f" This run {plain(reason, 200)}." if reason else ""),
            width="stretch",
        )
        if reason is None:
            st.button(
                "Resume",
                icon=":material/resume:",
                on_click=_resume,
                args=(run,),
                key=f"resume-{run.id}",
                help="Continues after the last complete micro-batch, with the same answer.",
            )
        st.button(
            "Discard",
            icon=":material/delete:",
            on_click=_discard,
            args=(run.id,),
            key=f"discard-{run.id}",
            help="Deletes its record and its files.",
        )


def _how_it_ended(run: Run) -> str:
    reached = run.measurement.reached if run.measurement else None
    far = f", after {seconds_text(reached)} of stream time" if reached else ""
    return f"{run.status}: {run.error or 'the reason is unknown'}{far}."


def _resume(run: Run) -> None:
    backend.resume(run)
    if run.request.workload.digest != planning.subject()[1].digest:
        # Results shows the open workload, which is not that of this run.
        backend.arrived()


def _discard(run_id: str) -> None:
    with controls.kept("discard_error"):
        backend.discard(run_id)
