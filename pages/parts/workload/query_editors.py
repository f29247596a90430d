"""Queries as text and their windows as a table, both over the draft."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd
import streamlit as st

from pages.parts.shared import controls, state
from pages.parts.shared.formatting import counted, plain
from pages.parts.workload import drafts
from pages.parts.workload.drafts import Parts
from planner.errors import PlanError
from planner.files.editing.workload_problems import part_of
from planner.files.query.syntax import bracketed_window
from planner.files.query.text import format_query, quoted_name
from planner.files.query.tokens import TokenCursor
from planner.workload.query import Query, Source, Window

# More queries than these are listed, and edited one at a time.
MOST_BOXES = 6
_HEIGHT = 318


@cache
def _highlighting() -> Any:
    """What makes the boxes of queries monospaced and colours their words."""
    style, script = (Path(__file__).with_name(f"query_editor.{end}") for end in ("css", "js"))
    return st.components.v2.component(
        "sluice-query-editor",
        css=style.read_text(),
        js=script.read_text(),
        isolate_styles=False,
    )


def pick(queries: list[Parts]) -> int:
    """A searchable list of queries; returns the place of the picked one."""
    typed = st.text_input(
        "Find a query", key="query-search", placeholder="name, stream or condition"
    )
    found = matching(queries, typed)
    names = [str(part.get("name")) for part in queries]
    edited = state.edited_query()
    place = names.index(edited) if edited in names else 0
    if not found:
        st.caption(f"None of {counted(len(queries), 'query', 'queries')} contains this text.")
        return place
    if place not in found:
        place = found[0]
    key = f"query-list-{len(queries)}-{typed}"
    event = controls.table(
        table([queries[at] for at in found]),
        "Queries",
        columns="queries",
        key=key,
        on_select="rerun",
        selection_mode="single-row-required",
        selection_default={"selection": {"rows": [found.index(place)]}},
    )
    rows = event["selection"]["rows"]
    picked = found[rows[0]] if rows and rows[0] < len(found) else place
    state.edit_query(names[picked])
    st.caption(
        f"{len(found)} of {counted(len(queries), 'query', 'queries')}; click one to edit it."
    )
    return picked


def matching(queries: list[Parts], typed: str) -> list[int]:
    """The places of the queries whose name or text contains every typed word."""
    words = typed.lower().split()
    return [
        place
        for place, part in enumerate(queries)
        if all(word in f"{part.get('name')} {part.get('text')}".lower() for word in words)
    ]


def table(queries: list[Parts]) -> pd.DataFrame:
    """One row per query: its name, and its text in one line."""
    return pd.DataFrame(
        {
            "Query": [str(part.get("name")) for part in queries],
            "Text": [" ".join(str(part.get("text", "")).split()) for part in queries],
        }
    )


def show_texts() -> None:
    """A box per query, with mistakes below it; for many queries a list and one box."""
    queries = drafts.parts().get("queries", [])
    if len(queries) > MOST_BOXES:
        _show_one(queries)
    else:
        _show_all(queries)
    _highlighting()(key="sluice-query-editor", height=0)


def _show_all(queries: list[Parts]) -> None:
    for place, part in enumerate(queries):
        _text(place, part)
    with st.container(horizontal=True):
        st.button("Add a query", icon=":material/add:", on_click=_add)
        if len(queries) > 1:
            last = len(queries) - 1
            st.button(
                "Remove the last query", icon=":material/remove:", on_click=_remove, args=(last,)
            )


def _show_one(queries: list[Parts]) -> None:
    place = pick(queries)
    _text(place, queries[place])
    for error in drafts.problems():
        if (part := part_of(error)).startswith("queries") and part != f"queries[{place}]":
            drafts.show(error)
    with st.container(horizontal=True):
        st.button("Add a copy", icon=":material/add:", on_click=_add, args=(place,))
        st.button("Remove", icon=":material/remove:", on_click=_remove, args=(place,))


def _text(place: int, part: Parts) -> None:
    editor = f"query-{place}"
    start, key = drafts.base(editor, lambda: str(part.get("text", "")))
    lines = start.count("\n") + 2
    shown = st.text_area(
        plain(str(part.get("name", f"Q{place + 1}"))),
        start,
        key=key,
        height=32 * lines + 30,
        on_change=_typed,
        args=(place, editor, key),
    )
    drafts.showing(editor, shown)
    drafts.show_problems(f"queries[{place}]")


def _typed(place: int, editor: str, key: str) -> None:
    queries = list(drafts.parts()["queries"])
    queries[place] = {**queries[place], "text": st.session_state[key]}
    drafts.put("queries", queries, editor)


def _add(like: int | None = None) -> None:
    """One more query: a new one, or a copy of another."""
    queries = drafts.parts()["queries"]
    name = drafts.unused_name([str(query.get("name")) for query in queries])
    text = f"SELECT * FROM {quoted_name(str(drafts.parts()['streams'][0].get('name')))} [RANGE 60]"
    if like is not None:
        text = str(queries[like].get("text", ""))
    drafts.put("queries", [*queries, {"name": name, "text": text}], "queries")
    state.edit_query(name)


def _remove(place: int) -> None:
    queries = [part for at, part in enumerate(drafts.parts()["queries"]) if at != place]
    drafts.put("queries", queries, "queries")


def show_windows() -> None:
    """The windows of one query; an edit rewrites the query's text."""
    query = _picked_query()
    if drafts.problems():
        st.caption("Fix the error to edit windows here.")
        controls.table(_windows(query), "Windows")
        return
    frame, key = drafts.base(_editor(query), lambda: _windows(query))
    edited = st.data_editor(
        frame,
        key=key,
        hide_index=True,
        disabled=["Source", "Stream"],
        column_config=controls.described_columns("windows"),
        alt="Windows",
    )
    drafts.showing(_editor(query), edited)
    if edited.equals(_saved(query)):
        _keep(query, {})
        return
    typed = dict(zip((s.alias for s in query.sources), edited["Window"], strict=True))
    _keep(query, typed)
    with controls.shown():
        sources = tuple(
            s if s.window is None else replace(s, window=_parsed(s, typed[s.alias]))
            for s in query.sources
        )
        _keep(query, {})
        if sources != query.sources:
            _rewrite(query, replace(query, sources=sources))


