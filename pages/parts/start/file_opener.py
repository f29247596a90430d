"""A file to open from the user's browser: a workload, or a view of one."""

from __future__ import annotations

import streamlit as st

from pages.parts.shared import messages, state, views
from planner.files.workload_file import load_workload


def open_workload_file() -> None:
    """Open an uploaded workload and lead to its plans, or a view; a mistake is shown in place."""
    file = st.file_uploader("A workload as YAML or JSON, or a view", type=["yaml", "yml", "json"])
    if file is None or st.session_state.get("opened_file") == file.file_id:
        return
    with messages.shown():
        page = _opened(file.getvalue(), file.name)
        # The file stays in its box: without this, coming back would open it again.
        st.session_state["opened_file"] = file.file_id
        st.switch_page(f"pages/{page}.py")


def _opened(content: bytes, name: str) -> str:
    """Open the workload or the view that a file holds; the page to go to."""
    if views.is_view(content):
        return views.open_file(content, name)
    state.open_workload(load_workload(content, name))
    return "plans"
