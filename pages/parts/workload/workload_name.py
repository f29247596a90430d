"""The name of the workload, under which its runs stand in the history and in reports."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from pages.parts import messages, samples, state
from pages.parts.workload import drafts


def show() -> None:
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
