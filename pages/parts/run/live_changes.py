"""A run changed while it goes on: queries enter, leave or change, and the plan switches."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import streamlit as st

from pages.parts.families.sliced_chain import chain_figures, chain_text, chain_view
from pages.parts.run import stage_table
from pages.parts.run.change_editor import what
from pages.parts.shared import backend, charts, messages, planning, state
from pages.parts.shared.formatting import plain, plan_name
from pages.parts.workload import drafts
from planner.errors import PlanError, RunError
from planner.families.sliced_chain import SlicedChain
from planner.families.sliced_chain.labels import CPU_OPT, MEM_OPT
from planner.files.query.text import parse_query
from planner.workload.execution import Change
from planner.workload.query import Query
from planner.workload.streams import catalogue
from planner.workload.workload import Workload

if TYPE_CHECKING:
    from runtime.backends.live_changes import Steering, Wish
    from runtime.control.jobs import Entry, Job
    from runtime.runs.records import RunRequest

ADD, REMOVE, CHANGE, SWITCH = "Add a query", "Remove a query", "Change a query", "Switch the plan"
_PROBLEM = "steering_problem"
_SHOWN = "steering_shown"


def notice(job: Job) -> None:
    """Let the page show or hide the form when the run that goes on can be changed, or no more."""
    entry = job.running
    number = job.entries.index(entry) if entry is not None and entry.steering.open else None
    if st.session_state.get(_SHOWN) != (job.id, number):
        st.session_state[_SHOWN] = (job.id, number)
        st.session_state.pop(_PROBLEM, None)
        st.rerun()


def asked(entry: Entry) -> RunRequest | None:
    """What was asked of a run, with the changes that were made while it went on."""
    current = entry.steering.current
    return entry.asked if current is None else current[0]


def adopt(job: Job) -> None:
    """Put the changes of a run that was changed into the workload in force.

    Its answers are those of the workload with them; other plans can then be compared with it. Once:
    whoever takes the changes out again has them out.
    """
    if st.session_state.get("adopted") == job.id:
        return
    st.session_state["adopted"] = job.id
    for entry in reversed(job.entries):
        request = asked(entry)
        if request is not None and request.steered:
            if request.workload.digest == state.workload().digest:
                drafts.set_run(request.as_run.run)
                st.toast(
                    "The changes that you made are part of the workload now: run other plans with "
                    "them to compare.",
                    icon=":material/sync_alt:",
                    duration="long",
                )
            return


@st.fragment
def form(job_id: str) -> None:
    """What to change now; it takes effect when the micro-batch that runs is done."""
    job = backend.runner().job(job_id)
    entry = job.running if job is not None else None
    if entry is None or not entry.steering.open:
        return
    workload = entry.steering.soon()
    with st.container(border=True):
        kind = st.segmented_control(
            "Change it while it runs",
            [ADD, REMOVE, CHANGE, SWITCH],
            default=ADD,
            required=True,
            key="steer-what",
            help="It takes effect when the micro-batch that runs is done.",
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
            label = st.selectbox("Plan", _labels(workload), format_func=plan_name, key="steer-plan")
            _button("Switch now", entry.steering, [Change(0, plan=label)])
        if _PROBLEM in st.session_state:
            messages.show(st.session_state[_PROBLEM])


def _labels(workload: Workload) -> list[str]:
    ranking = planning.ranking(SlicedChain(), workload)
    return list(dict.fromkeys([CPU_OPT, MEM_OPT, *(c.label for c in ranking.candidates)]))


def _add(steering: Steering, workload: Workload) -> None:
    names = {query.name for query in workload.queries}
    usual = next(f"Q{n}" for n in range(1, len(names) + 2) if f"Q{n}" not in names)
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
        "Its window and filters from now on",
        value=workload.query(name).text,
        key=f"steer-text-{name}",
        help="It leaves and enters again: what it returns is made of tuples that come from now on.",
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
    """A query enters, or takes the place of the one that has its name."""
    st.session_state.pop(_PROBLEM, None)
    try:
        query = _parsed(steering.soon(), name, text)
        leaving = [Change(0, remove=name)] if instead else []
        steering.ask([*leaving, Change(0, add=query)])
    except (PlanError, RunError) as error:
        st.session_state[_PROBLEM] = error


def _parsed(workload: Workload, name: str, text: str) -> Query:
    relations = [relation.name for relation in workload.relations]
    known = catalogue([*workload.streams, *workload.relations])
    return parse_query(text, name, relations, known)


def _ask(steering: Steering, changes: Sequence[Change]) -> None:
    st.session_state.pop(_PROBLEM, None)
    try:
        steering.ask(changes)
    except (PlanError, RunError) as error:
        st.session_state[_PROBLEM] = error


def show(entry: Entry, request: RunRequest) -> None:
    """What has changed when, what waits or was refused, and the joins as they are now."""
    from runtime.data.run_data import run_seconds

    workload = entry.workload or request.workload
    if not (request.steerable or workload.run.changes):
        return
    reached = entry.progress.reached
    stages = stage_table.stages_of_run(request.family, workload, request.label)
    for wish in entry.steering.wishes:
        if wish.answer != "made":
            _told(wish)
    if len(stages) > 1:
        st.caption(f":material/sync_alt: {stage_table.in_words(stages, reached)}")
        stage_table.show(stages, run_seconds(request.workload), reached)
    if request.steerable:
        now = [stage for stage in stages if stage.at is None or stage.at / 1e6 <= reached][-1]
        for number, picture in enumerate(chain_view.pictures(now.workload, now.plan.label)):
            charts.show(
                chain_figures.drawn(picture, plan_name(now.plan.label)),
                alt=chain_text.in_words(picture),
                key=f"steered-chain-{number}",
            )


def _told(wish: Wish) -> None:
    asked = "; ".join(map(what, wish.changes))
    if wish.answer == "waiting":
        st.caption(f":material/hourglass_empty: {plain(asked, 300)}: when this micro-batch is done")
    else:
        st.warning(f"{plain(asked, 300)} was not done: {plain(wish.why, 400)}")