def _editor(query: Query) -> str:
    """The name of the editor for a query's windows."""
    return f"windows-{query.name}"


def _picked_query() -> Query:
    """The query whose windows are shown; for many queries, the list picks it."""
    workload = state.workload()
    names = [query.name for query in workload.queries]
    edited = state.edited_query()
    if len(names) > MOST_BOXES:
        st.caption(f"of {plain(edited)}")
    elif len(names) > 1:
        picked = st.selectbox("of", names, index=names.index(edited))
        if picked != edited:
            state.edit_query(picked)
            st.rerun()
    return workload.query(edited)


def _keep(query: Query, typed: dict[str, str | None]) -> None:
    """Remember windows as typed until they are valid."""
    st.session_state["typed_windows"] = (query, typed)


def typed_windows() -> dict[str, Any]:
    """Windows as typed that are not valid yet, to survive a reload."""
    query, typed = st.session_state.get("typed_windows", (None, {}))
    if not typed or query not in state.workload().queries:
        return {}
    return {"query": query.name, "typed": typed}


def restore_windows(found: Mapping[str, Any]) -> None:
    """Restore the result of `typed_windows`, if the query still exists."""
    names = {query.name: query for query in state.workload().queries}
    query, typed = names.get(found.get("query", "")), found.get("typed")
    if query is None or not isinstance(typed, dict):
        return
    aliases = {source.alias for source in query.sources}
    if typed.keys() == aliases and all(isinstance(text, str) for text in typed.values()):
        _keep(query, typed)


def _windows(query: Query) -> pd.DataFrame:
    """The saved windows, with what was typed since then and is not valid yet."""
    of, typed = st.session_state.get("typed_windows", (query, {}))
    frame = _saved(query)
    if of == query and typed:
        frame["Window"] = [typed[source.alias] for source in query.sources]
    return frame


def _saved(query: Query) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "Source": [source.alias for source in query.sources],
            "Stream": [source.name for source in query.sources],
            "Window": ["" if s.window is None else str(s.window) for s in query.sources],
        }
    )


def _parsed(source: Source, text: str | None) -> Window:
    """A window as written in a query; a bare number is a range."""
    written = (text or "").strip()
    cursor = TokenCursor(f"[RANGE {written}]" if written[:1].isdigit() else f"[{written}]")
    window = bracketed_window(cursor)
    if window is None or cursor.word.kind != "end":
        raise PlanError("expected one window, such as RANGE 100", f"windows.{source.alias}")
    return window


def _rewrite(before: Query, after: Query) -> None:
    queries = [
        {**part, "text": format_query(after)} if part.get("name") == before.name else part
        for part in drafts.parts()["queries"]
    ]
    drafts.put("queries", queries, _editor(before))
    st.rerun()
