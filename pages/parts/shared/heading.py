"""The head of a page: its title, the open workload in one line, and the Share button."""

from __future__ import annotations

from functools import partial
from typing import Literal
from urllib.parse import urlencode

import streamlit as st

from pages.parts.shared import charts, controls, links, planning, routing, state, views
from pages.parts.shared.formatting import counted, plain
from planner.workload.validation import exact
from planner.workload.workload import Workload

_PLACE = "place of share"
# Stands for all queries together; no query has this name.
_TOGETHER = ""
# A longer link is shown in a box that scrolls.
_LONG, _TALL = 400, 160


def reserve(title: str) -> None:
    """Reserve the place of the Share button in the head of this page."""
    st.session_state[_PLACE] = (st.empty(), title)


def show_share() -> None:
    """The Share button with the link and the file. The router calls it after the page, whose
    choices are then known."""
    if _PLACE not in st.session_state:
        return
    place, title = st.session_state.pop(_PLACE)
    with place.popover("Share", icon=":material/share:", type="tertiary"):
        link = links.query()
        if link is None:
            st.caption("This workload is too long for a link. Download the file instead.")
        else:
            st.caption("A link to this page with the workload and your choices.")
            url = f"{st.context.url or ''}?{urlencode(link)}"
            tall: int | Literal["content"] = _TALL if len(url) > _LONG else "content"
            st.code(url, language=None, wrap_lines=True, height=tall)
        name = charts.file_name(state.workload().name)
        # Made by another thread, which has no session: all that it needs is passed to it.
        made = partial(
            views.to_file, routing.name_of(title), state.workload(), state.data(), views.chosen()
        )
        about = "Open it on the start page, on this or another machine."
        controls.download("View as a file", made, f"{name}-view.json", help=about)


def show(title: str) -> None:
    """The title, the open workload, and a picker where it has several queries."""
    routing.ensure()
    workload = state.workload()
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        st.markdown(f"## {title}", width="content", anchors=False)
        st.markdown(f"**{plain(workload.name, 60)}** · {_about(workload)}", width="content")
        if len(workload.queries) > 1:
            _query_picker(workload)
        _family_picker()
        reserve(title)
    if state.by_default():
        with st.container(horizontal=True, vertical_alignment="center"):
            st.info(
                "You have not opened a workload yet. This is the first sample.", width="stretch"
            )
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


def _family_picker() -> None:
    """What kind of plans are shown, where there are several."""
    known = {found.name: found for found in planning.families()}
    if len(known) < 2:
        return
    now = planning.subject()[0].name
    ranked = "; ".join(
        f"{_in_words(name)}: ranked by {found.objective.title.lower()}"
        for name, found in known.items()
    )
    chosen = controls.segments(
        "Kind of plans",
        known,
        f"family-{now}",
        default=now,
        hidden_label=True,
        format_func=_in_words,
        help=f"{ranked}.",
        width="content",
    )
    if chosen != now:
        state.choose_family(chosen)
        st.rerun()


def _in_words(name: str) -> str:
    return name.replace("_", " ").capitalize()


def _query_picker(workload: Workload) -> None:
    """A picker for one query, or for all together where they can be planned so."""
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
        st.caption(f"Queries are planned one by one: {plain(reason, 300)}.")
