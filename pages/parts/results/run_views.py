"""The results of runs: whether answers agree, the plans side by side, one run by operator."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

from pages.parts.plans import difference, drawings
from pages.parts.results import comparison, run_figures
from pages.parts.shared import backend, charts, controls, figures
from pages.parts.shared.formatting import (
    UNITS,
    compared,
    error_text,
    moment,
    plain,
    rounded_each,
    score_head,
)
from pages.parts.shared.planning import subject, title, title_of
from pages.parts.shared.seconds import short
from pages.parts.start.workload_picture import colours
from planner import numbers
from planner.numbers import amount
from planner.plan.by_operator import CPU, field_of
from planner.plan.cost import q_error
from planner.plan.objective import STATE, Objective
from runtime.runs.records import Run
from runtime.runs.run_groups import (
    PlanRuns,
    is_timed,
    measured_scores,
    objective_of,
    scores,
    typical,
)
from runtime.runs.run_summary import RunSummary

# A run with what was predicted and what was measured.
Scored = tuple[Run, float, float]
# A prediction that is not further off is called near.
_NEAR = 1.3
Q_ERROR = "The larger of predicted and measured, divided by the smaller: 1 is perfect."
# So many runs of a workload are read, and so many plans shown.
MOST_RUNS = 2_000
MOST_PLANS = 40


def newest_of(found: Sequence[PlanRuns], runs: Mapping[str, Run]) -> list[Run]:
    """The newest run of every plan, with the seconds of its repeats."""
    return [typical(plan, runs[plan.newest.id]) for plan in found]


def headline_run(runs: Sequence[Run], by: Objective | None = None) -> Run | None:
    """The run that the headline is about: of the plan that was measured as the best."""
    scored = measured_scores(runs, by)
    return _best(scored, objective_of(scored[0][0], by))[0] if scored else None


def _best(scored: Sequence[Scored], by: Objective) -> Scored:
    return by.top(_rivals(scored, by), lambda entry: entry[2])


def _rivals(scored: Sequence[Scored], by: Objective) -> Sequence[Scored]:
    """Plans that may win, if any of them was run."""
    return [entry for entry in scored if by.eligible(entry[0].plan.label)] or scored


def answer(runs: Sequence[Run], by: Objective | None = None) -> str:
    """One sentence about the plan that was measured as the best."""
    scored = measured_scores(runs, by)
    if not scored:
        if all(run.request.backend == "native" for run in runs):
            return "Run on Spark's own operators, which do not count comparisons."
        if by is not None and is_timed(by):
            return "No seconds in kernels were both predicted and measured."
        return "Nothing was measured: the runs were not longer than their warm-up."
    by = objective_of(scored[0][0], by)
    best, expected, least = _best(scored, by)
    predicted = short(expected) if is_timed(by) else numbers.figure(expected)
    sentence = f"{title_of(best)} {_has(by, least)}, {closeness(expected, least, predicted)}"
    worst, _, most = by.bottom(_rivals(scored, by), lambda entry: entry[2])
    if worst is not best:
        by_far = compared(least, most).lstrip("▼▲= ")
        than = "as" if least == most else "than"
        sentence += f", {by_far} {than} {numbers.quoted(title_of(worst))}"
    return f"{sentence}."


def closeness(expected: float, found: float, predicted: str) -> str:
    """How near a prediction was: `predicted within 3% (16,000)`, or which way it was wrong:
    `2.5x more than predicted (6,400)`."""
    error = q_error(expected, found)
    if error is not None and error < 1.0001:
        return "as predicted"
    if error is None or error > _NEAR:
        return f"{compared(found, expected).lstrip('▼▲ ')} than predicted ({predicted})"
    return f"predicted within {numbers.percent(100 * error - 100)} ({predicted})"


def error_of_headline(runs: Sequence[Run], by: Objective | None = None) -> str:
    """The q-error of what the headline says, and what that is; empty where there is none."""
    scored = measured_scores(runs, by)
    if not scored:
        return ""
    _, expected, found = _best(scored, objective_of(scored[0][0], by))
    return f"q-error {error_text(expected, found)}. {Q_ERROR}"


def _has(by: Objective, figure: float) -> str:
    """A plan's figure with its verb: `made 16,000 comparisons ...`, `has a mean delay of 3 ms`."""
    if is_timed(by):
        return f"took {short(figure)} in kernels"
    if by.part is not None:
        return f"{'held' if by.part == STATE.part else 'made'} {by.said(figure)}"
    # What is no sum over operators was not made by them.
    name = f"{by.title[0].lower()}{by.title[1:]}"
    article = "an" if name[0] in "aeiou" else "a"
    unit = "" if by.unit == name else f" {by.unit}"
    return f"has {article} {name} of {numbers.figure(figure)}{unit}"


