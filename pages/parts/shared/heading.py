"""The head of a page: its name, and the workload it is about in one line."""

from __future__ import annotations

from functools import partial
from typing import Literal
from urllib.parse import urlencode

import streamlit as st

from pages.parts.shared import charts, links, planning, routing, state, views
from pages.parts.shared.formatting import counted, plain
from planner.workload.validation import exact
from planner.workload.workload import Workload

_PLACE = "place of share"
# A link that holds a whole workload is long: it is scrolled.
_LONG, _TALL = 400, 160


def reserve(title: str) -> None:
    """Keep the button's place in the head of this page."""
    st.session_state[_PLACE] = (st.empty(), title)


def show_share() -> None:
    """The button, and behind it the link and the file. To be called by the router, after the page:
    what is chosen on it in this very run belongs to its link."""
    if _PLACE not in st.session_state:
        return
    place, title = st.session_state.pop(_PLACE)
    with place.popover("Share", icon=":material/share:", type="tertiary"):
        link = links.query()
        if link is None:
            st.caption("This workload is too long for a link: take the file.")
        else:
            st.caption("A link to this page, with the workload and what is chosen in it.")
            url = f"{st.context.url or ''}?{urlencode(link)}"
            tall: int | Literal["content"] = _TALL if len(url) > _LONG else "content"
            st.code(url, language=None, wrap_lines=True, height=tall)
        name = charts.file_name(state.workload().name)
        # It is made by another thread, which knows no session: all that it needs is given to it.
        made = partial(
            views.to_file, routing.name_of(title), state.workload(), state.data(), views.chosen()
        )
        st.download_button(
            "View as a file",
            made,
            f"{name}-view.json",
            "application/json",
            icon=":material/download:",
            on_click="ignore",
            help="Open it again on the start page, here or elsewhere.",
        )


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
        reserve(title)
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
