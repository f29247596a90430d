"""The head of a page: its title, the open workload in one line, the objective, and Share."""

from __future__ import annotations

from functools import partial
from typing import Literal
from urllib.parse import urlencode

import streamlit as st

from pages.parts.shared import charts, controls, links, planning, routing, state, views
from pages.parts.shared.formatting import plain, score_head
from pages.parts.workload import drafts, own_data
from planner.errors import PlanError
from planner.plan.objective import Objective
from planner.workload.validation import exact
from planner.workload.workload import Workload

_PLACE = "place of share"
# Pages that follow what plans are ranked by.
_BY_OBJECTIVE = ("Plans", "What-if", "Run", "Results")
# Stands for all queries together; no query has this name.
_TOGETHER = ""
_JOINS = {"nested": "nested-loop join", "hash": "hash join"}
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
    if drafts.is_new():
        _show_new(title)
        return
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown(f"## {title}", width="content", anchors=False)
        st.markdown(f"**{plain(workload.name, 60)}** · {_about(workload)}", width="content")
        if len(workload.queries) > 1:
            _query_picker(workload)
        _family_picker()
        if title in _BY_OBJECTIVE:
            _objective_switch()
        reserve(title)
    if state.by_default():
        with st.container(horizontal=True, vertical_alignment="center"):
            st.info(
                "You have not opened a workload yet. This is the first sample.", width="stretch"
            )
            st.page_link("pages/start.py", label="Open another", icon=":material/home:")


class UnfinishedError(Exception):
    """A page has nothing to show yet, and says so. The router ends the page there."""


def _show_new(title: str) -> None:
    """The head where a new workload is being written, which other pages cannot show yet."""
    name = plain(str(drafts.parts().get("name")), 60)
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown(f"## {title}", width="content", anchors=False)
        st.markdown(f"**{name}** · not complete yet", width="content")
    if title == "Workload":
        return
    missing = "query" if drafts.parts().get("streams") else "stream"
    st.info(f"This workload has no {missing} yet.", icon=":material/lightbulb:")
    st.page_link("pages/workload.py", label=f"Add a {missing}", icon=":material/edit_note:")
    raise UnfinishedError


def _about(workload: Workload) -> str:
    folder, _ = state.data()
    join = workload.execution.join
    method = _JOINS[join] if isinstance(join, str) else "hash and nested-loop join"
    evaluate = workload.execution.evaluate
    if not isinstance(evaluate, str):
        method = f"{method} every {exact(evaluate.seconds)} s"
    if folder is None:
        return method
    source = "your files" if own_data.is_upload(folder) else f"data in {plain(folder.name)}"
    return f"{method} · {source}"


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


def _objective_switch() -> None:
    """What plans are ranked by: Work, Time, Memory, or what else the family has.

    Objectives of one kind share a place on the switch, and a picker beside it says which of them.
    """
    try:
        family, workload = planning.subject()
        known = planning.space(family.name, workload).objectives
    except PlanError:
        # The page itself says why there are no plans.
        return
    now = planning.objective(family.name, workload)
    kinds: dict[str, list[Objective]] = {}
    for by in known:
        kinds.setdefault(by.kind or by.title, []).append(by)
    kind = next(name for name, alike in kinds.items() if now in alike)
    key = f"objective-{family.name}-{now.name}"
    controls.segments(
        "Best by",
        kinds,
        f"{key}-kind",
        default=kind,
        hidden_label=True,
        help="; ".join(f"{name}: {_titles(alike)}" for name, alike in kinds.items()) + ".",
        width="content",
        on_change=_follow_kind,
        args=(f"{key}-kind", {name: alike[0].name for name, alike in kinds.items()}),
    )
    if len(kinds[kind]) > 1:
        names = {by.name: score_head(by) for by in kinds[kind]}
        st.selectbox(
            f"Which {kind.lower()}",
            list(names),
            index=list(names).index(now.name),
            format_func=names.__getitem__,
            key=f"{key}-which",
            label_visibility="collapsed",
            width=200,
            on_change=_follow,
            args=(f"{key}-which",),
        )


def _titles(alike: list[Objective]) -> str:
    return " or ".join(by.title[0].lower() + by.title[1:] for by in alike[:2]) + (
        " and others" if len(alike) > 2 else ""
    )


def _follow_kind(key: str, first: dict[str, str]) -> None:
    # While a run leads to its results, the box of the page that is left reports without a value.
    if (kind := st.session_state.get(key)) is not None:
        state.choose_objective(first[kind])


def _follow(key: str) -> None:
    if (name := st.session_state.get(key)) is not None:
        state.choose_objective(name)


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
        format_func=lambda name: name or _together(len(names)),
        label_visibility="collapsed",
        width=200,
    )
    if chosen != now:
        state.choose_query(chosen or None)
        st.rerun()
    if reason is not None:
        why = f"Queries are planned one by one: {plain(reason, 300)}."
        st.caption("planned one by one", help=why, width="content")


def _together(count: int) -> str:
    return "Both queries together" if count == 2 else f"All {count} queries together"
