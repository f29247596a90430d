"""The workload as a file: to read, edit, download or open; and its limits and name."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from pages.parts.run import run_settings
from pages.parts.shared import controls, planning, samples, state, views
from pages.parts.shared.formatting import counted, plain
from pages.parts.workload import drafts
from planner.errors import PlanError
from planner.families.protocol import MOST_CANDIDATES
from planner.files.editing.workload_problems import part_of
from planner.files.workload_file import dump_workload, load_workload
from planner.workload.validation import MAX_QUERIES, MAX_RATE, MAX_STREAMS

# Parts of the form that show their own mistakes.
_BESIDE = ("streams", "attributes", "relations", "queries")


def show() -> None:
    """The YAML in a box. Text with a mistake stays there; valid text is saved."""
    if drafts.problems():
        st.caption("This is the last valid workload, without your unsaved changes.")
    saved = dump_workload(state.workload())
    texts = state.drafts()
    typed = st.text_area("Workload file (YAML)", texts.get("file", saved), height=420)
    if typed is not None and typed != saved:
        try:
            workload = load_workload(typed, "file")
        except PlanError as error:
            texts["file"] = typed
            controls.show(error)
        else:
            texts.pop("file", None)
            if samples.own_name(workload) != state.workload():
                drafts.discard()
                state.edit(workload)
                st.rerun()
    else:
        texts.pop("file", None)
    controls.download("Download the file", saved, "workload.yaml")
    views.open_workload_file()


def show_unsaved() -> None:
    """How many mistakes keep the draft from being saved, and what other pages show meanwhile."""
    problems = drafts.problems()
    if not problems:
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        if drafts.is_new():
            opened = plain(state.workload().name, 60)
            st.button(f"Back to {opened}", icon=":material/undo:", on_click=drafts.discard)
        else:
            errors = counted(len(problems), "error")
            shown = plain(state.workload().name, 60)
            st.warning(
                f"Not saved: fix {errors}. Other pages show **{shown}** as it was before.",
                width="stretch",
            )
            st.button("Discard changes", on_click=drafts.discard)
    for error in problems:
        if part_of(error).partition("[")[0] not in _BESIDE and not drafts.is_new():
            drafts.show(error)


def effect() -> None:
    """The best plan of the workload, so that every edit shows its effect."""
    if drafts.problems():
        return
    try:
        chosen, workload = planning.subject()
        answer, _ = planning.explained(chosen.name, workload)
    except PlanError as error:
        st.info(plain(str(error), 600), icon=":material/info:")
        return
    st.success(plain(answer, 800), icon=":material/account_tree:")
    for warning in run_settings.warnings(workload):
        st.warning(plain(warning, 400), icon=":material/warning:")


def show_limits() -> None:
    """The limits, in one line."""
    upload = st.get_option("server.maxUploadSize")
    st.caption(
        f"Limits: {MAX_STREAMS} sources per query, {MAX_QUERIES:,} queries, {MAX_RATE:,.0f} "
        f"tuples/s per stream, {MOST_CANDIDATES:,} plans listed, {upload} MB per upload, one job "
        "at a time."
    )


def show_name() -> None:
    """A box to rename the workload."""
    workload = state.workload()
    typed = st.text_input(
        "Name of the workload", workload.name, placeholder="a name", width=320
    ).strip()
    with controls.shown():
        named = replace(workload, name=typed or workload.name)
        # A changed sample does not get the sample's name again.
        if samples.own_name(named).name != workload.name:
            drafts.set_name(named.name)
            st.rerun()
