"""Controls and tables as all pages show them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, TypeVar, cast

import streamlit as st

from pages.parts.shared.formatting import on_pages, plain
from planner.errors import PlanError, QueryTextError, RunError, SluiceError, caret
from planner.files.safe_yaml import read_yaml

T = TypeVar("T")
_MIME = {kind: f"application/{kind}" for kind in ("json", "yaml", "zip")}
_MIME |= {kind: f"text/{kind}" for kind in ("csv", "html")} | {"svg": "image/svg+xml"}
# Pixels: the head of a table and a row. A longer table than this scrolls, and is cut in the middle
# of a row, so that one sees that it goes on.
_HEAD, _ROW, _MOST_ROWS, _ROWS_OF_LONG = 38, 35, 15, 12.5


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
    columns: str | Mapping[str, Any] = MappingProxyType({}),
    **settings: Any,
) -> Any:
    """A table without its index; returns what is selected in it.

    `numbers` are columns with thousands separated; `columns` are all others, or the name of the
    table in `columns.yaml`.
    """
    rows = data.num_rows if hasattr(data, "num_rows") else len(data)
    known = described_columns(columns) if isinstance(columns, str) else columns
    return st.dataframe(
        data,
        hide_index=True,
        column_config={**dict.fromkeys(numbers, _column()), **known},
        height=settings.pop("height", _shown_height(rows)),
        alt=alt,
        **settings,
    )


def _shown_height(rows: int) -> int:
    return height_of(rows) if rows <= _MOST_ROWS else height_of(_ROWS_OF_LONG)


def height_of(rows: float) -> int:
    """The height in pixels of a table that shows so many rows without scrolling."""
    return round(_HEAD + _ROW * max(rows, 1))


def download(label: str, content: Any, file: str, **settings: Any) -> None:
    """A button that saves a file, and leaves the page as it is."""
    mime = _MIME[file.rpartition(".")[2]]
    usual = {"icon": ":material/download:", "on_click": "ignore"}
    st.download_button(label, content, file, mime, **usual | settings)


def described_columns(
    name: str, changed: Mapping[str, Mapping[str, Any]] = MappingProxyType({})
) -> dict[str, Any]:
    """The columns of a table as `columns.yaml` describes them, with these changes.

    One that is described by nothing is hidden, which None means to Streamlit.
    """
    described = _described("columns")[name]
    return {
        head: None if found is None else _column(**found, **changed.get(head, {}))
        for head, found in described.items()
    }


def field(name: str) -> dict[str, Any]:
    """The settings of a form's field, as `fields.yaml` describes them."""
    settings = dict(_described("fields")[name])
    if isinstance(words := settings.get("options"), dict):
        settings |= {"options": list(words), "format_func": lambda value: words.get(value, value)}
    return settings


@cache
def _described(what: Literal["columns", "fields"]) -> dict[str, Any]:
    return cast(Any, read_yaml(Path(__file__).with_name(f"{what}.yaml").read_bytes()))


def _column(kind: str = "number", **settings: Any) -> Any:
    usual = {"format": "localized"} if kind in ("number", "progress") else {}
    return getattr(st.column_config, f"{kind.capitalize()}Column")(**usual | settings)


@contextmanager
def shown() -> Iterator[None]:
    """Show a user's mistake in place of what follows it; anything else goes to the log."""
    try:
        yield
    except (PlanError, RunError) as error:
        show(error)


@contextmanager
def kept(name: str) -> Iterator[None]:
    """Keep a user's mistake under this name: what a button calls cannot show it yet."""
    st.session_state.pop(name, None)
    try:
        yield
    except SluiceError as error:
        st.session_state[name] = error


def show_kept(name: str) -> None:
    """Show the mistake that was kept under this name, if there is one."""
    if name in st.session_state:
        show(st.session_state[name])


def show(error: SluiceError) -> None:
    """The message, with a caret under the place in a query's text."""
    place = f"**{plain(on_pages(error.place), 200)}**: " if error.place else ""
    words = error.summary if isinstance(error, QueryTextError) else error.message
    st.error(f"{place}{plain(on_pages(words), 1000)}", icon=":material/error:")
    if isinstance(error, QueryTextError):
        st.code(caret(error.text, error.offset), language=None)
