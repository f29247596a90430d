"""A calibration on its page: the answer, the button, tables of units, and C_sys to take over."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st

from pages.parts.run import progress
from pages.parts.shared import backend, state
from pages.parts.shared.formatting import moment, plain, seconds_text
from pages.parts.workload import drafts
from planner.workload.validation import exact

if TYPE_CHECKING:
    from planner.seconds.calibration import Calibration

ABOUT = (
    "Small designed runs of every kernel, and a stream of tiny micro-batches, tell by regression "
    "how long a unit of each kind of work takes here. From then on Plans, Run and Results predict "
    "seconds by it. It takes about half a minute, longer the first time (kernels are compiled "
    "then) or beside other work."
)
_KERNELS = {
    "multiway": "Eager joins on one attribute",
    "loops": "All other joins",
    "relations": "Joins with relations",
    "aggregation": "Aggregations",
    "slices": "Sliced joins",
}


def answer(found: Calibration | None) -> str:
    """Whether there is one that holds, and how near it comes."""
    if found is None:
        return "Not calibrated yet: seconds are by unit costs of another machine."
    if found.is_stale:
        return "The kernels have changed since: calibrate again. Seconds are by defaults till then."
    errors = sorted(fit.held_out for fit in found.fits.values())
    return (
        f"Calibrated: runs left out are foretold within {errors[0]:.2f} to {errors[-1]:.2f} times, "
        "at the median of each kernel."
    )


def controls(found: Calibration | None) -> None:
    """Calibrate, or how far that is."""
    job = backend.calibrating()
    if job is not None:
        progress.live(job.id)
        return
    mine = backend.calibration_job()
    if mine is not None and (error := mine.entries[0].error):
        st.error(plain(error, 400), icon=":material/error:")
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            "Calibrate this machine" if found is None else "Calibrate again",
            type="primary" if found is None or found.is_stale else "secondary",
            icon=":material/speed:",
            on_click=backend.calibrate,
        )
        if found is not None:
            st.caption(
                f"{plain(found.machine)}, {moment(found.made)}, in {seconds_text(found.seconds)}. "
                f"Numba {plain(found.versions['numba'])}."
            )


def units(found: Calibration) -> None:
    """What a unit of each kind of work takes, kernel by kernel."""
    st.markdown("### What each unit of work takes", anchors=False)
    chosen = st.segmented_control(
        "Kernel",
        list(found.figures),
        format_func=lambda kernel: _KERNELS.get(kernel, kernel),
        required=True,
        default=next(iter(found.figures)),
        key="calibrated-kernel",
        label_visibility="collapsed",
    )
    fit = found.fits[chosen]
    st.caption(
        f"q-error over {fit.runs} runs: {fit.median:.2f} at the median, {fit.worst:.2f} at worst; "
        f"{fit.held_out:.2f} at the median where each is foretold by the units of all others. "
        "Spread is how far a figure moves when a run is left out; work that always comes together "
        "is told apart loosely."
    )
    st.dataframe(
        table(found, chosen),
        hide_index=True,
        width="content",
        column_config={
            "Nanoseconds": st.column_config.NumberColumn(format="%.3g"),
            "Spread (ns)": st.column_config.NumberColumn(format="%.3g"),
        },
        alt="Nanoseconds of each unit of work of the chosen kernel, with their spread",
    )


def table(found: Calibration, kernel: str) -> pd.DataFrame:
    """One row for each kind of work of a kernel."""
    figures = found.figures[kernel]
    return pd.DataFrame(
        {
            "Each": [name[:1].upper() + name[1:] for name in figures],
            "Nanoseconds": [1e9 * figure.value for figure in figures.values()],
            "Spread (ns)": [1e9 * figure.spread for figure in figures.values()],
        }
    )


def overhead(found: Calibration) -> None:
    """What is not a unit of a kernel: a micro-batch of Spark, and C_sys, to plan chains with."""
    st.markdown("### Overheads", anchors=False)
    if found.batch is not None:
        st.markdown(
            f"A micro-batch costs Spark **{1000 * found.batch.value:.0f} ms**, whatever is in it "
            f"(spread {1000 * found.batch.spread:.0f} ms)."
        )
    if found.c_sys is None:
        st.markdown("The runs did not tell C_sys apart; calibrate again on a quiet machine.")
        return
    c_sys = found.c_sys
    st.markdown(
        f"A tuple that enters a slice costs **C_sys = {c_sys.value:.0f} comparisons** (spread "
        f"{c_sys.spread:.0f}). Chains are ranked by comparisons and `execution.c_sys`, which is "
        f"{exact(state.workload().execution.c_sys)} in the workload in force."
    )
    st.button(
        "Use this C_sys in the workload",
        icon=":material/input:",
        on_click=use_c_sys,
        args=(round(c_sys.value, 1),),
        help="CPU-Opt is then the cheapest chain by this machine's clock.",
    )


def use_c_sys(value: float) -> None:
    """Put C_sys into the workload; all pages then plan with it."""
    workload = state.workload()
    drafts.set_execution(replace(workload.execution, c_sys=value))
