"""The stages of a run whose queries or plan change while it goes on: what happens when."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st

from pages.parts.shared.caching import BY_DIGEST
from pages.parts.shared.formatting import counted, plain, plan_name
from planner.families.registry import family
from planner.numbers import amount, shortened
from planner.workload.validation import exact, listed
from planner.workload.workload import Workload

if TYPE_CHECKING:
    from planner.families.stages import PlannedStage

DONE, NOW, AHEAD = "done", "now", "ahead"


@st.cache_resource(show_spinner=False, max_entries=64, hash_funcs=BY_DIGEST)
def stages_of_run(family_name: str, workload: Workload, label: str) -> tuple[PlannedStage, ...]:
    """What a run of this plan goes through; one stage where nothing changes."""
    from planner.families.stages import planned_stages

    return planned_stages(family(family_name), workload, label)


def show(stages: Sequence[PlannedStage], end: float, reached: float | None = None) -> None:
    """The stages as a table; while a run is going, which of them are over."""
    st.dataframe(
        table(stages, end, reached),
        hide_index=True,
        column_config={"What changes": st.column_config.TextColumn(width="large")},
        alt="What changes when",
    )


def table(stages: Sequence[PlannedStage], end: float, reached: float | None = None) -> pd.DataFrame:
    """One row a stage: from when, until when, what is new in it, and what runs then."""
    starts = [0.0 if stage.at is None else stage.at / 1e6 for stage in stages]
    ends = [*starts[1:], max(end, starts[-1])]
    columns: dict[str, list[object]] = {
        "From (s)": [exact(start) for start in starts],
        "Until (s)": [exact(stop) for stop in ends],
        "What changes": ["it begins", *(_changes(*pair) for pair in pairwise(stages))],
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
    """Who leaves, who enters, and what becomes of the plan."""
    old = {query.name: query for query in before.workload.queries}
    new = {query.name: query for query in after.workload.queries}
    told = [
        *(f"{shortened(name)} leaves" for name in old if name not in new),
        *(f"{shortened(name)} enters" for name in new if name not in old),
        *(f"{shortened(name)} is another" for name in new if old.get(name, new[name]) != new[name]),
    ]
    if before.plan.label != after.plan.label:
        told.append(f"the plan becomes {plan_name(after.plan.label)}")
    return listed(told, 6) if told else "nothing"


def in_words(stages: Sequence[PlannedStage], reached: float) -> str:
    """Where a run that is going stands: what has changed, and what comes next."""
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
