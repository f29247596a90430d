"""Workload: edit streams, windows, queries and settings; own data; the file."""

import streamlit as st

from pages.parts.run import run_settings
from pages.parts.shared import controls, heading
from pages.parts.workload import (
    drafts,
    memory_settings,
    own_data,
    query_editors,
    stream_tables,
    workload_file_view,
)

heading.show("Workload")
workload_file_view.effect()
with st.container(horizontal=True, vertical_alignment="bottom"):
    section = controls.segments(
        "Part",
        ["Streams and queries", "Execution and run", "Own data", "File"],
        "workload-part",
        kept=True,
        hidden_label=True,
    )
    if section == "Streams and queries":
        workload_file_view.show_name()
if (problem := drafts.problem()) is not None:
    with st.container(horizontal=True, vertical_alignment="center"):
        st.warning(
            "Not saved: fix the error below. Other pages use the last valid workload.",
            width="stretch",
        )
        st.button("Discard changes", on_click=drafts.discard)
    if section != "Streams and queries" or not query_editors.points_at(problem):
        controls.show(problem, drafts.query_names())

if section == "Streams and queries":
    left, right = st.columns([3, 2], gap="medium")
    with left:
        st.markdown("**Queries**")
        query_editors.show_texts()
    with right:
        st.markdown("**Windows**")
        query_editors.show_windows()
    left, right = st.columns(2, gap="medium")
    with left:
        st.markdown("**Streams**")
        stream_tables.show_streams()
    with right:
        st.markdown("**Attributes**")
        with controls.shown():
            stream_tables.show_attributes()
        if drafts.parts().get("relations"):
            st.markdown("**Relations**")
            stream_tables.show_relations()
elif section == "Execution and run":
    st.markdown("**How windows are probed**")
    stream_tables.show_execution()
    st.markdown("**What a run covers**")
    run_settings.edit_span()
    st.markdown("**How much may be kept**")
    memory_settings.show()
elif section == "Own data":
    own_data.show()
else:
    workload_file_view.show()
workload_file_view.show_limits()
