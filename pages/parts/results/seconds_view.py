"""The seconds of plans, for runs that can be compared: same mode, backend and pace."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

from pages.parts.results import run_figures
from pages.parts.shared import charts, controls
from pages.parts.shared.formatting import counted, plain, plan_name
from planner.numbers import unique_names
from planner.workload.validation import exact
from runtime.runs.run_groups import Manner, manners, seconds_by_plan
from runtime.runs.run_summary import RunSummary

ENGINE, WHOLE = "In Spark", "Whole runs"
_PARTS = {ENGINE: ("kernel", "engine"), WHOLE: ("engine", "start", "total")}
_LEGEND = {
    ENGINE: "Spark: from its first micro-batch to its last. Kernels: their part of it, summed over "
    "tasks.",
    WHOLE: "Start: until Spark and the kernels were ready (a first run waits for them). Total: "
    "also preparing and writing data.",
}


def show(runs: Sequence[RunSummary]) -> None:
    """The seconds of every plan: medians over repeats, with their range."""
    every = manners(runs)
    if not every:
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        of = controls.segments("Seconds", [ENGINE, WHOLE], "seconds-of")
        chosen = next(iter(every))
        if len(every) > 1:
            chosen = st.selectbox(
                "Runs",
                list(every),
                format_func=lambda manner: f"{manner_text(manner)}: {_count(every[manner])}",
                key="seconds-of-runs",
            )
    rows = named(every[chosen])
    shown = run_figures.seconds(rows, _PARTS[of], manner_text(chosen))
    charts.show(shown, alt=run_figures.seconds_alternative(rows, _PARTS[of]))
    st.caption(f"Medians over repeats, with minimum and maximum. {_LEGEND[of]}")
    if len(every) > 1:
        st.caption(plain(left_out(every, chosen), 600))


def named(runs: Sequence[RunSummary]) -> run_figures.Spreads:
    """The seconds of each plan by its name."""
    rows = seconds_by_plan(runs)
    names = unique_names([plan_name(label) for label, _ in rows])
    return [(name, spreads) for name, (_, spreads) in zip(names, rows, strict=True)]


def manner_text(manner: Manner) -> str:
    """How plans were run, in a few words."""
    words = [manner.way or "unknown mode"]
    words += ["Spark's own operators"] if manner.backend == "native" else ["kernels"]
    if manner.pace is not None:
        words.append(f"at a pace of {exact(round(manner.pace, 2))} s per second")
    words += [f"on {manner.master}"] if manner.master else []
    return ", ".join(words)


def left_out(every: Mapping[Manner, Sequence[RunSummary]], chosen: Manner) -> str:
    """The runs that cannot be compared with those that are shown."""
    others = [
        f"{manner_text(manner)} ({counted(len(runs), 'run')})"
        for manner, runs in every.items()
        if manner != chosen
    ]
    return f"Left out, as seconds cannot be compared: {'; '.join(others)}." if others else ""


def _count(runs: Sequence[RunSummary]) -> str:
    plans = counted(len({run.label for run in runs}), "plan")
    return f"{plans}, {counted(len(runs), 'run')}"
