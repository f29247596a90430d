"""The seconds of plans, of runs that can be compared: one way, one backend, one pace."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import streamlit as st

from pages.parts.results import run_figures
from pages.parts.shared import charts
from pages.parts.shared.formatting import counted, plain, plan_name
from planner.numbers import told_apart
from planner.workload.validation import exact
from runtime.runs.run_groups import manners, seconds_by_plan

if TYPE_CHECKING:
    from runtime.runs.run_groups import Manner
    from runtime.runs.run_summary import RunSummary

ENGINE, WHOLE = "In Spark", "Whole runs"
_PARTS = {ENGINE: ("kernel", "engine"), WHOLE: ("engine", "start", "total")}
_TOLD = {
    ENGINE: "Spark: from its first micro-batch to its last. Kernels: inside it, summed over tasks.",
    WHOLE: "Start: until Spark and the kernels were ready, which a first run waits for. Total: "
    "also what was prepared and written.",
}


def show(runs: Sequence[RunSummary]) -> None:
    """The seconds of every plan: medians over repeats, with their range; what is left out."""
    every = manners(runs)
    if not every:
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        of = st.segmented_control(
            "Seconds", [ENGINE, WHOLE], default=ENGINE, required=True, key="seconds-of"
        )
        chosen = next(iter(every))
        if len(every) > 1:
            chosen = st.selectbox(
                "Of runs",
                list(every),
                format_func=lambda manner: f"{told(manner)}: {_count(every[manner])}",
                key="seconds-of-runs",
            )
    rows = named(every[chosen])
    shown = run_figures.seconds(rows, _PARTS[of], told(chosen))
    charts.show(shown, alt=run_figures.seconds_in_words(rows, _PARTS[of]))
    st.caption(f"Medians over repeats, with the least and the most. {_TOLD[of]}")
    if len(every) > 1:
        st.caption(plain(left_out(every, chosen), 600))


def named(runs: Sequence[RunSummary]) -> run_figures.Spreads:
    """The seconds of each plan by its name."""
    rows = seconds_by_plan(runs)
    names = told_apart([plan_name(label) for label, _ in rows])
    return [(name, spreads) for name, (_, spreads) in zip(names, rows, strict=True)]


def told(manner: Manner) -> str:
    """How runs were run, in few words."""
    words = [manner.way or "unknown way"]
    words += ["Spark's own operators"] if manner.backend == "native" else ["kernels"]
    if manner.pace is not None:
        words.append(f"at a pace of {exact(round(manner.pace, 2))} s a second")
    words += [f"on {manner.master}"] if manner.master else []
    return ", ".join(words)


def left_out(every: Mapping[Manner, Sequence[RunSummary]], chosen: Manner) -> str:
    """Which runs cannot be compared with those that are shown."""
    others = [
        f"{told(manner)} ({counted(len(runs), 'run')})"
        for manner, runs in every.items()
        if manner != chosen
    ]
    return f"Left out, as their seconds are others: {'; '.join(others)}." if others else ""


def _count(runs: Sequence[RunSummary]) -> str:
    plans = counted(len({run.label for run in runs}), "plan")
    return f"{plans}, {counted(len(runs), 'run')}"
