"""Where a trace of rates comes from: an example, a file, own data, or a run; and its table."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pandas as pd
import streamlit as st

from pages.parts.shared import backend, planning, state
from pages.parts.shared.caching import BY_DIGEST
from pages.parts.shared.formatting import moment
from planner.errors import PlanError, within
from planner.files.rate_files import TIME, read_trace, write_trace
from planner.whatif.rates import RateTrace, burst, day_and_night, slowest
from planner.workload.workload import Workload

BURST, DAY, FILE, DATA, RUN = "A burst", "Day and night", "A file", "Own data", "A run"
MOST_RUNS = 20
TABLE = "the table"


def pick(workload: Workload) -> RateTrace | None:
    """The trace that the user asks for; None until there is one."""
    sources = [BURST, DAY, FILE]
    if state.data()[0] is not None:
        sources.append(DATA)
    if backend.runs(workload.digest, MOST_RUNS):
        sources.append(RUN)
    chosen = st.segmented_control(
        "Rates from",
        sources,
        default=BURST,
        required=True,
        key="rates-from",
        persist_state="session",
    )
    if chosen == BURST:
        return _burst(workload)
    if chosen == FILE:
        return _file(workload)
    if chosen == DATA:
        return _data(workload)
    return _run(workload) if chosen == RUN else day_and_night(workload)


def _burst(workload: Workload) -> RateTrace:
    used = {source.name for query in workload.queries for source in query.sources}
    names = [stream.name for stream in workload.streams if stream.name in used]
    left, right = st.columns(2)
    stream = left.selectbox("Stream", names, index=names.index(slowest(workload)))
    factor = right.number_input(
        "Times its rate, for a while", min_value=0.0, max_value=1e6, value=10.0, format="%g"
    )
    return burst(workload, stream, factor)


def _file(workload: Workload) -> RateTrace | None:
    file = st.file_uploader(
        "A CSV file with a column `time` in seconds and a column of tuples/s for each stream",
        type=["csv"],
        key="rates-file",
    )
    if file is None:
        return None
    read = read_trace(file.getvalue(), file.name)
    with within(file.name, ": "):
        return read.of(workload)


def _every(workload: Workload) -> float:
    return st.number_input(
        "Count arrivals every so many seconds",
        min_value=0.001,
        value=max(float(workload.longest_window), 0.001),
        format="%g",
        key=f"rates-every-{workload.digest}",
    )


def _data(workload: Workload) -> RateTrace:
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


def edited(trace: RateTrace, workload: Workload) -> RateTrace:
    """The trace as the user leaves it in a table: a row a time, the last one its end."""
    text = write_trace(trace)
    # Edits belong to the trace they were made to.
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
    st.download_button(
        "Download as CSV", text, "rates.csv", "text/csv", on_click="ignore", type="tertiary"
    )
    return from_table(table, workload)


def from_table(table: pd.DataFrame, workload: Workload) -> RateTrace:
    """The trace of an edited table: rows in the order of their times, empty ones left out."""
    kept = table.dropna(how="all")
    if kept[TIME].isna().any():
        raise PlanError("a row has no time; fill it in, or delete the row", TABLE)
    kept = kept.sort_values(TIME, kind="stable")
    read = read_trace(kept.to_csv(index=False).encode(), TABLE)
    with within(TABLE, ": "):
        return read.of(workload)
