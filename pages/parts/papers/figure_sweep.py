"""The curves of a figure as sweeps on What-if: every plan, wherever the paper has points."""

from __future__ import annotations

import streamlit as st

from pages.parts.shared import state
from pages.parts.shared.formatting import plain
from pages.parts.whatif import figure_rows, number_titles, ranges, scenarios
from planner.experiments.experiment import Curve, Experiment
from planner.experiments.registry import experiment
from planner.whatif.numbers.found_axes import axis_through

_STEPS = 20


def offer(chosen: Experiment) -> None:
    """A button that opens a curve as a sweep. Where all its points are of one workload, as where a
    figure has a point for each query, the usual number of that workload varies."""
    curves = _curves(chosen)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        place = next(iter(curves))
        if len(curves) > 1:
            place = st.selectbox(
                "Curve to open as a sweep",
                list(curves),
                format_func=lambda at: curves[at].label,
                key=f"swept curve of {chosen.name}",
            )
        path = _axis(chosen.name, place)
        varied = chosen.x.title if path is None else number_titles.title(path.rpartition("=")[0])
        if st.button(
            "Open as a sweep",
            icon=":material/tune:",
            help=f"What-if, varying: {plain(varied, 80)}",
            key="open-sweep",
        ):
            _open(curves[place], path or figure_rows.text_of(chosen.name, place))


def _open(curve: Curve, axis: str) -> None:
    point = curve.points[0]
    state.open_workload(point.workload)
    state.choose_family(point.family)
    scenarios.open_axis(axis)
    st.switch_page("pages/whatif.py")


def _curves(chosen: Experiment) -> dict[int, Curve]:
    """The curves, one of those through the same workloads."""
    found: dict[tuple[str, ...], int] = {}
    for place, curve in enumerate(chosen.curves):
        digests = tuple(dict.fromkeys(point.workload.digest for point in curve.points))
        found.setdefault(digests, place)
    return {place: chosen.curves[place] for place in found.values()}


@st.cache_resource(show_spinner=False)
def _axis(name: str, place: int) -> str | None:
    """The axis through the workloads of a curve; None where they differ in more than a number."""
    points = experiment(name).curves[place].points
    workloads = [point.workload for point in points]
    if len({workload.digest for workload in workloads}) == 1:
        path = ranges.usual_number(workloads[0])
        return ranges.axis_text(ranges.usual_axis(workloads[0], path, _STEPS))
    found = axis_through(workloads)
    return None if found is None else ranges.axis_text(found)
