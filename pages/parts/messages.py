"""How a page shows a mistake: the message, its place, and the line with a caret under it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st

from pages.parts.words import on_pages, plain
from planner.errors import PlanError, QueryTextError, RunError, SluiceError, caret


@contextmanager
def shown() -> Iterator[None]:
    """Show a user's mistake in place of what follows it; anything else goes to the log."""
    try:
        yield
    except (PlanError, RunError) as error:
        show(error)


def show(error: SluiceError) -> None:
    """One clear message; the place in a query's text is pointed at."""
    place = f"**{plain(error.place, 200)}**: " if error.place else ""
    words = error.summary if isinstance(error, QueryTextError) else error.message
    st.error(f"{place}{plain(on_pages(words), 1000)}", icon=":material/error:")
    if isinstance(error, QueryTextError):
        st.code(caret(error.text, error.offset), language=None)
