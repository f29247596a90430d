"""Ranges instead of numbers: the plan that is never far from the best, and the best on average."""

from __future__ import annotations

from functools import partial
from pathlib import Path as FilePath
from typing import Any

import streamlit as st

from pages.parts.plans.replanning import counted_trace
from pages.parts.shared import controls, planning, state
from pages.parts.shared.formatting import plain
from pages.parts.shared.planning import plan_title
from pages.parts.shared.state import BY_DIGEST
from pages.parts.whatif import number_titles, ranges, scenarios
from pages.parts.whatif.sliders import rows_as_columns
from pages.parts.whatif.whatif_figures import about
from planner.families.across import family_or_all
from planner.families.protocol import Family
from planner.report.robust_report import sentences
from planner.seconds.calibration import calibrated_units, calibration_stamp
from planner.time_limit import planning_limit
from planner.whatif.axes import Axis
from planner.whatif.cells import MOST_SECONDS
from planner.whatif.measured_ranges import condition_ranges, rate_ranges
from planner.whatif.numbers.path import Path
from planner.whatif.robust import RobustChoice, robust_choice
from planner.workload.workload import Workload

SAMPLES = (50, 100, 200, 500)
_MOST_ROWS = 10
_MOST_RANGES = 6


@st.cache_resource(show_spinner="Drawing workloads", max_entries=32, hash_funcs=BY_DIGEST)
@planning_limit(MOST_SECONDS)
def _chosen(
    name: str,
    workload: Workload,
    axes: tuple[Axis, ...],
    by: str,
    samples: int,
    calibrated: int,  # noqa: ARG001 - part of the key: the machine may be calibrated again
) -> RobustChoice:
    family, units = family_or_all(name), calibrated_units()
    return robust_choice(workload, axes, family, by, samples, units)


def show(family: Family, workload: Workload) -> None:
    """Pick the ranges, then the answer and the plans that were compared."""
    rail, result = st.columns([1, 2.6], gap="medium")
    with rail:
        measured = _measured(workload)
        axes = (*(measured or ()), *_chosen_ranges(family, workload, measured or ()))
        samples = st.select_slider(
            "Workloads to draw",
            SAMPLES,
            key=scenarios.choice("whatif-samples", SAMPLES, 100),
            persist_state="session",
            help="More of them take longer, and say the expected cost more exactly: its error is "
            "in the table.",
        )
    with result, controls.shown():
        if not axes:
            st.info("Choose a number that is not certain.")
            return
        _result(family, workload, axes, samples)


def _measured(workload: Workload) -> tuple[Axis, ...] | None:
    """The ranges that numbers have over time in the open data; None where they are chosen."""
    if state.data()[0] is None:
        return None
    key = scenarios.choice("whatif-from-data", (True, False), True)
    if not st.toggle("Numbers as they spread in your data", key=key, persist_state="session"):
        return None
    axes = (*rate_ranges(counted_trace(workload)), *_conditions(workload))
    if not axes:
        st.caption("Nothing changes over time in these data.")
        return None
    for axis in axes:
        low, high = (ranges.shown(value) for value in axis.values)
        st.markdown(plain(f"{number_titles.title(axis.path)}: {low} to {high}", 120))
    st.caption(
        "From the 5th to the 95th percentile over intervals: of rates, and of the shares that pass "
        "conditions where streams have 1,000 tuples or more."
    )
    return axes


def _conditions(workload: Workload) -> tuple[Axis, ...]:
    folder, sort = state.data()
    assert folder is not None, "asked for where there are data"
    declared = state.workload().only(planning.query_name())
    return _measured_conditions(workload, declared, str(folder), planning.stamp_of(folder), sort)


