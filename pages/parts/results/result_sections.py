"""Results below the verdict: one plan on the canvas, then the tables that are asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import streamlit as st

from pages.parts.families.registry import view_of
from pages.parts.plans import drawings
from pages.parts.results import (
    answer_tables,
    exports,
    over_time,
    past_runs,
    run_figures,
    run_views,
    spark_metrics,
    trust_view,
)
from pages.parts.shared import backend, controls, planning
from planner.plan.objective import Objective
from planner.workload.workload import Workload
from runtime.runs.records import Run
from runtime.runs.run_groups import PlanRuns, is_measured, to_choose_from
from runtime.runs.run_summary import RunSummary

BY_PLAN, BY_OPERATOR, ANSWERS = "By plan", "By operator", "By query and answer"
OVER_TIME, DIFFERENCE, HISTORY = "Over time", "Difference", "History"
SECTIONS = (BY_PLAN, BY_OPERATOR, ANSWERS, OVER_TIME, DIFFERENCE, HISTORY)
_CANVAS_HEIGHT = 330


@dataclass(frozen=True, slots=True)
class Compared:
    """The runs of one workload: all of them, by plan, and the records of those that are shown."""

    workload: Workload
    every: Sequence[RunSummary]
    plans: Sequence[PlanRuns]
    runs: Mapping[str, Run]
    by: Objective


def show(compared: Compared) -> None:
    """The canvas of one run, and one section; the others are not drawn."""
    measured = [run for run in compared.every if is_measured(run)]
    with st.container(horizontal=True, vertical_alignment="center"):
        # At first the one that the headline is about.
        best = run_views.headline_run(
            run_views.newest_of(compared.plans, compared.runs), compared.by
        )
        first = best.id if best else ""
        offered = to_choose_from(compared.plans, measured, compared.by)
        offered.sort(key=lambda run: run.id != first)
        shown = run_views.pick(offered, "Run", f"run-shown-{first}", hidden_label=True)
        run = backend.records((shown,)).get(shown)
        _export(compared, run)
    if run is not None:
        drawings.measured(run, compared.by, _CANVAS_HEIGHT)
    # What a run that adapts is about is how it went.
    adapts = compared.workload.run.adapt is not None
    sections = sorted(SECTIONS, key=lambda name: name != OVER_TIME) if adapts else SECTIONS
    section = controls.segments("Shown", sections, "results-section", kept=True, hidden_label=True)
    if section == BY_PLAN:
        _by_plan(compared)
    elif section == BY_OPERATOR and run is not None:
        run_views.operators(run, compared.by)
        trust_view.reasons(run)
        spark_metrics.show(run)
    elif section == ANSWERS and run is not None:
        finished = [run for run in compared.runs.values() if run.status == "finished"]
        answer_tables.show_queries(run, finished)
        view_of(run.plan.family).run_results(run)
        answer_tables.show(run)
    elif section == OVER_TIME and run is not None:
        over_time.show(run)
    elif section == DIFFERENCE:
        run_views.two(measured, compared.by)
    elif section == HISTORY:
        past_runs.show(compared.workload)


def _by_plan(compared: Compared) -> None:
    plans, runs, by = compared.plans, compared.runs, compared.by
    run_views.plans(plans, runs, by)
    first = runs[plans[0].newest.id]
    planning.show_models(first.plan.family, compared.workload, first.plan.label)
    left, right = st.columns(2, gap="medium")
    with left:
        run_views.chart(plans, runs, by)
    with right:
        run_figures.show(compared.every)


def _export(compared: Compared, run: Run | None) -> None:
    with st.popover("Export", icon=":material/download:"):
        exports.show(compared.plans, compared.workload.name, compared.by)
        if run is not None and not run.switches:
            exports.program(run.plan, run.workload)
