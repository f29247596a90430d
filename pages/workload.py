"""Workload: edit streams, windows, queries and settings; own data; the file."""

import streamlit as st

from pages.parts.run import run_settings
from pages.parts.shared import controls, heading
from pages.parts.workload import (
    drafts,
    dropped_files,
    memory_settings,
    new_stream,
    own_data,
    query_editors,
    stream_tables,
    workload_file_view,
)

heading.show("Workload")
section = "Streams and queries"
# In a box of their own: a message that comes or goes does not move what is typed into below.
with st.container():
    if drafts.is_new():
        new_stream.show_lacking()
    else:
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
    workload_file_view.show_unsaved()

if section == "Streams and queries":
    streams = drafts.parts().get("streams")
    if drafts.is_new():
        new_stream.show_form()
    if streams:
        left, right = st.columns([3, 2], gap="medium")
        with left:
            st.markdown("**Queries**")
            query_editors.show_texts()
        with right:
            if not drafts.is_new():
                st.markdown("**Windows**")
                query_editors.show_windows()
        left, right = st.columns(2, gap="medium")
        with left:
            st.markdown("**Streams**")
            stream_tables.show_streams()
            drafts.show_problems("streams")
        with right:
            st.markdown("**Attributes**")
            with controls.shown():
                stream_tables.show_attributes()
            drafts.show_problems("attributes")
            if drafts.parts().get("relations"):
                st.markdown("**Relations**")
                stream_tables.show_relations()
                drafts.show_problems("relations")
        if not drafts.is_new():
            with st.expander("Add a stream", icon=":material/add:"):
                new_stream.show_form()
elif section == "Execution and run":
    st.markdown("**How windows are probed**")
    stream_tables.show_execution()
    drafts.show_problems("execution")
    st.markdown("**What a run covers**")
    run_settings.edit_span()
    st.markdown("**How much may be kept**")
    memory_settings.show()
elif section == "Own data":
    dropped = dropped_files.pick("Drop files: CSV, TSV, JSON lines or Parquet", "dropped-here")
    if dropped:
        dropped_files.review(dropped, own_data.sources())
    own_data.show()
else:
    workload_file_view.show()
workload_file_view.show_limits()
