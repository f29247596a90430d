"""How each source's window is probed: nested loops or hash, and how many buckets."""

from __future__ import annotations

from typing import Any

import pandas as pd
import streamlit as st

from pages.parts.shared import state
from pages.parts.workload import drafts
from pages.parts.workload.drafts import Parts
from planner.workload.query import Source
from planner.workload.workload import Workload

_PER_VALUE = "per-value"


def show() -> None:
    """A row for each source of the chosen query; equal rows are written as one setting."""
    workload = state.workload()
    sources = workload.query(state.edited_query()).sources
    with st.container(horizontal=True):
        for method, words in (("nested", "All nested loops"), ("hash", "All hash")):
            st.button(words, on_click=_set_all, args=(method,))
    frame, key = drafts.base("execution", lambda: _frame(workload, sources))
    edited = st.data_editor(
        frame,
        key=key,
        hide_index=True,
        disabled=["Source"],
        column_config={
            "Join": st.column_config.SelectboxColumn(options=["nested", "hash"], required=True),
            "Buckets": st.column_config.TextColumn(
                help="A whole number, or per-value (an index). Nested loops have none."
            ),
        },
        alt="Join methods",
    )
    drafts.showing("execution", edited)
    if any(st.session_state[key].values()):
        changed = with_execution(drafts.parts(), edited)
        if changed != drafts.parts():
            drafts.change(changed, "execution")
            st.rerun()


def _set_all(method: str) -> None:
    parts = drafts.parts()
    drafts.change({**parts, "execution": {**parts.get("execution", {}), "join": method}}, "all")


def _frame(workload: Workload, sources: tuple[Source, ...]) -> pd.DataFrame:
    execution = workload.execution
    methods = [execution.method(source) for source in sources]
    buckets = [str(execution.bucket_count(source)) for source in sources]
    return pd.DataFrame(
        {
            "Source": [source.alias for source in sources],
            "Join": methods,
            "Buckets": [b if m == "hash" else "" for m, b in zip(methods, buckets, strict=True)],
        }
    )


def with_execution(parts: Parts, frame: pd.DataFrame) -> Parts:
    """The draft with the join methods and buckets of the table."""
    methods = dict(zip(frame["Source"], frame["Join"], strict=True))
    buckets = {
        source: _bucket_count(text)
        for source, text in zip(frame["Source"], frame["Buckets"], strict=True)
        if methods[source] == "hash"
    }
    changed = {**parts.get("execution", {}), "join": _one(methods), "buckets": _one(buckets)}
    return {**parts, "execution": {k: v for k, v in changed.items() if v not in (None, {})}}


def _bucket_count(text: str | None) -> int | str:
    written = (text or "").strip()
    return int(written) if written.isdecimal() else written or _PER_VALUE


def _one(values: dict[str, Any]) -> Any:
    """One value where all are equal, as people write it."""
    different = set(values.values())
    return different.pop() if len(different) == 1 else values
