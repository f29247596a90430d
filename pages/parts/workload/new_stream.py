"""A form that adds a stream, and what a new workload still lacks."""

from __future__ import annotations

import streamlit as st

from pages.parts.shared import controls
from pages.parts.shared.formatting import plain
from pages.parts.workload import drafts
from planner.files.editing.new_stream import mistakes, with_stream

# Of name, rate, key, distinct keys and the button.
_WIDTHS = (3, 2, 3, 2, 2)
# How many streams the form has added: the next one starts with fresh fields.
_ADDED = "new-streams-added"


def show_form() -> None:
    """Name, rate and key of one more stream; what is wrong with them is below each, and they stay
    as they were typed."""
    count = st.session_state.get(_ADDED, 0)
    with st.form(f"new-stream-{count}", border=False):
        columns = st.columns(_WIDTHS, vertical_alignment="bottom")
        # With keys they stay what they are, and keep what is typed, when the example name changes.
        name = columns[0].text_input(
            placeholder=_next_name(), key=f"new-stream-name-{count}", **controls.field("new-name")
        )
        rate = columns[1].number_input(key=f"new-stream-rate-{count}", **controls.field("new-rate"))
        key = columns[2].text_input(key=f"new-stream-key-{count}", **controls.field("new-key"))
        distinct = columns[3].number_input(
            key=f"new-stream-distinct-{count}", **controls.field("new-distinct")
        )
        added = columns[4].form_submit_button("Add stream", icon=":material/add:", width="stretch")
    if not added:
        return
    typed = (name.strip() or _next_name(), rate, key, distinct)
    wrong = mistakes(drafts.parts(), *typed)
    for column, field in zip(
        st.columns(_WIDTHS), ("name", "rate", "key", "distinct"), strict=False
    ):
        if field in wrong:
            column.markdown(f":red[:material/error: {plain(wrong[field], 300)}]")
    if wrong:
        return
    with controls.shown():
        drafts.change(with_stream(drafts.parts(), *typed), "new-stream")
        st.session_state[_ADDED] = count + 1
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
