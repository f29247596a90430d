"""A run over time on Results: its switches and what they saved, and the statistics that it saw."""

from __future__ import annotations

import streamlit as st

from pages.parts.shared.formatting import seconds_text
from pages.parts.time_lines import adaptive_view, statistics_view
from planner.numbers import figure
from runtime.runs.records import Run


def show(run: Run) -> None:
    """What was seen, or how a run is asked to watch."""
    adaptive_view.show(run)
    found = run.measurement
    if found is None or not found.observed:
        st.caption(
            "This run was not watched. Under Advanced on Run, *Watch statistics* measures rates, "
            "keys and selectivities while a plan runs as a stream."
        )
        return
    statistics_view.show(found.observed, run.workload, run.id, run.switches)
    watch, kernel = found.timings.watch, found.timings.kernel
    if watch is not None and kernel:
        share = figure(100 * watch / kernel)
        st.caption(f"Watching took {share}% of the CPU time that the kernels took.")
    if found.timings.decide is not None:
        st.caption(f"Deciding on plans took {seconds_text(found.timings.decide)} of CPU time.")
