"""The matrix by which a policy decides: the best partial window from each window on."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from pages.parts.families.protocol import PlanChoice
from pages.parts.families.shared_schedule import windows
from pages.parts.shared import controls
from pages.parts.shared.formatting import plain, plan_name
from planner.families.shared_schedule.labels import MQT, OUT, WMQT
from planner.families.shared_schedule.space import ThroughputEntry
from planner.workload.validation import exact

_SERVED = {MQT: "queries", WMQT: "weight of queries", OUT: "results"}


def show(choice: PlanChoice) -> None:
    """The matrix of the chosen policy, or of MQT where the chosen one has none."""
    space = windows.schedules(choice.workload)
    label = choice.label if space.matrix(choice.label) else MQT
    unit = windows.unit_of(space.model)
    if label != choice.label:
        st.caption(f"{plain(plan_name(choice.label))} needs no matrix; this is the one of {MQT}.")
    served = _SERVED[space.schedule(label).policy]
    controls.table(
        matrix_table(space.matrix(label), unit),
        f"The matrix of {label}: {served} served per length of window",
    )
    st.caption(
        f"A row is where a tuple has come to, a column the next window where another one waits. An "
        f"entry is the most {served} served per {'row' if unit == 'rows' else 'second'} of "
        "window, and after the arrow the window up to which the tuple then scans. "
        "The largest entry among the tuples that wait wins; of equal ones the "
        f"{choice.workload.execution.ties} window does."
    )


def matrix_table(entries: tuple[ThroughputEntry, ...], unit: str) -> pd.DataFrame:
    """A row for each window where a scan may begin, a column for each where it may end."""
    starts = sorted({entry.start for entry in entries})
    limits = sorted({entry.limit for entry in entries})
    cells = {
        (entry.start, entry.limit): f"{entry.value:.3g} → {exact(entry.until)}" for entry in entries
    }
    columns: dict[str, list[str]] = {f"From ({unit})": [exact(start) for start in starts]}
    for limit in limits:
        columns[f"up to {exact(limit)}"] = [cells.get((start, limit), "") for start in starts]
    return pd.DataFrame(columns)