@st.cache_resource(show_spinner="Measuring conditions", max_entries=8, hash_funcs=BY_DIGEST)
def _measured_conditions(
    workload: Workload,
    declared: Workload,
    folder: str,
    stamp: planning.Stamp,  # noqa: ARG001 - part of the key: files may change
    sort: bool,
) -> tuple[Axis, ...]:
    from planner.files.own_data import read_folder

    tables = read_folder(FilePath(folder), declared, sort).tables
    return condition_ranges(workload, declared, tables)


def _chosen_ranges(
    family: Family, workload: Workload, measured: tuple[Axis, ...]
) -> tuple[Axis, ...]:
    """Other numbers that are not certain; at first the usual ones where nothing is measured."""
    taken = {axis.path for axis in measured}
    known = {p: own for p, own in ranges.varied(workload, family).items() if p not in taken}
    spans: dict[str, list[float]] = st.session_state.get(scenarios.RANGES, {})
    usual = [] if measured else ranges.usual(workload, family)[:2]
    first = [path for path in spans if path in known] if spans else usual
    key = f"whatif-uncertain-{workload.digest}-{len(measured)}"
    if key not in st.session_state:
        st.session_state[key] = first
    paths = st.multiselect(
        "Numbers that are not certain" if not measured else "Other numbers that are not certain",
        list(known),
        format_func=number_titles.title,
        max_selections=_MOST_RANGES,
        key=key,
        persist_state="session",
    )
    found = tuple(_range(path, known[path], spans.get(path)) for path in paths)
    st.session_state[scenarios.RANGES] = {axis.path: list(axis.values) for axis in found}
    return found


def _result(family: Family, workload: Workload, axes: tuple[Axis, ...], samples: int) -> None:
    by = planning.objective(family.name, workload)
    found = _chosen(family.name, workload, axes, by.name, samples, calibration_stamp())
    first, *others = sentences(found, plan_title)
    st.markdown(f"#### {plain(first, 400)}", anchors=False)
    for sentence in others:
        st.markdown(plain(sentence, 400))
    _table(found)
    note = f" {found.about.note[0].upper()}{found.about.note[1:]}." if found.about.note else ""
    st.caption(
        f"{plain(about(found), 400)}; {found.samples:,} workloads were drawn evenly from the "
        "ranges, and their corners. The worst of these workloads is shown: others may be worse "
        f"still. The ± is 95% sure.{note}"
    )


def _options(path: Path) -> list[float]:
    """A range is of numbers: what is not declared is none."""
    return [value for value in ranges.options(path, None) if value]


def _range(path: str, place: Path, span: list[float] | None) -> Axis:
    options = sorted({*_options(place), *(value for value in span or () if value <= place.most)})
    usual = (options[len(options) // 4], options[3 * len(options) // 4])
    key = f"whatif-range-{path}"
    if not _is_range(st.session_state.get(key), options):
        st.session_state[key] = tuple(span) if _is_range(span, options) and span else usual
    chosen: Any = st.select_slider(
        number_titles.title(path),
        options,
        format_func=partial(number_titles.value, path),
        key=key,
    )
    low, high = chosen
    return Axis(path, (low, high), is_log=low > 0)


def _is_range(span: object, options: list[float]) -> bool:
    return isinstance(span, list | tuple) and len(span) == 2 and all(v in options for v in span)


def _table(found: RobustChoice) -> None:
    named = {
        found.nominal: "best as declared",
        found.safest: "safest",
        found.expected: "best on average",
    }
    if found.safest == found.expected:
        named[found.safest] = "safest, best on average"
    rows: list[dict[str, object]] = [
        {
            "Plan": plan_title(own.plan),
            "Chosen as": named.get(own.plan, ""),
            "At worst": ranges.beside_best(own.worst),
            "On average": ranges.beside_best(own.mean),
            f"Expected ({found.by.unit})": f"{ranges.shown(own.expected)} "
            f"± {ranges.shown(own.error)}",
        }
        for own in found.plans[:_MOST_ROWS]
    ]
    controls.table(rows_as_columns(rows), "Plans over the ranges: regret and expected score")
