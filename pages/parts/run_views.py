"""The results of runs, shown: the badge, the plans beside each other, one run by operator."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import streamlit as st

from pages.parts import charts, comparison, drawings, figures
from pages.parts.words import UNITS, compared, error_text, moment, plain, plan_name
from planner.wording import amount

if TYPE_CHECKING:
    from runtime.records import Run

_NUMBER = st.column_config.NumberColumn(format="localized")
_SECONDS = st.column_config.NumberColumn(format="%.2f")


def answer(latest: Sequence[Run]) -> str:
    """What was measured, in one sentence, about the cheapest plan."""
    pairs = [(run, *comparison.scores(run)) for run in latest]
    scored = [(run, p, m) for run, p, m in pairs if m is not None]
    if not scored:
        return "Nothing was left to measure: the runs were shorter than their warm-up."
    best, expected, least = min(scored, key=lambda entry: entry[2])
    unit = UNITS[comparison.ranked_by(best)].lower()
    sentence = (
        f"{plan_name(best.plan.label)} made {amount(least)} {unit}, "
        f"{amount(expected)} predicted (q-error {error_text(expected, least)})"
    )
    dearest, _, most = max(scored, key=lambda entry: entry[2])
    if dearest is not best:
        sentence += f"; {compared(least, most)} than {plan_name(dearest.plan.label)}"
    return f"{sentence}."


def badge(runs: Sequence[Run]) -> None:
    """The proof that all plans gave the same answer, or where they part."""
    same, words = comparison.same_answer(runs)
    if same:
        st.success(plain(words, 400), icon=":material/verified:")
    else:
        st.error(plain(words, 2000), icon=":material/report:")


def plans(latest: Sequence[Run]) -> None:
    """All plans that were run, predicted beside measured, as a table."""
    frame = comparison.run_table(latest)
    unit = UNITS[comparison.ranked_by(latest[0])].lower()
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
            **dict.fromkeys(("Kernel s", "Spark s", "Total s"), _SECONDS),
        },
        alt="Plans that were run, predicted beside measured",
    )


def chart(latest: Sequence[Run]) -> None:
    """All plans in one chart with the diagonal."""
    pairs = [(run.plan.label, *comparison.scores(run)) for run in latest]
    points = [(label, p, m) for label, p, m in pairs if m is not None]
    charts.show(figures.all_plans(points, comparison.ranked_by(latest[0])))


def seconds(latest: Sequence[Run]) -> None:
    """Kernel, Spark and total seconds of every plan."""
    rows = [
        (run.plan.label, timings.kernel, timings.engine, timings.total)
        for run in latest
        if run.measurement is not None
        for timings in (run.measurement.timings,)
    ]
    charts.show(figures.seconds(rows))
    st.caption("Kernels: summed over tasks. Spark: until its last batch. Total: all of the run.")


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
        return
    rows = comparison.by_operator(run, field)
    if view == "Bars":
        charts.show(figures.predicted_and_measured(rows, field, run.plan.label))
        return
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


def pick(latest: Sequence[Run], runs: Sequence[Run]) -> Run:
    """One of the finished runs: those of the chart first, the earlier ones after them."""
    known = {run.id: run for run in (*latest, *runs) if run.status == "finished"}
    chosen = st.selectbox("Run", list(known), format_func=lambda name: _described(known[name]))
    return known[chosen]


def _described(run: Run) -> str:
    return f"{plan_name(run.plan.label)} · {run.request.way} · {moment(run.started)}"
