"""Plans ranked in a table: bars of their score, cost by kind of work, and what each is known as."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st

from pages.parts.shared import state
from pages.parts.shared.formatting import UNITS, compared, plan_name, rounded_alike
from pages.parts.shared.planning import FEW
from planner.families.protocol import Candidate, Ranking
from planner.plan.cost import COST_FIELDS

if TYPE_CHECKING:
    from streamlit.elements.lib.column_types import ColumnConfig

_AUGMENTED = "augmented heuristic"
# Comparisons, and as many as `execution.c_sys` says that a tuple entering a slice is worth.
WITH_OVERHEAD = "Comparisons/s with overhead"
KERNEL_TIME = "Kernel µs/s"
_MEANING = {
    UNITS["comparisons"]: "Stored tuples examined per second of stream time",
    WITH_OVERHEAD: "Comparisons per second of stream time, and c_sys for each tuple that enters a "
    "slice",
    UNITS["operations"]: "Comparisons, inserts and group updates per second of stream time",
}


def pick(
    ranking: Ranking, shown: Sequence[Candidate], chosen: str, baseline: Candidate, key: str
) -> str:
    """The table; a click on a row picks its plan. Returns the label that is picked."""
    frame = table(ranking, shown, baseline)
    labels = [candidate.label for candidate in shown]
    event = st.dataframe(
        frame,
        hide_index=True,
        column_config=_columns(frame, score_name(ranking)),
        key=key,
        on_select=partial(_pick_row, key, labels),
        selection_mode=["single-row-required", "single-cell"],
        selection_default={"selection": {"rows": [labels.index(chosen)]}},
        height=min(38 + 35 * len(frame), 458),
        placeholder="–",
        alt="Plans, best first, with what each should cost",
    )
    rows = event["selection"]["rows"]
    return labels[rows[0]] if rows and rows[0] < len(labels) else chosen


def _pick_row(key: str, labels: Sequence[str]) -> None:
    """A click on any cell picks its row. What stands above the table is to know of it, too."""
    selection = st.session_state[key]["selection"]
    rows = [cells[0] for cells in selection["cells"]] or selection["rows"]
    if rows:
        choose(key, labels, labels[rows[0]])


def choose(key: str, labels: Sequence[str], label: str) -> None:
    """Pick this plan as a click on its row does; to be called before the table is drawn."""
    rows = [labels.index(label)]
    st.session_state[key] = {"selection": {"rows": rows, "columns": [], "cells": []}}
    state.choose_plan(label)


def table(ranking: Ranking, shown: Sequence[Candidate], baseline: Candidate) -> pd.DataFrame:
    """One row a plan, best first."""
    known = places(ranking)
    columns: dict[str, object] = {
        "Rank": pd.array([known.get(c.label) for c in shown], dtype="Int64"),
        "Plan": [plan_name(c.label) for c in shown],
        "Known as": [", ".join(_tags(c, baseline)) for c in shown],
        score_name(ranking): rounded_alike([c.score for c in shown]),
        "Against baseline": [against(c, baseline) for c in shown],
    }
    if any(c.seconds for c in shown):
        seconds = [None if c.seconds is None else 1e6 * c.seconds for c in shown]
        columns[KERNEL_TIME] = _rounded(seconds)
    for field in COST_FIELDS:
        values = [getattr(c.cost, field) for c in shown]
        if any(values) and UNITS[field] not in columns:
            columns[UNITS[field]] = rounded_alike(values)
    return pd.DataFrame(columns)


def _rounded(values: Sequence[float | None]) -> list[float | None]:
    known = rounded_alike([value for value in values if value is not None])
    left = iter(known)
    return [None if value is None else next(left) for value in values]


def score_name(ranking: Ranking) -> str:
    """What plans are ranked by, with its unit."""
    return ranking.by.title


def places(ranking: Ranking) -> dict[str, int]:
    """The ranks that are known: a baseline may have been put behind the best from far below."""
    labels = [candidate.label for candidate in ranking.candidates]
    if FEW < len(labels) < ranking.considered and labels[-1] == ranking.baseline:
        labels.pop()
    return {label: place for place, label in enumerate(labels, 1)}


def _tags(candidate: Candidate, baseline: Candidate) -> list[str]:
    pinned = candidate.label == baseline.label and "baseline" not in candidate.tags
    tags = [*candidate.tags, *(["pinned"] if pinned else [])]
    if {"heuristic", _AUGMENTED} <= set(tags):
        tags[tags.index("heuristic")] = "both heuristics"
        tags.remove(_AUGMENTED)
    return ["augmented" if tag == _AUGMENTED else tag for tag in tags]


def against(candidate: Candidate, baseline: Candidate) -> str:
    """How a plan's score stands to the baseline's, in words."""
    if candidate.label == baseline.label:
        return "= baseline"
    return compared(candidate.score, baseline.score)


def _width(frame: pd.DataFrame, column: str) -> int:
    """Wide enough for the column's longest text."""
    return round(min(max(18 + 5.6 * int(frame[column].str.len().max()), 88), 320))


def _columns(frame: pd.DataFrame, score: str) -> dict[str, ColumnConfig]:
    numbers = {
        name: st.column_config.NumberColumn(name, format="localized", width=24 + 7 * len(name))
        for name in UNITS.values()
        if name in frame
    }
    if KERNEL_TIME in frame:
        numbers[KERNEL_TIME] = st.column_config.NumberColumn(
            KERNEL_TIME,
            format="localized",
            width=84,
            help="Predicted microseconds of kernel work per second of stream time, by the unit "
            "costs that are named above; see Calibration",
        )
    return numbers | {
        "Rank": st.column_config.NumberColumn("#", width=36),
        "Plan": st.column_config.TextColumn("Plan", width=_width(frame, "Plan")),
        "Known as": st.column_config.TextColumn("Known as", width=_width(frame, "Known as")),
        score: st.column_config.ProgressColumn(
            score,
            format="localized",
            min_value=0.0,
            max_value=max(float(frame[score].max()), 1e-9),
            width=112,
            help=_MEANING.get(score),
        ),
        "Against baseline": st.column_config.TextColumn("Against baseline", width=104),
    }
