"""The workload as its file: to read, edit, take away or bring along."""

from __future__ import annotations

import streamlit as st

from pages.parts import messages, opening, samples, state
from pages.parts.workload import drafts
from planner.errors import PlanError
from planner.workload_file import dump_workload, load_workload


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
    opening.open_workload_file()
