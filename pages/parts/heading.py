"""The head of a page: its name, and the workload it is about in one line."""

from __future__ import annotations

import streamlit as st

from pages.parts import planning, routing, sharing, state
from pages.parts.words import counted, plain
from planner.checks import exact
from planner.workload import Workload

# No query has this name.
_TOGETHER = ""


def show(title: str) -> None:
    """The page's title, the workload in force, and a picker where it has several queries."""
    routing.ensure()
    workload = state.workload()
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        st.markdown(f"## {title}", width="content", anchors=False)
        st.markdown(f"**{plain(workload.name, 60)}** · {_about(workload)}", width="content")
        if len(workload.queries) > 1:
            _query_picker(workload)
        sharing.reserve(title)
    if state.by_default():
        with st.container(horizontal=True, vertical_alignment="center"):
            st.info("You have opened nothing yet: this is the first sample.", width="stretch")
            st.page_link("pages/start.py", label="Open another", icon=":material/home:")


def _about(workload: Workload) -> str:
    folder, _ = state.data()
    source = f"own data in {plain(folder.name)}" if folder is not None else "generated data"
    join = workload.execution.join
    method = f"{join} join" if isinstance(join, str) else "hybrid join"
    evaluate = workload.execution.evaluate
    if not isinstance(evaluate, str):
        method = f"{method} every {exact(evaluate.seconds)} s"
    return " · ".join([counted(len(workload.streams), "stream"), method, source])


def _query_picker(workload: Workload) -> None:
    """One query, or all together where they can share."""
    reason = planning.apart()
    names = [query.name for query in workload.queries]
    options = names if reason is not None else [_TOGETHER, *names]
    now = planning.query_name() or _TOGETHER
    chosen = st.selectbox(
        "Query",
        options,
        index=options.index(now),
        format_func=lambda name: name or f"All {len(names)} queries together",
        label_visibility="collapsed",
    )
    if chosen != now:
        state.choose_query(chosen or None)
        st.rerun()
    if reason is not None:
        st.caption(f"Planned one by one: {plain(reason, 300)}.")