def plans(found: Sequence[PlanRuns], runs: Mapping[str, Run], by: Objective) -> None:
    """All plans that were run, predicted beside measured, as a table."""
    frame = comparison.run_table(found, runs, by)
    # No plan was repeated, or their seconds are what is compared; a prediction of them is shown
    # where it is judged.
    empty = [] if any(frame["Min to max"]) else ["Min to max"]
    twice = ["Kernel s"] if is_timed(by) else []
    frame = frame.drop(columns=[*empty, *twice, "Kernel s, predicted", "Kernel prediction"])
    units = {name: {"label": f"{name} {by.unit}"} for name in ("Predicted", "Measured")}
    rows = list(zip(frame["Plan"], frame["Predicted"], frame["Measured"], strict=True))
    for name in units:
        frame[name] = rounded_each(frame[name].tolist())
    controls.table(
        frame,
        f"Plans that were run, predicted beside measured. {run_figures.pairs_text(rows)}",
        columns=controls.described_columns("plans-run", units),
        placeholder="–",
    )
    for plan in found:
        if not plan.same_counts:
            st.error(
                f"Runs of {plain(title_of(runs[plan.newest.id]))} counted different work. "
                "This is a fault of Sluice, unless they were made by different versions.",
                icon=":material/report:",
            )
        if plan.newest.status == "cancelled":
            st.warning(
                f"{plain(title_of(runs[plan.newest.id]))} was cancelled"
                f"{_reached(runs[plan.newest.id])}. Its figures cover the time until then; there "
                "is no answer.",
                icon=":material/cancel:",
            )


def _reached(run: Run) -> str:
    reached = run.measurement.reached if run.measurement else None
    return "" if reached is None else f" after {amount(reached)} s of stream time"


def chart(found: Sequence[PlanRuns], runs: Mapping[str, Run], by: Objective) -> None:
    """All plans predicted against measured, by what they are ranked by."""
    shown = newest_of(found, runs)
    unit = score_head(by)
    pairs = [(comparison.run_name(run), *scores(run, by)) for run in shown]
    points = comparison.measured_points(pairs)
    if not points:
        return
    charts.show(
        run_figures.all_plans(points, unit),
        alt=f"{unit}, predicted against measured. {run_figures.pairs_text(points)}",
    )
    st.caption("On the dashed line, measured is as predicted; above it, more was measured.")


def operators(run: Run, by: Objective) -> None:
    """One run by operator: as bars, or as a table."""
    for warning in run.warnings:
        st.warning(plain(warning, 400), icon=":material/warning:")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        view = controls.segments("Shown as", ["Bars", "Table"], "operators-as", kept=True)
        found = comparison.fields(run, by)
        field = controls.segments(
            "Kind of work",
            found,
            f"operators-field-{by.name}",
            format_func=UNITS.__getitem__,
        )
    rows = comparison.by_operator(run, field)
    if view == "Bars":
        charts.show(
            figures.predicted_and_measured(
                rows, field, title_of(run), comparison.operator_ids(run, field)
            ),
            alt=f"{UNITS[field]} by operator. {run_figures.pairs_text(rows)}",
        )
    else:
        controls.table(
            comparison.operator_table(rows),
            f"{UNITS[field]} of {run.plan.label}, by operator",
            columns="operators-run",
        )
    if field == CPU:
        st.caption(
            "Measured: the work that was counted, at this machine's unit costs. Kernels are timed "
            "as a whole only."
        )
    drawings.explain_parts(run.plan)


def pick(shown: Sequence[RunSummary], label: str, key: str, hidden_label: bool = False) -> str:
    """The id of one of these runs."""
    names = {run.id: _run_line(run) for run in shown}
    return st.selectbox(
        label,
        list(names),
        format_func=names.__getitem__,
        key=key,
        label_visibility="collapsed" if hidden_label else "visible",
    )


def _run_line(run: RunSummary) -> str:
    """A run in one line."""
    marks = [run.backend] if run.backend != "kernels" else []
    marks += [run.status] if run.status != "finished" else []
    marks += ["baseline"] if run.baseline else []
    marks += [run.note] if run.note else []
    return " · ".join(
        filter(
            None,
            [
                title(run.family, run.label, subject()[1]),
                run.way,
                moment(run.started),
                *marks,
            ],
        )
    )


def two(shown: Sequence[RunSummary], by: Objective) -> None:
    """The difference between two runs; the second is the pinned baseline at first."""
    if len(shown) < 2:
        st.caption("Run another plan, or this one again, to compare two runs here.")
        return
    left, right = st.columns(2)
    with left:
        first = pick(shown, "Run", "difference-first")
    others = sorted((run for run in shown if run.id != first), key=lambda run: not run.baseline)
    with right:
        second = pick(others, "Compared with", "difference-second")
    runs = backend.records((first, second))
    if len(runs) == 2:
        one, other = runs[first], runs[second]
        names = _name(one, other), _name(other, one)
        if field_of(by) is None:
            # No sum over operators, so that it is in none of the tables.
            st.markdown(plain(_in_all((one, other), names, by), 400))
        difference.show(
            difference.of_run(one, names[0]),
            difference.of_run(other, names[1]),
            "runs-difference",
            by,
            colours(one.workload),
        )


def _in_all(runs: tuple[Run, Run], names: tuple[str, str], by: Objective) -> str:
    """What two runs are compared by, each as predicted and as measured."""
    figures = (
        ", ".join(
            f"{said} {numbers.figure(value)} {by.unit}" if value is not None else f"not {said}"
            for said, value in zip(("predicted", "measured"), scores(run, by), strict=True)
        )
        for run in runs
    )
    told = "; ".join(f"{name}: {text}" for name, text in zip(names, figures, strict=True))
    return f"{by.title}. {told}."


def _name(run: Run, other: Run) -> str:
    """The plan; where both runs have the same plan, also when it ran."""
    name = comparison.run_name(run)
    return name if name != comparison.run_name(other) else f"{name}, {moment(run.started)}"
