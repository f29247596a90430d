"""Which number varies, from where to where: kept as the text that the command line takes."""

from __future__ import annotations

import streamlit as st

from pages.parts.whatif import number_titles, ranges
from planner.errors import PlanError
from planner.families.protocol import Family
from planner.whatif.axes import Axis, parse_axis, spaced_axis
from planner.whatif.sweep_paths import path_in
from planner.workload.workload import Workload


def pick(family: Family, workload: Workload, key: str, steps: int, number: int = 0) -> str:
    """The axis as text. `number` says which of the usual numbers it has at first."""
    known = list(ranges.varied(workload, family))
    axis = _now(workload, known, key, steps, number)
    if axis.path not in known:
        known.append(axis.path)
    left, low, high, log = st.columns([3, 1.2, 1.2, 1], vertical_alignment="bottom")
    path = left.selectbox(
        "Number to vary" if not number else "Second number",
        known,
        known.index(axis.path),
        format_func=number_titles.title,
        key=f"{key}-path-{axis.path}",
    )
    if path != axis.path:
        axis = ranges.usual_axis(workload, path, steps)
        st.session_state[key] = ranges.axis_text(axis)
        st.rerun()
    first = low.number_input("From", value=axis.values[0], key=f"{key}-from-{path}", format="%g")
    last = high.number_input("To", value=axis.values[-1], key=f"{key}-to-{path}", format="%g")
    is_log = log.checkbox("Log scale", axis.is_log, key=f"{key}-log-{path}")
    chosen = spaced_axis(path, first, last, steps, is_log)
    st.session_state[key] = ranges.axis_text(chosen)
    return st.session_state[key]


def _now(workload: Workload, known: list[str], key: str, steps: int, number: int) -> Axis:
    """The axis that was chosen, or a usual one where the workload has no such number."""
    try:
        axis = parse_axis(st.session_state.get(key, ""))
        # A link may tie numbers that are not listed.
        path_in(workload, axis.path)
        return axis
    except PlanError:
        pass
    listed = [path for path in known if number_titles.is_rate(path)] or known
    return ranges.usual_axis(workload, listed[min(number, len(listed) - 1)], steps)
