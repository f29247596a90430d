"""The Calibration page: the answer, the button, tables of unit costs, and C_sys."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd
import streamlit as st

from pages.parts.run import progress
from pages.parts.shared import backend, controls, state
from pages.parts.shared.formatting import counted, moment, plain, seconds_text
from pages.parts.workload import drafts
from planner.seconds.calibration import Calibration

# Shorter times are in picoseconds.
_LEAST_NS = 0.1
ABOUT = (
    "Calibration measures small runs of every kernel and a stream of tiny micro-batches, and finds "
    "by regression how long each kind of work takes on this machine. Plans, Run and Results then "
    "predict seconds from it. It takes about half a minute, longer the first time (kernels are "
    "compiled) or while other work runs."
)


def answer(found: Calibration | None) -> str:
    """Whether the machine is calibrated, and how accurately."""
    if found is None:
        return "Not calibrated yet: seconds are predicted from unit costs of another machine."
    if found.is_stale:
        return "The kernels have changed: calibrate again. Until then, seconds are from defaults."
    errors = sorted(fit.held_out for fit in found.fits.values())
    return (
        f"Calibrated: test runs are predicted within {100 * (errors[0] - 1):.0f}% to "
        f"{100 * (errors[-1] - 1):.0f}%, in the median of each kernel."
    )


def buttons(found: Calibration | None) -> None:
    """The button, or the progress of the calibration."""
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
    """The time of each kind of work, by kernel."""
    st.markdown("### Time per unit of work", anchors=False)
    field = controls.field("calibrated-kernel") | {"options": list(found.figures)}
    chosen = controls.segments(key="calibrated-kernel", hidden_label=True, **field)
    fit = found.fits[chosen]
    st.caption(
        f"q-error over {fit.runs} runs: median {fit.median:.2f}, worst {fit.worst:.2f}; median "
        f"{fit.held_out:.2f} where each run is predicted from the others. Spread is how much a "
        "figure changes when one run is left out. Kinds of work that always occur together are "
        "hard to separate."
    )
    controls.table(
        table(found, chosen),
        "The time of each unit of work of the chosen kernel, with its spread",
        width="content",
    )


def table(found: Calibration, kernel: str) -> pd.DataFrame:
    """One row per kind of work of a kernel."""
    figures = found.figures[kernel]
    return pd.DataFrame(
        {
            "Kind of work": [name[:1].upper() + name[1:] for name in figures],
            "Time": [time_text(figure.value) for figure in figures.values()],
            "Spread": [time_text(figure.spread) for figure in figures.values()],
        }
    )


def time_text(seconds: float) -> str:
    """Three digits of a very short time; the regression gives nothing to what hides in the rest.

    >>> time_text(3.1e-08), time_text(4.567e-11), time_text(0.0)
    ('31 ns', '45.7 ps', 'too little to measure')
    """
    if not seconds:
        return "too little to measure"
    ns = 1e9 * seconds
    return f"{ns:,.3g} ns" if ns >= _LEAST_NS else f"{1000 * ns:.3g} ps"


def overhead(found: Calibration) -> None:
    """The overhead of a micro-batch, and C_sys, which chains are planned with."""
    st.markdown("### Overheads", anchors=False)
    if found.batch is not None:
        st.markdown(
            f"A micro-batch costs Spark **{1000 * found.batch.value:.0f} ms**, whatever its size "
            f"(spread {1000 * found.batch.spread:.0f} ms)."
        )
    if found.c_sys is None:
        st.markdown("C_sys could not be measured; calibrate again while nothing else runs.")
        return
    c_sys = found.c_sys
    st.markdown(
        f"A tuple that enters a slice costs **C_sys = {c_sys.value:.0f} comparisons** (spread "
        f"{c_sys.spread:.0f}). The open workload counts each such tuple as "
        f"{counted(state.workload().execution.c_sys, 'comparison')}."
    )
    st.button(
        "Use this C_sys in the workload",
        icon=":material/input:",
        on_click=use_c_sys,
        args=(round(c_sys.value, 1),),
        help="CPU-Opt is then the fastest chain on this machine.",
    )


def use_c_sys(value: float) -> None:
    """Put C_sys into the workload, for all pages."""
    workload = state.workload()
    drafts.set_execution(replace(workload.execution, c_sys=value))
