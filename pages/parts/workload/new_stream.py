"""A form that adds a stream, and what a new workload still lacks."""

from __future__ import annotations

import streamlit as st

from pages.parts.shared import controls
from pages.parts.shared.formatting import plain
from pages.parts.workload import drafts
from planner.files.editing.new_stream import with_stream


def show_form() -> None:
    """Name, rate and key of one more stream."""
    with st.form("new-stream", clear_on_submit=True, border=False):
        columns = st.columns([3, 2, 3, 2, 2], vertical_alignment="bottom")
        # With keys they stay what they are, and keep what is typed, when the example name changes.
        name = columns[0].text_input(
            placeholder=_next_name(), key="new-stream-name", **controls.field("new-name")
        )
        rate = columns[1].number_input(key="new-stream-rate", **controls.field("new-rate"))
        key = columns[2].text_input(key="new-stream-key", **controls.field("new-key"))
        distinct = columns[3].number_input(
            key="new-stream-distinct", **controls.field("new-distinct")
        )
        added = columns[4].form_submit_button("Add stream", icon=":material/add:", width="stretch")
    if not added:
        return
    with controls.shown():
        drafts.change(
            with_stream(drafts.parts(), name.strip() or _next_name(), rate, key, distinct),
            "new-stream",
        )
        st.rerun()


def _next_name() -> str:
    names = {part.get("name") for part in drafts.parts().get("streams", [])}
    return next(f"S{n}" for n in range(1, len(names) + 2) if f"S{n}" not in names)


def show_lacking() -> None:
    """What to do next in a new workload."""
    streams = drafts.parts().get("streams", [])
    step = {
        0: "Add a stream: its name, how many tuples arrive per second, and the attribute it is "
        "joined on.",
        1: f"Add a second stream to join {plain(str(streams[0].get('name')))} with. Sluice then "
        "writes a first query, which you can change."
        if streams
        else "",
    }.get(len(streams), "Fix what is marked below, or write a query.")
    st.info(step, icon=":material/lightbulb:")
