"""The plans to choose from, ranked in a table, with what their family shows around it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st

from pages.parts.families.registry import view_of
from pages.parts.shared import controls, planning, state
from pages.parts.shared.formatting import (
    UNITS,
    compared,
    plain,
    plan_name,
    rounded_alike,
    score_head,
)
from pages.parts.shared.planning import FEW
from planner.families.protocol import Candidate, Ranking
from planner.plan.cost import COST_FIELDS
from planner.plan.objective import Objective
from planner.workload.workload import Workload

if TYPE_CHECKING:
    from streamlit.elements.lib.column_types import ColumnConfig

    from pages.parts.families.protocol import PlanChoice

_AUGMENTED = "augmented heuristic"
# Each tuple that enters a slice counts as `execution.c_sys` comparisons.
WITH_OVERHEAD = "Comparisons/s with overhead"
KERNEL_TIME = "Kernel µs/s"
_MEANING = {
    UNITS["comparisons"]: "Stored tuples examined per second of stream time",
    WITH_OVERHEAD: "Comparisons per second of stream time, plus c_sys for each tuple that enters "
    "a slice",
    UNITS["operations"]: "Comparisons, inserts and group updates per second of stream time",
}


def pick(choice: PlanChoice, shown: Sequence[Candidate]) -> PlanChoice:
    """The ranking with what the family shows around it; returns the choice after a click."""
    view = view_of(choice.family.name)
    labels = [candidate.label for candidate in shown]
    key = f"ranking-{choice.workload.digest}-{len(shown)}-{choice.baseline.label}"
    view.above_ranking(choice, partial(_choose, key, labels))
    left, right = st.columns([2, 3], gap="medium")
    with right:
        st.markdown("**Plans, best first** (click one to see it)")
        choice = replace(choice, label=_picked(choice, shown, key))
        state.choose_plan(choice.label)
    with left:
        view.beside_ranking(choice)
    view.below_ranking(choice)
    return choice


def pick_objective(family: str, workload: Workload) -> None:
    """What plans are ranked by; the headline and the table follow."""
    now = planning.objective(family, workload)
    known = {by.name: by for by in planning.space(family, workload).objectives}
    with st.popover(f"Ranked by {now.title[0].lower()}{now.title[1:]}", icon=":material/sort:"):
        picked = st.radio(
            "Ranked by",
            list(known),
            index=list(known).index(now.name),
            format_func=lambda name: score_head(known[name]),
            label_visibility="collapsed",
            key=f"ranked-by-{family}-{now.name}",
        )
    if picked != now.name:
        state.choose_objective(picked)
        st.rerun()


def plan_heading(choice: PlanChoice) -> None:
    """The name of the chosen plan, and a button that pins it as the baseline."""
    with st.container(horizontal=True, vertical_alignment="center"):
        name = f"**{plain(plan_name(choice.label))}**"
        st.markdown(name, width="content", help=plain(choice.label, 800))
        if choice.label == choice.baseline.label:
            st.badge("baseline", icon=":material/keep:", color="gray")
            if state.pinned() is not None:
                st.button("Unpin", on_click=state.pin, args=(None,), type="tertiary")
        else:
            st.button(
                "Pin as baseline",
                icon=":material/keep:",
                on_click=state.pin,
                args=(choice.label,),
                type="tertiary",
            )


def _picked(choice: PlanChoice, shown: Sequence[Candidate], key: str) -> str:
    """The table; a click on a row picks its plan."""
    frame = table(choice.ranking, shown, choice.baseline)
    labels = [candidate.label for candidate in shown]
    event = controls.table(
        frame,
        "Plans, best first, with what each should cost",
        columns=_columns(frame, choice.ranking.by),
        key=key,
        on_select=partial(_pick_row, key, labels),
        selection_mode=["single-row-required", "single-cell"],
        selection_default={"selection": {"rows": [labels.index(choice.label)]}},
        placeholder="–",
    )
    rows = event["selection"]["rows"]
    return labels[rows[0]] if rows and rows[0] < len(labels) else choice.label


def _pick_row(key: str, labels: Sequence[str]) -> None:
    """A click on any cell picks its row. Called before the page is drawn again."""
    selection = st.session_state[key]["selection"]
    rows = [cells[0] for cells in selection["cells"]] or selection["rows"]
    if rows:
        _choose(key, labels, labels[rows[0]])


def _choose(key: str, labels: Sequence[str], label: str) -> None:
    """Pick this plan as a click on its row does; only works before the table is drawn."""
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
        score_head(ranking.by): rounded_alike([c.score for c in shown]),
        "Against baseline": [against(c, baseline) for c in shown],
    }
    if any(c.seconds for c in shown):
        seconds = [math.nan if c.seconds is None else 1e6 * c.seconds for c in shown]
        columns[KERNEL_TIME] = rounded_alike(seconds)
    for field in COST_FIELDS:
        values = [getattr(c.cost, field) for c in shown]
        if any(values) and UNITS[field] not in columns:
            columns[UNITS[field]] = rounded_alike(values)
    return pd.DataFrame(columns)


def places(ranking: Ranking) -> dict[str, int]:
    """The known ranks. A baseline that follows the best plans of a longer list has none."""
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
    """A plan's score compared with the baseline's, in words."""
    if candidate.label == baseline.label:
        return "= baseline"
    return compared(candidate.score, baseline.score)


def _width(frame: pd.DataFrame, column: str) -> int:
    """Wide enough for the column's longest text."""
    return round(min(max(18 + 5.6 * int(frame[column].str.len().max()), 88), 320))


def _columns(frame: pd.DataFrame, by: Objective) -> dict[str, ColumnConfig]:
    score = score_head(by)
    numbers = {
        name: st.column_config.NumberColumn(name, format="localized", width=24 + 7 * len(name))
        for name in UNITS.values()
        if name in frame
    }
    changed: dict[str, dict[str, object]] = {
        "Plan": {"width": _width(frame, "Plan")},
        "Known as": {"width": _width(frame, "Known as")},
        "Score": {
            "max_value": max(float(frame[score].max()), 1e-9),
            "help": _MEANING.get(score, f"{by.title}: {by.unit}"),
        },
    }
    others = controls.described_columns("ranking", changed)
    return numbers | others | {score: others["Score"]}
