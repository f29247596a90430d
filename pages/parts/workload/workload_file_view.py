"""The workload as its file: to read, edit, take away or bring along."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from pages.parts.run import run_settings
from pages.parts.shared import messages, planning, samples, state
from pages.parts.shared.formatting import plain
from pages.parts.start import file_opener
from pages.parts.workload import drafts
from planner.errors import PlanError
from planner.families.protocol import MOST_CANDIDATES
from planner.files.workload_file import dump_workload, load_workload
from planner.workload.validation import MAX_QUERIES, MAX_RATE, MAX_STREAMS


def show() -> None:
    """The YAML in a box. What is typed stays in it; what is valid comes into force."""
    if drafts.problem() is not None:
        st.caption("The draft has a mistake: this is the workload in force.")
    in_force = dump_workload(state.workload())
    texts = state.drafts()
    typed = st.text_area("Workload file (YAML)", texts.get("file", in_force), height=420)
    if typed is not None and typed != in_force:
        try:
            workload = load_workload(typed, "file")
        except PlanError as error:
            texts["file"] = typed
            messages.show(error)
        else:
            texts.pop("file", None)
            if samples.own_name(workload) != state.workload():
                drafts.discard()
                state.edit(workload)
                st.rerun()
    else:
        texts.pop("file", None)
    st.download_button(
        "Download the file",
        in_force,
        "workload.yaml",
        "application/yaml",
        icon=":material/download:",
        on_click="ignore",
    )
    file_opener.open_workload_file()


def effect() -> None:
    """The answer for the workload in force, so that every edit shows what it does to the plans."""
    try:
        chosen, workload = planning.subject()
        answer, _ = planning.told(chosen.name, workload)
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
        f"Limits: {MAX_STREAMS} sources a query, {MAX_QUERIES:,} queries, {MAX_RATE:,.0f} tuples/s "
        f"a stream, {MOST_CANDIDATES:,} plans listed, {upload} MB an upload, one job "
        "at a time."
    )


def show_name() -> None:
    """The name in a box; what is typed into it becomes the name."""
    workload = state.workload()
    typed = st.text_input(
        "Name of the workload", workload.name, placeholder="a name", width=320
    ).strip()
    with messages.shown():
        named = replace(workload, name=typed or workload.name)
        # A changed sample does not get the sample's name again.
        if samples.own_name(named).name != workload.name:
            drafts.set_name(named.name)
            st.rerun()
