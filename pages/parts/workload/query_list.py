"""Many queries as one list to search in; the one that is picked can be edited."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from pages.parts import state
from pages.parts.words import counted
from pages.parts.workload.drafts import Parts

# Beyond so many queries a box for each makes a page that nobody scrolls through.
MOST_BOXES = 6
_HEIGHT = 318


def pick(queries: list[Parts]) -> int:
    """The list, what is typed to search it, and the place of the query that is picked."""
    typed = st.text_input(
        "Find a query", key="query-search", placeholder="name, stream or condition"
    )
    found = matching(queries, typed)
    names = [str(part.get("name")) for part in queries]
    edited = state.edited_query()
    place = names.index(edited) if edited in names else 0
    if not found:
        st.caption(f"None of {counted(len(queries), 'query', 'queries')} holds this text.")
        return place
    if place not in found:
        place = found[0]
    key = f"query-list-{len(queries)}-{typed}"
    event = st.dataframe(
        table([queries[at] for at in found]),
        hide_index=True,
        key=key,
        on_select="rerun",
        selection_mode="single-row-required",
        selection_default={"selection": {"rows": [found.index(place)]}},
        height=min(38 + 35 * len(found), _HEIGHT),
        column_config={"Text": st.column_config.TextColumn("Text", width="large")},
        alt="Queries",
    )
    rows = event["selection"]["rows"]
    picked = found[rows[0]] if rows and rows[0] < len(found) else place
    state.edit_query(names[picked])
    st.caption(
        f"{len(found)} of {counted(len(queries), 'query', 'queries')}; click one to edit it."
    )
    return picked


def matching(queries: list[Parts], typed: str) -> list[int]:
    """The places of the queries whose name or text holds every word that is typed."""
    words = typed.lower().split()
    return [
        place
        for place, part in enumerate(queries)
        if all(word in f"{part.get('name')} {part.get('text')}".lower() for word in words)
    ]


def table(queries: list[Parts]) -> pd.DataFrame:
    """One row a query: its name, and its text in one line."""
    return pd.DataFrame(
        {
            "Query": [str(part.get("name")) for part in queries],
            "Text": [" ".join(str(part.get("text", "")).split()) for part in queries],
        }
    )
