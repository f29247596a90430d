"""The statistics of a run over time, as they are seen: on Run while it goes on, then on Results."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from pages.parts.shared import charts, controls
from pages.parts.shared.formatting import plain
from pages.parts.time_lines import statistics_figure
from planner.adapt.switches import Switch
from planner.statistics.observed import BatchStatistics
from planner.statistics.observed_series import series_of, summary
from planner.workload.workload import Workload


def show(
    observed: Sequence[BatchStatistics],
    workload: Workload,
    key: str,
    switches: Sequence[Switch] = (),
) -> None:
    """One statistic at a time, and a sentence on what is not as declared."""
    if not observed:
        return
    series = series_of(observed, workload)
    st.markdown(f":material/monitoring: {plain(summary(series), 1000)}")
    name = controls.segments("Statistic", series, f"statistic-{key}", hidden_label=True)
    shown = series[name]
    figure = statistics_figure.statistic(observed, name, shown, switches=switches)
    charts.show(figure, statistics_figure.alternative(name, shown), key=f"statistic-figure-{key}")
    if len(shown) > statistics_figure.MOST_LINES:
        st.caption(f"The first {statistics_figure.MOST_LINES} of {len(shown)} are drawn.")
