"""Plans ranked in a table: bars of their score, cost by kind of work, and what each is known as."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st

from pages.parts.words import UNITS, compared
from planner.family import Candidate, Ranking

if TYPE_CHECKING:
    from streamlit.elements.lib.column_types import ColumnConfig


def pick(
    ranking: Ranking, shown: Sequence[Candidate], chosen: str, baseline: Candidate, key: str
) -> str:
    """The table; a click on a row picks its plan. Returns the label that is picked."""
    frame = table(ranking, shown, baseline)
    labels = [candidate.label for candidate in shown]
    event = st.dataframe(
        frame,
        hide_index=True,
        column_config=_columns(frame),
        key=key,
        on_select="rerun",
        selection_mode="single-row-required",
        selection_default={"selection": {"rows": [labels.index(chosen)]}},
        height=min(38 + 35 * len(frame), 458),
        alt="Plans, best first, with what each should cost",
    )
    rows = event["selection"]["rows"]
    return labels[rows[0]] if rows and rows[0] < len(labels) else chosen


def table(ranking: Ranking, shown: Sequence[Candidate], baseline: Candidate) -> pd.DataFrame:
    """One row a plan, best first."""
    places = {candidate.label: place for place, candidate in enumerate(ranking.candidates, 1)}
    columns: dict[str, list[object]] = {
        "Rank": [places[c.label] for c in shown],
        "Plan": [c.label for c in shown],
        UNITS["comparisons"]: [c.cost.comparisons for c in shown],
        "Against baseline": [_against(c, baseline) for c in shown],
        "Known as": [", ".join(_tags(c, baseline)) for c in shown],
    }
    for field in ("inserts", "expirations", "group_updates", "rows_out", "state_tuples"):
        values = [getattr(c.cost, field) for c in shown]
        if any(values):
            columns[UNITS[field]] = list(values)
    return pd.DataFrame(columns)


def _tags(candidate: Candidate, baseline: Candidate) -> list[str]:
    pinned = candidate.label == baseline.label and "baseline" not in candidate.tags
    return [*candidate.tags, *(["pinned"] if pinned else [])]


def _against(candidate: Candidate, baseline: Candidate) -> str:
    if candidate.label == baseline.label:
        return "= baseline"
    return compared(candidate.score, baseline.score)


def _plan_width(frame: pd.DataFrame) -> int:
    """Wide enough for the labels, which are about as long as each other."""
    return min(50 + 7 * len(str(frame["Plan"].iloc[0])), 320)


def _columns(frame: pd.DataFrame) -> dict[str, ColumnConfig]:
    work = UNITS["comparisons"]
    numbers = {
        name: st.column_config.NumberColumn(name, format="localized", width="small")
        for name in UNITS.values()
        if name in frame
    }
    return numbers | {
        "Rank": st.column_config.NumberColumn("#", width=40),
        "Plan": st.column_config.TextColumn("Plan", width=_plan_width(frame)),
        "Known as": st.column_config.TextColumn("Known as", width=165),
        work: st.column_config.ProgressColumn(
            work,
            format="localized",
            min_value=0.0,
            max_value=max(float(frame[work].max()), 1e-9),
            width=150,
            help="Stored tuples examined per second of stream time",
        ),
        "Against baseline": st.column_config.TextColumn("Against baseline", width=110),
    }
