"""Two plans or two runs side by side: by kind of work, by operator, and on their pictures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd
import streamlit as st

from pages.parts.canvas import plan_canvas
from pages.parts.canvas.plan_canvas import CanvasPlan
from pages.parts.plans import drawings
from pages.parts.shared import controls, planning
from pages.parts.shared.formatting import UNITS, compared, plain, rounded_each, unit
from planner.families.registry import family
from planner.numbers import figure, shortened, unique_names
from planner.plan.by_operator import CPU, field_of
from planner.plan.cost import COST_FIELDS, Estimate
from planner.plan.difference import Aligned, ComparedPlan, aligned
from planner.plan.objective import Objective, part_of_cost
from planner.plan.operator_names import operator_name
from runtime.runs.records import Run

WHOLE, BY_OPERATOR, PICTURE = "Whole plan", "By operator", "Picture"


def of_run(run: Run, name: str) -> ComparedPlan:
    """A run as one side of a comparison."""
    measured = run.measurement.costs if run.measurement else None
    return ComparedPlan(
        name, run.plan, run.estimate.costs, measured or None, planning.time_of_run(run)
    )


def show(
    first: ComparedPlan, second: ComparedPlan, key: str, by: Objective, colours: Mapping[str, str]
) -> None:
    """The difference as the user picks it: whole plans, their operators, or pictures.

    First comes the kind of work that plans are ranked by, if they are ranked by one. `colours` are
    those of the streams.
    """
    with st.container(horizontal=True, vertical_alignment="bottom"):
        view = controls.segments(
            "Difference", [WHOLE, BY_OPERATOR, PICTURE], f"{key}-as", hidden_label=True
        )
        fields = kinds(first, second, by)
        field = st.selectbox(
            "Kind of work",
            fields,
            format_func=UNITS.__getitem__,
            key=f"{key}-field-{by.name}",
            label_visibility="collapsed",
            disabled=view == WHOLE,
            width=220,
        )
    for counted, other in ((first, second), (second, first)):
        if counted.measured and not other.measured:
            st.caption(plain(f"Predicted only: no operator of {other.name} was counted.", 200))
    if view == WHOLE:
        _table(whole_table(first, second, fields), f"{first.name} compared with {second.name}")
    elif view == BY_OPERATOR:
        frame = operator_table(first, second, field)
        _table(frame, f"{UNITS[field]} by operator: {first.name} compared with {second.name}")
        st.caption(
            f"In {unit(field)}. An operator is in both plans if it does the same work on "
            "the same inputs."
        )
    else:
        _pictures(first, second, field, colours)
    if view != WHOLE:
        drawings.explain_parts(first.plan, second.plan)


def kinds(first: ComparedPlan, second: ComparedPlan, by: Objective | None = None) -> list[str]:
    """The kinds of work that either plan does; first what plans are ranked by."""
    ranked = None if by is None else field_of(by)
    usual = family(first.plan.family).objective.part
    every = dict.fromkeys(filter(None, [ranked, usual, *COST_FIELDS, CPU]))
    sides = [(side, measured) for side in (first, second) for measured in (False, True)]
    return [name for name in every if any(side.whole(name, counted) for side, counted in sides)]


def whole_table(first: ComparedPlan, second: ComparedPlan, fields: Sequence[str]) -> pd.DataFrame:
    """One row per kind of work: both plans and their difference, predicted and measured."""
    columns: dict[str, list[object]] = {"Kind of work": [UNITS[name] for name in fields]}
    for measured in (False, True):
        # Spark's own operators count nothing that could be compared.
        if all(measured is False or side.measured for side in (first, second)):
            pairs = [
                tuple(side.whole(name, measured) for side in (first, second)) for name in fields
            ]
            columns |= _columns(first, second, pairs, measured)
    return pd.DataFrame(columns)


def operator_table(first: ComparedPlan, second: ComparedPlan, field: str) -> pd.DataFrame:
    """One row per operator that does this work in either plan, largest difference first."""
    rows = [row for row in aligned(first, second, field) if any(row.predicted) or any(row.measured)]
    rows.sort(key=lambda row: -abs(_delta(*row.predicted) or 0.0))
    left, right = _short(first, second)
    where = {"both": "both", "first": f"only {left}", "second": f"only {right}"}
    columns: dict[str, list[object]] = {
        "Operator": [operator_name(row.operator) for row in rows],
        "In": [where[row.where] for row in rows],
    }
    for measured in (False, True):
        if not measured or (first.measured and second.measured):
            pairs = [row.measured if measured else row.predicted for row in rows]
            columns |= _columns(first, second, pairs, measured)
    return pd.DataFrame(columns)


def _columns(
    first: ComparedPlan,
    second: ComparedPlan,
    pairs: Sequence[tuple[float | None, ...]],
    measured: bool,
) -> dict[str, list[object]]:
    # Where nothing was measured, all figures are predicted.
    what = ", measured" if measured else ", predicted" if first.measured or second.measured else ""
    left, right = _short(first, second)
    return {
        f"{left}{what}": [one for one, _ in pairs],
        f"{right}{what}": [other for _, other in pairs],
        f"Difference{what}": [_delta(one, other) for one, other in pairs],
        f"In words{what}": [_in_words(one, other) for one, other in pairs],
    }


def _short(first: ComparedPlan, second: ComparedPlan) -> list[str]:
    # Long chains may differ only in their middle, which is cut out.
    return unique_names([shortened(side.name, 36) for side in (first, second)])


def _delta(one: float | None, other: float | None) -> float | None:
    return None if one is None and other is None else (one or 0.0) - (other or 0.0)


def _in_words(one: float | None, other: float | None) -> str:
    if one is None or other is None:
        return "" if one is None and other is None else "only in one"
    return compared(one, other)


def _table(frame: pd.DataFrame, alt: str) -> None:
    numbers = [str(name) for name in frame if frame[name].dtype.kind in "if"]
    rounded = frame.assign(**{name: rounded_each(list(frame[name])) for name in numbers})
    controls.table(rounded, alt, numbers)


def _pictures(
    first: ComparedPlan, second: ComparedPlan, field: str, colours: Mapping[str, str]
) -> None:
    """Both plans; each operator shows whether the other plan has it, and its cost there."""
    rows = aligned(first, second, field)
    pairs = ((first, second), (second, first))
    for place, (column, (side, other)) in enumerate(
        zip(st.columns(2, gap="medium"), pairs, strict=True)
    ):
        with column:
            st.markdown(f"**{plain(side.name, 60)}**")
            marks = {row.operator.id: _mark(row, field, place) for row in rows}
            by = side.time if field == CPU and side.time else part_of_cost(field, field)
            drawn = CanvasPlan(
                side.plan,
                Estimate(side.predicted),
                by,
                compared=other.plan,
                colours=colours,
                notes=marks,
            )
            plan_canvas.show(drawn, f"difference-{place}", aspect=1.2)
    st.caption("Dashed: only in this plan. In both plans are operators that do the same work.")


def _mark(row: Aligned, field: str, place: int) -> str:
    if row.where != "both":
        return "only in this plan"
    mine, theirs = next((p for p in (row.measured, row.predicted) if None not in p), (None, None))
    if mine is None or theirs is None or mine == theirs:
        return "the same in both"
    delta = (mine - theirs) * (1 if place == 0 else -1)
    sign = "+" if delta > 0 else "-"
    return f"{sign}{figure(abs(delta))} {unit(field)}"
