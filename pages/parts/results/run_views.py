"""The results of runs, shown: the badge, the plans beside each other, one run by operator."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import streamlit as st

from pages.parts.families.sliced_chain import chain_text
from pages.parts.plans import difference, drawings
from pages.parts.results import comparison, run_figures
from pages.parts.shared import backend, charts, figures
from pages.parts.shared.formatting import UNITS, compared, error_text, moment, plain, plan_name
from planner.numbers import amount
from runtime.runs.run_costs import measured_scores, objective_of, scores

if TYPE_CHECKING:
    from runtime.runs.records import Run
    from runtime.runs.run_groups import PlanRuns

# So many runs of a workload are looked through, and so many plans shown.
MOST_RUNS = 2_000
MOST_PLANS = 40
KERNEL_SECONDS = "Kernel seconds"
_NUMBER = st.column_config.NumberColumn(format="localized")


def answer(runs: Sequence[Run]) -> str:
    """What was measured, in one sentence, about the best plan."""
    scored = measured_scores(runs)
    if not scored:
        if all(run.request.backend == "native" for run in runs):
            return "Spark's own operators gave the answer; they count no comparisons."
        return "Nothing was left to measure: the runs were shorter than their warm-up."
    by = objective_of(scored[0][0])
    best, expected, least = by.top(scored, lambda entry: entry[2])
    sentence = (
        f"{plan_name(best.plan.label)} made {amount(least)} {by.unit}, "
        f"{amount(expected)} predicted (q-error {error_text(expected, least)})"
    )
    worst, _, most = by.bottom(scored, lambda entry: entry[2])
    if worst is not best:
        sentence += f"; {compared(least, most)} than {plan_name(worst.plan.label)}"
    return f"{sentence}."


def badge(runs: Sequence[Run]) -> None:
    """The proof that all plans gave the same answer, or where they part."""
    if not runs:
        return
    same, words = comparison.same_answer(runs)
    if same:
        st.success(plain(words, 400), icon=":material/verified:")
    else:
        st.error(plain(words, 2000), icon=":material/report:")


def plans(found: Sequence[PlanRuns], runs: Mapping[str, Run]) -> None:
    """All plans that were run, predicted beside measured, as a table."""
    frame = comparison.run_table(found, runs)
    if not any(frame["Min to max"]):
        # No plan was run again: the room is for the others.
        frame = frame.drop(columns="Min to max")
    unit = objective_of(runs[found[0].newest.id]).unit
    told = list(zip(frame["Plan"], frame["Predicted"], frame["Measured"], strict=True))
    st.dataframe(
        frame,
        hide_index=True,
        column_config={
            "Plan": st.column_config.TextColumn("Plan", width=140),
            "Predicted": st.column_config.NumberColumn(f"Predicted {unit}", format="localized"),
            "Measured": st.column_config.NumberColumn(f"Measured {unit}", format="localized"),
            "Prediction": st.column_config.TextColumn(
                "q-error", help="max(p/m, m/p); ▲ over: more predicted than measured"
            ),
            "Results": _NUMBER,
            "Runs": st.column_config.NumberColumn(
                help="Finished runs like the newest one: their counts are the same"
            ),
            "Kernel s, predicted": st.column_config.NumberColumn(format="%.3f"),
            "Kernel prediction": st.column_config.TextColumn(
                "Kernel q-error", help="Of the seconds inside kernels, median of the runs"
            ),
            "Kernel s": st.column_config.NumberColumn(format="%.3f", help="Median of the runs"),
            "Engine s": st.column_config.NumberColumn(
                format="%.2f", help="From Spark's first micro-batch to its last, median of the runs"
            ),
            "Min to max": st.column_config.TextColumn(help="Engine seconds over the runs"),
        },
        placeholder="–",
        alt=f"Plans that were run, predicted beside measured. {run_figures.pairs_in_words(told)}",
    )
    for plan in found:
        if not plan.same_counts:
            st.error(
                f"Runs of {plain(plan_name(plan.newest.label))} counted different work, which they "
                "should not: a fault of Sluice, or other versions of it.",
                icon=":material/report:",
            )
        if plan.newest.status == "cancelled":
            st.warning(
                f"{plain(plan_name(plan.newest.label))} was cancelled"
                f"{_reached(runs[plan.newest.id])}: its figures are of what was measured until "
                "then, and there is no answer.",
                icon=":material/cancel:",
            )


def _reached(run: Run) -> str:
    reached = run.measurement.reached if run.measurement else None
    return "" if reached is None else f" after {amount(reached)} s of stream time"


def chart(found: Sequence[PlanRuns], runs: Mapping[str, Run]) -> None:
    """All plans in one chart with the diagonal: by what they are ranked by, or by their clock."""
    shown = [runs[plan.newest.id] for plan in found]
    title = objective_of(shown[0]).title
    points = comparison.measured_points([(comparison.run_name(r), *scores(r)) for r in shown])
    clock = comparison.measured_points(comparison.kernel_seconds(found, runs))
    what = [title, *([KERNEL_SECONDS] if clock else [])]
    if len(what) > 1:
        # By the clock only where seconds were predicted.
        by = st.segmented_control(
            "Compared by", what, default=what[0], required=True, key="compared-by"
        )
    else:
        by = what[0]
    shown_points, unit = (clock, KERNEL_SECONDS) if by == KERNEL_SECONDS else (points, title)
    if not shown_points:
        return
    charts.show(
        run_figures.all_plans(shown_points, unit),
        alt=f"{unit}, predicted against measured. {run_figures.pairs_in_words(shown_points)}",
    )
    st.caption("A plan on the dashed line was measured as predicted; above it, it cost more.")


def operators(run: Run) -> None:
    """One run, operator by operator: as bars, as a table, and on its picture."""
    for warning in run.warnings:
        st.warning(plain(warning, 400), icon=":material/warning:")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        view = st.segmented_control(
            "Shown as",
            ["Bars", "Table", "Picture"],
            default="Bars",
            required=True,
            key="operators-as",
            persist_state="session",
        )
        found = comparison.fields(run)
        field = st.segmented_control(
            "Kind of work",
            found,
            default=found[0],
            required=True,
            format_func=UNITS.__getitem__,
            key="operators-field",
            disabled=view == "Picture",
        )
    if view == "Picture":
        drawings.operators(run.plan, run.estimate, comparison.overlays(run))
        st.caption("Green: met (≈). Orange: more predicted than measured (▲). Blue: less (▼).")
        chain_text.show(run.plan)
        return
    rows = comparison.by_operator(run, field)
    if view == "Bars":
        charts.show(
            figures.predicted_and_measured(rows, field, run.plan.label),
            alt=f"{UNITS[field]} by operator. {run_figures.pairs_in_words(rows)}",
        )
    else:
        st.dataframe(
            comparison.operator_table(rows),
            hide_index=True,
            column_config={
                "Predicted": _NUMBER,
                "Measured": _NUMBER,
                "q-error": st.column_config.NumberColumn(format="%.3f"),
            },
            alt=f"{UNITS[field]} of {run.plan.label}, by operator",
        )
    chain_text.show(run.plan)


if TYPE_CHECKING:
    from runtime.runs.records import Run
    from runtime.runs.run_summary import RunSummary


def pick(shown: Sequence[RunSummary], label: str, key: str) -> str:
    """The id of one of these runs."""
    known = {run.id: run for run in shown}
    return st.selectbox(label, list(known), format_func=lambda name: _told(known[name]), key=key)


def _told(run: RunSummary) -> str:
    """A run on one line, with what makes it unlike others."""
    marks = [run.backend] if run.backend != "kernels" else []
    marks += [run.status] if run.status != "finished" else []
    marks += ["baseline"] if run.baseline else []
    marks += [run.note] if run.note else []
    return " · ".join(filter(None, [plan_name(run.label), run.way, moment(run.started), *marks]))


def two(shown: Sequence[RunSummary]) -> None:
    """The difference of two runs: beside the baseline, where one is pinned."""
    if len(shown) < 2:
        st.caption("Run another plan, or this one again: the difference of two runs stands here.")
        return
    left, right = st.columns(2)
    with left:
        first = pick(shown, "Run", "difference-first")
    others = sorted((run for run in shown if run.id != first), key=lambda run: not run.baseline)
    with right:
        second = pick(others, "Beside", "difference-second")
    runs = backend.records((first, second))
    if len(runs) == 2:
        one, other = runs[first], runs[second]
        difference.show(
            difference.of_run(one, _name(one, other)),
            difference.of_run(other, _name(other, one)),
            "runs-difference",
        )


def _name(run: Run, other: Run) -> str:
    """The plan; where both runs are of one plan, also when it was run."""
    name = comparison.run_name(run)
    return name if name != comparison.run_name(other) else f"{name}, {moment(run.started)}"
