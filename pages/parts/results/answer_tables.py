"""The answer of an aggregation that was run: its groups at the end, and how they changed."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import streamlit as st

from pages.parts import messages
from pages.parts.results import exports
from pages.parts.words import counted

if TYPE_CHECKING:
    import pyarrow as pa

    from runtime.records import Run

GROUPS, CHANGES = "Groups at the end", "Changes"
MOST_ROWS = 1_000


def show(run: Run) -> None:
    """The groups or their changes as a table, with all of it as CSV; of a join nothing."""
    if run.workload.queries[0].aggregates:
        st.markdown("### Answer", anchors=False)
        with messages.shown():
            _kept(run)


def _kept(run: Run) -> None:
    from runtime.kept_answers import MOST_CHANGES, answer_of

    answer = answer_of(run)
    if answer is None:
        st.caption(
            "This run's answer is not kept: answers are kept for a week, where that is asked for "
            f"on the Run page and fewer than {MOST_CHANGES:,} changes are expected."
        )
        return
    view = st.segmented_control(
        "Shown",
        [GROUPS, CHANGES],
        default=GROUPS,
        required=True,
        key="answer-as",
        label_visibility="collapsed",
    )
    table = answer.groups if view == GROUPS else answer.changes
    st.dataframe(
        _few(table, newest_first=view == CHANGES),
        hide_index=True,
        column_config={
            "ts": st.column_config.NumberColumn("ts (s)", help="When the group changed"),
            "present": st.column_config.CheckboxColumn(help="No: the group has become empty"),
        },
        alt=f"{view} of {run.plan.label}",
    )
    with st.container(horizontal=True, vertical_alignment="center"):
        st.download_button(
            "CSV",
            partial(exports.table_to_csv, table),
            f"sluice-{'groups' if view == GROUPS else 'changes'}.csv",
            "text/csv",
            icon=":material/download:",
            on_click="ignore",
            key="answer-csv",
        )
        st.caption(_how_many(table, view), width="content")


def _few(table: pa.Table, newest_first: bool) -> pa.Table:
    """The first rows, or the last ones backwards: what a page can show."""
    if not newest_first:
        return table.slice(0, MOST_ROWS)
    last = range(table.num_rows - 1, max(table.num_rows - MOST_ROWS, 0) - 1, -1)
    return table.take(list(last))


def _how_many(table: pa.Table, view: str) -> str:
    count = counted(table.num_rows, "group" if view == GROUPS else "change")
    if view == CHANGES:
        count += ", newest first"
    return count if table.num_rows <= MOST_ROWS else f"{count}; {MOST_ROWS:,} are shown"
