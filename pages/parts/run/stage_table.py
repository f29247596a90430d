"""The stages of a run whose queries or plan change while it runs."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st

from pages.parts.shared import controls
from pages.parts.shared.formatting import counted, plain, plan_name
from pages.parts.shared.state import BY_DIGEST
from planner.families.registry import family
from planner.numbers import amount, shortened
from planner.workload.validation import exact, listed
from planner.workload.workload import Workload

if TYPE_CHECKING:
    from planner.families.stages import PlannedStage

DONE, NOW, AHEAD = "done", "now", "ahead"


@st.cache_resource(show_spinner=False, max_entries=64, hash_funcs=BY_DIGEST)
def stages_of_run(family_name: str, workload: Workload, label: str) -> tuple[PlannedStage, ...]:
    """The stages of a run of this plan; one where nothing changes."""
    from planner.families.stages import planned_stages

    return planned_stages(family(family_name), workload, label)


def show(stages: Sequence[PlannedStage], end: float, reached: float | None = None) -> None:
    """The stages as a table; of a run in progress, also which of them are done."""
    controls.table(
        table(stages, end, reached),
        "What changes when",
        columns={"What changes": st.column_config.TextColumn(width="large")},
    )


def table(stages: Sequence[PlannedStage], end: float, reached: float | None = None) -> pd.DataFrame:
    """One row per stage: when it begins and ends, what changes, and what runs in it."""
    starts = [0.0 if stage.at is None else stage.at / 1e6 for stage in stages]
    ends = [*starts[1:], max(end, starts[-1])]
    columns: dict[str, list[object]] = {
        "From (s)": [exact(start) for start in starts],
        "Until (s)": [exact(stop) for stop in ends],
        "What changes": ["start", *(_changes(*pair) for pair in pairwise(stages))],
        "Queries": [len(stage.workload.queries) for stage in stages],
        "Plan": [plan_name(stage.plan.label) for stage in stages],
        "Joins": [_joins(stage) for stage in stages],
    }
    if reached is not None:
        whens = zip(starts, ends, strict=True)
        columns["Now"] = [_when(start, stop, reached) for start, stop in whens]
    return pd.DataFrame(columns)


def _joins(stage: PlannedStage) -> int:
    return sum(operator.kind == "slice" for operator in stage.plan.operators())


def _when(start: float, end: float, reached: float) -> str:
    if reached < start:
        return AHEAD
    return NOW if reached < end else DONE


def _changes(before: PlannedStage, after: PlannedStage) -> str:
    """Which queries are removed and added, and which plan is next."""
    old = {query.name: query for query in before.workload.queries}
    new = {query.name: query for query in after.workload.queries}
    found = [
        *(f"{shortened(name)} is removed" for name in old if name not in new),
        *(f"{shortened(name)} is added" for name in new if name not in old),
        *(f"{shortened(name)} changes" for name in new if old.get(name, new[name]) != new[name]),
    ]
    if before.plan.label != after.plan.label:
        found.append(f"the plan becomes {plan_name(after.plan.label)}")
    return listed(found, 6) if found else "nothing"


def stage_text(stages: Sequence[PlannedStage], reached: float) -> str:
    """How far a run in progress is: what has changed, and what comes next."""
    begun = [stage for stage in stages if stage.at is None or stage.at / 1e6 <= reached]
    ahead = [stage for stage in stages if stage not in begun]
    now = begun[-1]
    words = (
        f"At {amount(round(reached, 1))} s of stream time: "
        f"{counted(len(now.workload.queries), 'query', 'queries')}, {plan_name(now.plan.label)}"
    )
    if len(begun) > 1:
        since = exact((now.at or 0) / 1e6)
        words += f" since {since} s ({_changes(begun[-2], now)})"
    if ahead:
        words += f"; at {exact((ahead[0].at or 0) / 1e6)} s {_changes(now, ahead[0])}"
    return plain(f"{words}.", 600)
