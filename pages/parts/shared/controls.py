"""Controls and tables as all pages show them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar

import streamlit as st

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
