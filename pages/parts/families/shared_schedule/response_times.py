"""Response times on the Results page: measured beside predicted, all policies, three clocks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
import streamlit as st

from pages.parts.families.shared_schedule import delay_figures, windows
from pages.parts.families.shared_schedule.delay_figures import ALONE
from pages.parts.shared import charts, controls, seconds
from pages.parts.shared.formatting import error_text, plain, plan_name, rounded_each, safe
from planner.families.shared_schedule.model import model_of
from planner.families.shared_schedule.ranking_notes import percent
from planner.numbers import shortened
from planner.plan.cost import Quality
from planner.seconds.units import units_of
from runtime.data.run_data import run_seconds
from runtime.runs.records import Run

ISOLATED = "isolated"
# What can be shown of a query's delays, by its name in the record.
FIGURES = {
    "delay_ms": "Mean",
    "delay_ms_p50": "Median",
    "delay_ms_p95": "95th percentile",
    "delay_ms_p99": "99th percentile",
    "delay_ms_max": "Longest",
    "scan_delay_ms": "Until scanned",
}
Schedules = Mapping[str, Mapping[str, Any]]


def show(run: Run) -> None:
    """The section of one run; nothing where nothing was measured."""
    if run.measurement is None or not run.measurement.schedules:
        return
    st.markdown("### Response times", anchors=False)
    figure = controls.segments(
        "Delay of results", FIGURES, "delay-figure", kept=True, format_func=FIGURES.__getitem__
    )
    queries = windows.ends([query.name for query in run.workload.queries])
    _measured(run, figure, queries)
    _policies(run.measurement.schedules, figure, queries)
    controls.table(
        buffers_table(run.measurement.schedules),
        "Load, queues and buffers of every policy in this run",
        columns="schedules-run",
        placeholder="–",
    )
    st.markdown("\n".join(f"- {line}" for line in clocks(run)))


def _measured(run: Run, figure: str, queries: Sequence[str]) -> None:
    """The policy that was run: bars as measured, marks as predicted."""
    assert run.measurement is not None
    found, expected = (
        [_figure(outcome.qualities.get(query), figure) for query in queries]
        for outcome in (run.measurement, run.estimate)
    )
    rows = _names(queries)
    title = f"{plan_name(run.plan.label)}: measured, with predicted marks"
    charts.show(
        delay_figures.measured_figure(
            rows, found, expected, safe(title), f"{FIGURES[figure]} delay"
        ),
        alt=delay_figures.measured_alternative(rows, found, expected),
    )


def _figure(quality: Quality | None, figure: str) -> float | None:
    found: float | None = getattr(quality, figure) if quality is not None else None
    return found


def _policies(schedules: Schedules, figure: str, queries: Sequence[str]) -> None:
    """All policies on the arrivals of this run."""
    rows = _names(queries)
    delays = {
        label: _of(schedule, figure, queries)
        for label, schedule in schedules.items()
        if label != ISOLATED
    }
    alone = _of(schedules.get(ISOLATED, {}), figure, queries)
    title = "All policies on the arrivals of this run, measured"
    charts.show(
        delay_figures.policies_figure(rows, delays, alone, title, f"{FIGURES[figure]} delay"),
        alt=delay_figures.policies_alternative(rows, delays, alone),
    )


def _of(schedule: Mapping[str, Any], figure: str, queries: Sequence[str]) -> list[float | None]:
    own = schedule.get("queries", {})
    return [own.get(query, {}).get(figure) for query in queries]


def _names(queries: Sequence[str]) -> list[str]:
    return [safe(shortened(query, 24)) for query in queries]


def buffers_table(schedules: Schedules) -> pd.DataFrame:
    """One row per policy: delay over queries, load, what waits, and what the join itself holds."""
    shown = {label: own for label, own in schedules.items() if label != ISOLATED}
    means = [_mean(own) for own in shown.values()]
    columns: dict[str, object] = {
        "Policy": [plan_name(label) for label in shown],
        "Mean delay (ms)": means if None in means else rounded_each([m or 0.0 for m in means]),
        "Busy": [_share(own.get("busy")) for own in shown.values()],
    }
    for head, key in (
        ("Queue, mean", "queue_mean"),
        ("Queue, most", "queue_max"),
        ("Results held, mean", "held_mean"),
        ("Results held, most", "held_max"),
        ("Join buffer, most", "join_buffer_max"),
    ):
        columns[head] = [own.get(key) for own in shown.values()]
    for head, key in (("Queue / join buffer", "queue_max"), ("Held / join buffer", "held_max")):
        columns[head] = [_ratio(own.get(key), own.get("join_buffer_max")) for own in shown.values()]
    return pd.DataFrame(columns)


def report_tables(run: Run) -> dict[str, pd.DataFrame]:
    """Delays of all queries under all policies, and what waited; none where none was measured."""
    if run.measurement is None or not run.measurement.schedules:
        return {}
    by_title = {
        f"{FIGURES[figure]} delay of results in ms by query and policy, on the clock of work": (
            _delay_table(run, figure)
        )
        for figure in ("delay_ms", "delay_ms_p95")
    }
    buffers = buffers_table(run.measurement.schedules)
    return {**by_title, "Load, queues and buffers by policy": buffers}


def _delay_table(run: Run, figure: str) -> pd.DataFrame:
    """One row per query: as predicted for the plan, then measured under each policy and alone."""
    assert run.measurement is not None
    schedules = run.measurement.schedules
    labels = [ALONE if label == ISOLATED else plan_name(label) for label in schedules]
    queries = [query.name for query in run.workload.queries]
    measured = [_of(schedule, figure, queries) for schedule in schedules.values()]
    expected = [_figure(run.estimate.qualities.get(query), figure) for query in queries]
    name = plan_name(run.plan.label)
    columns = ["Query", f"{name}, predicted", *(f"{label}, measured" for label in labels)]
    return pd.DataFrame(zip(queries, expected, *measured, strict=True), columns=columns)


def _mean(schedule: Mapping[str, Any]) -> float | None:
    found = [own["delay_ms"] for own in schedule.get("queries", {}).values() if "delay_ms" in own]
    return sum(found) / len(found) if found else None


def _share(value: float | None) -> str:
    return "–" if value is None else percent(value)


def _ratio(part: float | None, whole: float | None) -> str:
    return "–" if part is None or not whole else percent(part / whole)


def clocks(run: Run) -> list[str]:
    """The three clocks of a run, a sentence each."""
    assert run.measurement is not None
    own = run.measurement.schedules.get(run.plan.label, {})
    clock = model_of(run.workload).clock(units_of(run.workload, run.request.units))
    busy = float(own.get("busy") or 0.0)
    spent = run.measurement.reached or run_seconds(run.workload)
    # As long as the same scans take at real unit costs.
    work = busy * spent * (clock.real_load / clock.load if clock.load else 1.0)
    kernel = run.measurement.timings.kernel
    lines = [
        "**(a) Clock of work.** One server that takes its unit cost for every comparison and "
        f"output: it was busy for {percent(busy)} of the time. All delays above are on this clock, "
        "and only here do policies differ."
    ]
    if kernel is not None:
        lines.append(
            f"**(b) Kernel seconds.** The same run took {seconds.short(kernel)} of CPU in kernels; "
            f"at real unit costs the clock of work says {seconds.short(work)} (q-error "
            f"{plain(error_text(work, kernel))}). Kernels also keep the windows and serve all "
            "policies."
        )
    lines.append(
        "**(c) Delivery.** Results leave Spark when their micro-batch ends, so that no policy "
        "delivers sooner than a batch is long."
    )
    return lines
