"""Changes made to a run in progress: queries are added, removed or edited, the plan switches."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

import streamlit as st

from pages.parts.families.registry import view_of
from pages.parts.run import change_editor
from pages.parts.run.change_editor import action
from pages.parts.shared import backend, controls, planning, state
from pages.parts.shared.formatting import plain
from pages.parts.workload import drafts
from planner.families.registry import family
from planner.files.query.text import parse_query
from planner.workload.execution import Change
from planner.workload.streams import catalogue
from planner.workload.workload import Workload
from runtime.runs.records import RunRequest

if TYPE_CHECKING:
    from runtime.backends.live_changes import Steering, Wish
    from runtime.control.job_entry import JobEntry
    from runtime.control.jobs import Job

ADD, REMOVE, CHANGE, SWITCH = "Add a query", "Remove a query", "Change a query", "Switch the plan"
_PROBLEM = "steering_problem"
_SHOWN = "steering_shown"


def notice(job: Job) -> None:
    """Draw the page again when the form for changes has to appear or disappear."""
    entry = job.running
    number = job.entries.index(entry) if entry is not None and entry.steering.open else None
    if st.session_state.get(_SHOWN) != (job.id, number):
        st.session_state[_SHOWN] = (job.id, number)
        st.session_state.pop(_PROBLEM, None)
        st.rerun()


def asked(entry: JobEntry) -> RunRequest | None:
    """The request of a run, with the changes that were made while it ran."""
    current = entry.steering.current
    return entry.asked if current is None else current[0]


def adopt(job: Job) -> None:
    """Put the changes that were made to a run into the open workload.

    Its answers are those of the workload with these changes, so other plans can be compared with
    it. This is done once: a user may take the changes out again.
    """
    adopted = st.session_state.setdefault("adopted", set())
    if job.id in adopted:
        return
    adopted.add(job.id)
    for entry in reversed(job.entries):
        request = asked(entry)
        if request is not None and request.steered:
            if request.workload.digest == state.workload().digest:
                drafts.set_run(request.as_run.run)
                st.toast(
                    "Your changes are now part of the workload. Run other plans to compare.",
                    icon=":material/sync_alt:",
                    duration="long",
                )
            return


@st.fragment
def form(job_id: str) -> None:
    """A form for a change, which takes effect after the current micro-batch."""
    job = backend.runner().job(job_id)
    entry = job.running if job is not None else None
    if entry is None or not entry.steering.open:
        return
    workload = entry.steering.soon()
    with st.container(border=True):
        kind = controls.segments(
            "Change the run",
            [ADD, REMOVE, CHANGE, SWITCH],
            "steer-what",
            help="Takes effect when the current micro-batch is done.",
        )
        names = [query.name for query in workload.queries]
        if kind == ADD:
            _add(entry.steering, workload)
        elif kind == REMOVE:
            gone = st.selectbox("Query", names, key="steer-remove")
            _button("Remove it now", entry.steering, [Change(0, remove=gone)])
        elif kind == CHANGE:
            _change(entry.steering, workload, names)
        else:
            chosen = family(entry.asked.family) if entry.asked else planning.subject()[0]
            plans = planning.switch_targets(chosen, workload)
            label = st.selectbox(
                "Plan",
                plans,
                format_func=partial(planning.title, chosen.name, workload=workload),
                key="steer-plan",
            )
            _button("Switch now", entry.steering, [Change(0, plan=label)])
        controls.show_kept(_PROBLEM)


def _add(steering: Steering, workload: Workload) -> None:
    usual = drafts.unused_name([query.name for query in workload.queries])
    left, right = st.columns([1, 4])
    name = left.text_input("Name", value=usual, key=f"steer-name-{usual}")
    text = right.text_area("Query", value=workload.queries[-1].text, key=f"steer-add-{usual}")
    left.button(
        "Add it now", icon=":material/add:", on_click=_ask_text, args=(steering, name, text, False)
    )


def _change(steering: Steering, workload: Workload, names: list[str]) -> None:
    left, right = st.columns([1, 4])
    name = left.selectbox("Query", names, key="steer-change")
    text = right.text_area(
        "New text of the query",
        value=workload.query(name).text,
        key=f"steer-text-{name}",
        help="The query is removed and added again: it then joins only tuples that arrive later.",
    )
    left.button(
        "Change it now",
        icon=":material/edit:",
        on_click=_ask_text,
        args=(steering, name, text, True),
    )


def _button(label: str, steering: Steering, changes: Sequence[Change]) -> None:
    st.button(label, icon=":material/sync_alt:", on_click=_ask, args=(steering, changes))


def _ask_text(steering: Steering, name: str, text: str, instead: bool) -> None:
    """Add a query, or replace the one with its name."""
    with controls.kept(_PROBLEM):
        workload = steering.soon()
        relations = [relation.name for relation in workload.relations]
        known = catalogue([*workload.streams, *workload.relations])
        query = parse_query(text, name, relations, known)
        leaving = [Change(0, remove=name)] if instead else []
        steering.ask([*leaving, Change(0, add=query)])


def _ask(steering: Steering, changes: Sequence[Change]) -> None:
    with controls.kept(_PROBLEM):
        steering.ask(changes)


def show(entry: JobEntry, request: RunRequest) -> None:
    """The changes that were made, wait or were refused, and the plan as it runs now."""
    from runtime.data.run_data import run_seconds

    workload = entry.workload or request.workload
    if not (request.steerable or workload.run.changes):
        return
    reached = entry.progress.reached
    stages = change_editor.stages_of_run(request.family, workload, request.label)
    for wish in entry.steering.wishes:
        if wish.answer != "made":
            _pending(wish)
    if len(stages) > 1:
        st.caption(f":material/sync_alt: {change_editor.stage_text(stages, reached)}")
        change_editor.show_stages(stages, run_seconds(request.workload), reached)
    if request.steerable:
        now = [stage for stage in stages if stage.at is None or stage.at / 1e6 <= reached][-1]
        view_of(request.family).running(now.workload, now.plan.label)


def _pending(wish: Wish) -> None:
    asked = plain("; ".join(map(action, wish.changes)), 300)
    if wish.answer == "waiting":
        st.caption(f":material/hourglass_empty: {asked}: after the current micro-batch")
    else:
        st.warning(f"{asked}: not possible. {plain(wish.why, 400)}")
