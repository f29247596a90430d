"""How a page shows a mistake: the message, its place, and the text with a caret."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import streamlit as st

from pages.parts.shared.formatting import on_pages, plain
from planner.errors import PlanError, QueryTextError, RunError, SluiceError, caret

_TEXT_OF_QUERY = re.compile(r"queries\[(\d+)\]\.text")


@contextmanager
def shown() -> Iterator[None]:
    """Show a user's mistake in place of what follows it; anything else goes to the log."""
    try:
        yield
    except (PlanError, RunError) as error:
        show(error)


def show(error: SluiceError, queries: Sequence[str] = ()) -> None:
    """The message, with a caret under the place in a query's text.

    Where the names of the queries are given, the query is named.
    """
    place = f"**{plain(_place(error, queries), 200)}**: " if error.place else ""
    words = error.summary if isinstance(error, QueryTextError) else error.message
    st.error(f"{place}{plain(on_pages(words), 1000)}", icon=":material/error:")
    if isinstance(error, QueryTextError):
        st.code(caret(error.text, error.offset), language=None)


def _place(error: SluiceError, queries: Sequence[str]) -> str:
    """The place in words: `query Q1, line 2` for `queries[0].text`."""
    found = _TEXT_OF_QUERY.fullmatch(error.place)
    if found is None or not isinstance(error, QueryTextError) or int(found[1]) >= len(queries):
        return error.place
    line = error.text[: error.offset].count("\n") + 1
    return f"query {queries[int(found[1])]}, line {line}"
