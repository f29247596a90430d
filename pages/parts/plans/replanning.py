"""Changing rates: where they come from, when to switch plans, and what a threshold costs."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path

import pandas as pd
import streamlit as st

from pages.parts.plans import replanning_figures
from pages.parts.shared import backend, charts, controls, planning, state
from pages.parts.shared.formatting import moment, plain
from pages.parts.shared.state import BY_DIGEST
from planner.errors import PlanError, within
from planner.families.across import family_or_all
from planner.files.rate_files import TIME, read_trace, write_trace
from planner.report.replanning_report import (
    against,
    answer,
    notes,
    policies,
    replan_csv,
    switching_cost,
    threshold_text,
    unit_of,
)
from planner.seconds.calibration import calibrated_units, calibration_stamp
from planner.time_limit import planning_limit
from planner.whatif.rates import RateTrace, burst, day_and_night, slowest
from planner.whatif.replanning import MOST_SECONDS, THRESHOLDS, Replanning, ReplanningPolicy, replan
from planner.workload.workload import Workload

DEFAULT = 0.2
MOST_RUNS = 20
TABLE = "the table"
_QUIET = {"icon": None, "type": "tertiary"}


def show(name: str, workload: Workload) -> None:
    """The answer, then the rates and figures of what follows from them."""
    top = st.container()
    with controls.shown():
        trace = _pick(workload)
        if trace is None:
            st.caption("The last row may have only a time, which is the end of the trace.")
            return
        threshold = st.select_slider(
            options=THRESHOLDS,
            value=DEFAULT,
            format_func=threshold_text,
            key="threshold",
            **controls.field("threshold"),
        )
        pictures = st.container()
        with st.expander("Edit the rates in a table", icon=":material/edit:"):
            trace = _edited(trace, workload)
        found = followed(name, workload, trace).under(threshold)
        top.markdown(f"#### {plain(answer(found), 800)}", anchors=False)
        with pictures:
            _pictures(found, unit_of(found))


def followed(name: str, workload: Workload, trace: RateTrace) -> Replanning:
    """What plans cost while rates change, ranked by what the page has chosen."""
    by = planning.objective(name, workload).name
    return _followed(name, workload, trace, by, calibration_stamp())


@st.cache_resource(show_spinner="Following the rates", max_entries=32, hash_funcs=BY_DIGEST)
@planning_limit(MOST_SECONDS)
def _followed(
    name: str,
    workload: Workload,
    trace: RateTrace,
    by: str,
    calibrated: int,  # noqa: ARG001 - part of the key: the machine may be calibrated again
) -> Replanning:
    return replan(workload, trace, family_or_all(name), DEFAULT, by, calibrated_units())


def _pictures(found: Replanning, unit: str) -> None:
    for note in filter(None, (switching_cost(found), *notes(found))):
        st.caption(plain(note, 600))
    answered = answer(found)
    trace = found.trace
    charts.show(replanning_figures.rates(trace), alt=replanning_figures.rates_alternative(trace))
    charts.show(replanning_figures.plans(found), alt=f"Which plan runs when. {answered}")
    charts.show(replanning_figures.costs(found, unit), alt=f"Costs over time. {answered}")
    _table("Policy", [(title.capitalize(), p) for _, title, p in policies(found)], found, unit)
    left, right = st.columns(2, gap="medium")
    with left:
        _table("Threshold", [(threshold_text(x), p) for x, p in found.sweep], found, unit)
    with right:
        charts.show(
            replanning_figures.thresholds(found),
            alt="Re-plannings and cost of each threshold, as in the table next to it",
        )
    _conclusion(found)


def _table(
    first: str, rows: Sequence[tuple[str, ReplanningPolicy]], found: Replanning, unit: str
) -> None:
    """The cost of policies over the whole trace, and how often they re-plan."""
    controls.table(
        pd.DataFrame(
            {
                first: [title for title, _ in rows],
                "Re-plannings": [len(policy.planned_at) for _, policy in rows],
                "Compared with always best": [against(found, policy) for _, policy in rows],
                "Changes": [len(policy.changed_at) for _, policy in rows],
                "Operations to switch": [round(policy.switching) for _, policy in rows],
                unit.capitalize(): [round(policy.total) for _, policy in rows],
            }
        ),
        f"{first}: re-plannings, plan changes and {unit} over the whole trace",
        columns={unit.capitalize(): st.column_config.NumberColumn(format="compact")},
    )


def _conclusion(found: Replanning) -> None:
    advised = dict(found.sweep)[found.advised]
    st.caption(
        f"Best single plan in hindsight: {plain(found.hindsight.plans[0])}. Of the thresholds "
        f"within 1% of the cheapest, {threshold_text(found.advised)} re-plans least often "
        f"({len(advised.planned_at)} times)."
    )
    controls.download("Download by interval", replan_csv(found), "replanning.csv", **_QUIET)


def _pick(workload: Workload) -> RateTrace | None:
    """The trace that the user chooses; None until there is one."""
    sources: dict[str, Callable[[Workload], RateTrace | None]] = {
        "A burst": _burst,
        "Day and night": day_and_night,
        "A file": _file,
    }
    if state.data()[0] is not None:
        sources["Own data"] = counted_trace
    if backend.runs(workload.digest, MOST_RUNS):
        sources["A run"] = _run
    return sources[controls.segments("Rates from", sources, "rates-from", kept=True)](workload)


def _burst(workload: Workload) -> RateTrace:
    used = {source.name for query in workload.queries for source in query.sources}
    names = [stream.name for stream in workload.streams if stream.name in used]
    left, right = st.columns(2)
    stream = left.selectbox("Stream", names, index=names.index(slowest(workload)))
    return burst(workload, stream, right.number_input(**controls.field("burst-factor")))


def _file(workload: Workload) -> RateTrace | None:
    file = st.file_uploader(key="rates-file", **controls.field("rates-file"))
    if file is None:
        return None
    read = read_trace(file.getvalue(), file.name)
    with within(file.name, ": "):
        return read.of(workload)


def _every(workload: Workload) -> float:
    return st.number_input(
        "Interval for counting arrivals (s)",
        min_value=0.001,
        value=max(float(workload.longest_window), 0.001),
        format="%g",
        key=f"rates-every-{workload.digest}",
    )


def counted_trace(workload: Workload) -> RateTrace:
    """The rates that the open data have, interval by interval."""
    folder, sort = state.data()
    assert folder is not None, "`pick` offers data where there are some"
    stamp = planning.stamp_of(folder)
    return _counted(workload, str(folder), stamp, sort, _every(workload))


@st.cache_resource(show_spinner="Counting arrivals", max_entries=8, hash_funcs=BY_DIGEST)
def _counted(
    workload: Workload,
    folder: str,
    stamp: planning.Stamp,  # noqa: ARG001 - part of the key: files may change
    sort: bool,
    every: float,
) -> RateTrace:
    from planner.files.own_data import read_folder
    from planner.whatif.rates import counted_rates

    return counted_rates(workload, read_folder(Path(folder), workload, sort).tables, every)


def _run(workload: Workload) -> RateTrace:
    runs = {run.id: run for run in backend.runs(workload.digest, MOST_RUNS)}
    left, right = st.columns(2)
    chosen = left.selectbox(
        "Run",
        list(runs),
        format_func=lambda name: f"{moment(runs[name].started)} · {runs[name].plan.label}",
    )
    with right:
        every = _every(workload)
    return _run_counted(chosen, every)


@st.cache_resource(show_spinner="Counting arrivals", max_entries=8)
def _run_counted(run_id: str, every: float) -> RateTrace:
    from runtime.runs.run_tuples import run_rates

    return run_rates(backend.history().get(run_id), every)


def _edited(trace: RateTrace, workload: Workload) -> RateTrace:
    """The trace as edited in a table: one row per time, the last one is its end."""
    text = write_trace(trace)
    # Edits are kept per trace.
    key = hashlib.blake2s(text.encode(), digest_size=8).hexdigest()
    ends = [float("nan")] * len(trace.streams)
    rows = [[time, *rates] for time, rates in zip(trace.times, trace.rates, strict=True)]
    frame = pd.DataFrame([*rows, [trace.end, *ends]], columns=[TIME, *trace.streams])
    table = st.data_editor(
        frame,
        key=f"rates-table-{key}",
        num_rows="dynamic",
        hide_index=True,
        placeholder="end",
        height=min(38 + 35 * (len(frame) + 1), 458),
        column_config={
            TIME: st.column_config.NumberColumn("From (s)", format="%g"),
            **{
                name: st.column_config.NumberColumn(f"{name} (tuples/s)", format="%g")
                for name in trace.streams
            },
        },
        alt="Rates over time",
    )
    controls.download("Download as CSV", text, "rates.csv", **_QUIET)
    return from_table(table, workload)


def from_table(table: pd.DataFrame, workload: Workload) -> RateTrace:
    """The trace of an edited table, sorted by time, without empty rows."""
    kept = table.dropna(how="all")
    if kept[TIME].isna().any():
        raise PlanError("a row has no time; fill it in, or delete the row", TABLE)
    kept = kept.sort_values(TIME, kind="stable")
    read = read_trace(kept.to_csv(index=False).encode(), TABLE)
    with within(TABLE, ": "):
        return read.of(workload)
