"""Controls and tables as all pages show them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

import streamlit as st

from pages.parts.shared.formatting import on_pages, plain
from planner.errors import PlanError, QueryTextError, RunError, SluiceError, caret

T = TypeVar("T")
# Numbers with thousands separated.
NUMBER = st.column_config.NumberColumn(format="localized")
# Pixels: the head of a table and a row; longer tables scroll.
_HEAD, _ROW, _TALLEST = 38, 35, 458


def segments(
    label: str,
    options: Iterable[T],
    key: str,
    default: T | None = None,
    kept: bool = False,
    hidden_label: bool = False,
    **settings: Any,
) -> T:
    """One of several options as buttons, at first the first one; `kept` over changes of page."""
    every = list(options)
    return st.segmented_control(
        label,
        every,
        default=every[0] if default is None else default,
        required=True,
        key=key,
        persist_state="session" if kept else None,
        label_visibility="collapsed" if hidden_label else "visible",
        **settings,
    )


def table(
    data: Any,
    alt: str,
    numbers: Sequence[str] = (),
    columns: Mapping[str, Any] | None = None,
    **settings: Any,
) -> Any:
    """A table without its index; returns what is selected in it."""
    rows = data.num_rows if hasattr(data, "num_rows") else len(data)
    return st.dataframe(
        data,
        hide_index=True,
        column_config={**dict.fromkeys(numbers, NUMBER), **(columns or {})},
        height=settings.pop("height", min(_HEAD + _ROW * max(rows, 1), _TALLEST)),
        alt=alt,
        **settings,
    )


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
