"""Results: the plans that were run, predicted beside measured, and their answer."""

import streamlit as st

from pages.parts.families.registry import view_of
from pages.parts.plans import ranking_table
from pages.parts.results import (
    answer_tables,
    exports,
    past_runs,
    run_figures,
    run_views,
    spark_metrics,
    trust_view,
)
from pages.parts.shared import backend, heading, planning
from pages.parts.shared.formatting import plain
from runtime.runs.run_groups import (
    answers_apart,
    best_first,
    by_plan,
    is_measured,
    same_data,
    to_choose_from,
)

heading.show("Results")
chosen, workload = planning.subject()
backend.arrived()
summaries = backend.summaries_of(planning.digests(), run_views.MOST_RUNS)
# Other kinds of plans are measured by something else.
every = same_data([run for run in summaries if run.family == chosen.name])
plans = by_plan(every)[: run_views.MOST_PLANS]
wanted = dict.fromkeys(run.id for run in (*(p.newest for p in plans), *answers_apart(every)))
runs = backend.records(tuple(wanted))
# What plans are ranked by, as chosen on Plans or here.
by = planning.objective(chosen.name, workload)
plans = best_first([plan for plan in plans if plan.newest.id in runs], runs, by)
finished = [run for run in runs.values() if run.status == "finished"]

if not plans:
    with st.container(border=True):
        st.markdown("#### No plan of this workload has been run yet.", anchors=False)
        st.markdown("Run one or two plans to see predicted and measured figures side by side.")
        st.page_link("pages/run.py", label="Go to Run", icon=":material/play_circle:")
else:
    newest = [runs[plan.newest.id] for plan in plans]
    with st.container(border=True):
        st.markdown(f"#### {plain(run_views.answer(newest, by), 600)}", anchors=False)
        run_views.badge(finished)
        explained = trust_view.show(newest, by)
        ranking_table.pick_objective(chosen.name, workload)
    run_views.plans(plans, runs, by)
    planning.show_models(chosen.name, workload, newest[0].plan.label)
    left, right = st.columns(2, gap="medium")
    with left:
        run_views.chart(plans, runs, by)
    with right:
        run_figures.show(every)
    measured = [run for run in every if is_measured(run)]
    st.markdown("### By operator", anchors=False)
    offered = to_choose_from(plans, measured, by)
    shown = backend.records((run_views.pick(offered, "Run", "run-shown"),))
    for run in shown.values():
        run_views.operators(run, by)
        spark_metrics.show(run)
        if explained is None or run.id != explained.id:
            trust_view.reasons(run, "Where the model is wrong about this run")
        answer_tables.show_queries(run, finished)
        view_of(run.plan.family).run_results(run)
    st.markdown("### Difference between two runs", anchors=False)
    run_views.two(measured, by)
    exports.show(plans, workload.name, by)
    for run in shown.values():
        exports.program(run.plan, run.workload)
        answer_tables.show(run)
past_runs.show(workload)
