"""The plans to choose from, ranked in a table; a click on a row chooses its plan."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import pandas as pd
import streamlit as st

from pages.parts.plans.short_list import ShortList
from pages.parts.shared import controls, planning, state
from pages.parts.shared.formatting import (
    UNITS,
    compared,
    rounded_each,
    score_head,
)
from planner.families.protocol import Candidate, Ranking
from planner.numbers import shortened
from planner.plan.by_operator import CPU
from planner.plan.cost import COST_FIELDS
from planner.plan.objective import Objective

if TYPE_CHECKING:
    from streamlit.elements.lib.column_types import ColumnConfig

    from pages.parts.families.protocol import PlanChoice

_AUGMENTED = "augmented heuristic"
# A longer table is cut in the middle of a row, so that one sees that it goes on.
_MOST_ROWS = 6
# Pixels: what names have of the table on a small screen.
_NAMES, _LETTER, _PADDING = 340, 5.8, 18
_LEAST, _MOST_KNOWN_AS = 72, 126
# Each tuple that enters a slice counts as `execution.c_sys` comparisons.
WITH_OVERHEAD = "Comparisons/s with overhead"
KERNEL_TIME = UNITS[CPU]
MEASURED = "Measured"
_MEANING = {
    UNITS["comparisons"]: "Stored tuples examined per second of stream time",
    WITH_OVERHEAD: "Comparisons per second of stream time, plus c_sys for each tuple that enters "
    "a slice",
    UNITS["operations"]: "Comparisons, inserts and group updates per second of stream time",
    KERNEL_TIME: "Microseconds of CPU time in kernels per second of stream time",
}


def pick(
    choice: PlanChoice,
    shown: Sequence[Candidate],
    names: ShortList,
    measured: Mapping[str, float],
) -> None:
    """The table; a click on any cell of a row chooses its plan before the page is drawn again."""
    labels = [candidate.label for candidate in shown]
    key = f"ranking-{choice.workload.digest}-{len(shown)}-{choice.ranking.by.name}"
    chosen = labels.index(choice.label)
    if st.session_state.get(key, {}).get("selection", {}).get("rows") != [chosen]:
        # Chosen elsewhere: the row follows.
        st.session_state[key] = {"selection": {"rows": [chosen], "columns": [], "cells": []}}
    frame = table(choice, shown, names, measured)
    rows = len(frame) if len(frame) <= _MOST_ROWS else _MOST_ROWS - 0.5
    controls.table(
        frame.assign(Plan=_short_names(frame)),
        "Plans, best first, with what each should cost",
        columns=_columns(frame, choice.ranking.by),
        key=key,
        on_select=partial(_pick_row, key, labels),
        selection_mode=["single-row-required", "single-cell"],
        placeholder="–",
        height=controls.height_of(rows),
    )


def _pick_row(key: str, labels: Sequence[str]) -> None:
    selection: Any = st.session_state[key]["selection"]
    rows = [cells[0] for cells in selection["cells"]] or selection["rows"]
    if rows:
        state.choose_plan(labels[rows[0]])


def table(
    choice: PlanChoice,
    shown: Sequence[Candidate],
    names: ShortList,
    measured: Mapping[str, float],
) -> pd.DataFrame:
    """One row a plan, best first: its rank, its names and its score, measured too where it ran."""
    ranking, baseline = choice.ranking, choice.baseline
    title = planning.space(choice.family.name, choice.workload).title
    known = places(ranking)
    head, scale = _head(ranking.by), _scale(ranking.by)
    columns: dict[str, object] = {
        "Rank": pd.array([known.get(c.label) for c in shown], dtype="Int64"),
        "Plan": [title(c.label) for c in shown],
        "Known as": [", ".join(known_as(c.label, names, baseline.label)) for c in shown],
        head: rounded_each([scale * c.score for c in shown]),
    }
    found = [scale * measured.get(c.label, math.nan) for c in shown]
    if not all(map(math.isnan, found)):
        columns[MEASURED] = rounded_each(found)
    columns["Against baseline"] = [against(c, baseline) for c in shown]
    columns["Label"] = [c.label for c in shown]
    return pd.DataFrame(columns)


def _head(by: Objective) -> str:
    """The head of the scores; seconds of kernels are so short that they are shown in µs."""
    return KERNEL_TIME if by.name == "seconds" else score_head(by)


def _scale(by: Objective) -> float:
    return 1e6 if by.name == "seconds" else 1.0


def all_costs(choice: PlanChoice, shown: Sequence[Candidate]) -> pd.DataFrame:
    """One row a plan, with every kind of work that one of them does."""
    title = planning.space(choice.family.name, choice.workload).title
    columns: dict[str, object] = {"Plan": [title(c.label) for c in shown]}
    if any(c.seconds for c in shown):
        seconds = [math.nan if c.seconds is None else 1e6 * c.seconds for c in shown]
        columns[KERNEL_TIME] = rounded_each(seconds)
    for field in COST_FIELDS:
        values = [getattr(c.cost, field) for c in shown]
        if any(values):
            columns[UNITS[field]] = rounded_each(values)
    return pd.DataFrame(columns)


def show_all_costs(choice: PlanChoice, shown: Sequence[Candidate]) -> None:
    """What the listed plans should cost of every kind."""
    frame = all_costs(choice, shown)
    numbers = [str(name) for name in frame if name not in ("Plan", KERNEL_TIME)]
    controls.table(
        frame, "Every kind of cost of the listed plans", numbers, "all-costs", placeholder="–"
    )


def places(ranking: Ranking) -> dict[str, int]:
    """The known ranks. A baseline that follows the best plans of a longer list has none."""
    labels = [candidate.label for candidate in ranking.candidates]
    if len(labels) < ranking.considered and labels[-1] == ranking.baseline:
        labels.pop()
    return {label: place for place, label in enumerate(labels, 1)}


def known_as(label: str, names: ShortList, baseline: str) -> list[str]:
    """The names of a plan: what is said of it, and that it is pinned."""
    known = list(names.names.get(label, ()))
    if label == baseline and "baseline" not in known:
        known.append("pinned")
    if {"heuristic", _AUGMENTED} <= set(known):
        known[known.index("heuristic")] = "both heuristics"
        known.remove(_AUGMENTED)
    return ["augmented" if name == _AUGMENTED else name for name in known]


def against(candidate: Candidate, baseline: Candidate) -> str:
    """A plan's score compared with the baseline's, in words."""
    if candidate.label == baseline.label:
        return "= baseline"
    return compared(candidate.score, baseline.score)


def _width(frame: pd.DataFrame, column: str, most: float) -> int:
    """Wide enough for the column's longest text, if that leaves room for the others."""
    longest = _PADDING + _LETTER * int(frame[column].str.len().max())
    return round(min(max(longest, _LEAST), most))


def _widths(frame: pd.DataFrame) -> tuple[int, int]:
    """Of the plans and of what they are known as; what one does not need, the other has."""
    known = _width(frame, "Known as", _MOST_KNOWN_AS)
    return _width(frame, "Plan", _NAMES - known), known


def _short_names(frame: pd.DataFrame) -> list[str]:
    """Names that fit: of a long one both ends, in which plans differ; above the drawing it is
    whole."""
    most = round((_widths(frame)[0] - _PADDING) / _LETTER)
    return [shortened(name, most) for name in frame["Plan"]]


def _columns(frame: pd.DataFrame, by: Objective) -> dict[str, ColumnConfig]:
    score = _head(by)
    plan, known = _widths(frame)
    changed: dict[str, dict[str, object]] = {
        "Rank": {"width": 38 if frame["Rank"].max() < 1_000 else 56},
        "Plan": {"width": plan},
        "Known as": {"width": known},
        "Score": {"help": _MEANING.get(score, f"{by.title}: {by.unit}")},
    }
    if score == WITH_OVERHEAD:
        # The whole name does not fit above the numbers.
        changed["Score"]["label"] = "Work/s"
    others = controls.described_columns("ranking", changed)
    return others | {score: others["Score"]}
