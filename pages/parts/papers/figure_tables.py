"""Tables of an experiment: the claims of the paper, and every measured point."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import pandas as pd
import streamlit as st

from pages.parts.shared import controls
from pages.parts.shared.formatting import error_text, plain
from planner.experiments.experiment import Claim, Experiment, Finding, Point, Values
from planner.experiments.quantities import unit_of
from planner.numbers import amount

if TYPE_CHECKING:
    from runtime.experiments.figure import MeasuredFigure

MEASURED = "Measured"


def views(chosen: Experiment, figure: MeasuredFigure | None) -> dict[str, Values]:
    """The figures that claims are checked against: each model's, and measured ones if complete."""
    found = {f"Predicted, {model}": values for model, values in chosen.predicted().items()}
    if figure is not None and figure.complete:
        found[MEASURED] = chosen.measured(figure.values(chosen))
    return found


def spans(chosen: Experiment) -> str:
    """How long points are measured, in words."""
    run = [point.workload for point in chosen.points]
    seconds, before = (
        _range(values) for values in ([w.run.duration for w in run], [w.warmup for w in run])
    )
    return f"{seconds} s of stream time each, after {before} s of warm-up"


def _range(values: list[float]) -> str:
    least, most = (f"{amount(round(value, 1))}" for value in (min(values), max(values)))
    return least if least == most else f"{least} to {most}"


def claims(chosen: Experiment, figure: MeasuredFigure | None) -> None:
    """Each claim of the paper: whether it holds in each view, and if not, why."""
    seen = views(chosen, figure)
    if not seen:
        return
    measured = seen.get(MEASURED)
    st.markdown("### Claims of the paper, checked against these figures", anchors=False)
    with st.container(border=True):
        for claim in chosen.claims:
            _claim(claim, {view: claim.check(values) for view, values in seen.items()})
        if measured is not None:
            for agreement in chosen.agreements:
                beside = {
                    f"{model} compared with measured": agreement.check(values, measured)
                    for model, values in chosen.predicted().items()
                }
                _claim(agreement, beside)
    for remark in chosen.remarks:
        st.caption(plain(remark, 600))


def _claim(claim: Claim, findings: Mapping[str, Finding]) -> None:
    lines = [f"**{plain(claim.text, 200)}** (Section {plain(claim.section)})", ""]
    for view, finding in findings.items():
        mark = ":material/check: holds" if finding.holds else ":material/close: differs"
        lines.append(f"- {plain(view)}: {mark} · {plain(finding.text, 400)}")
    st.markdown("\n".join(lines))
    if claim.because and not all(finding.holds for finding in findings.values()):
        st.caption(f"Likely reason: {plain(claim.because, 600)}")


def point_table(chosen: Experiment, figure: MeasuredFigure) -> tuple[pd.DataFrame, list[Point]]:
    """One row per measured point of each curve, and the points of the rows."""
    points: list[Point] = []
    rows: list[dict[str, Any]] = []
    first, shown = _first(chosen, figure), figure.shown(chosen)
    for curve in chosen.curves:
        for point in curve.points:
            if not point.measured or point.key not in shown:
                continue
            found = shown[point.key]
            value, (least, most) = found.value(figure.quantity), found.spread
            row: dict[str, Any] = {
                "Curve": curve.label,
                chosen.x.title: str(point.x) if chosen.x.named else point.x,
                "Plan": point.plan,
                "Measured": value,
                "Spread": f"{_rounded(least)} to {_rounded(most)}",
            }
            if chosen.shown != "value":
                row |= _beside(chosen, figure, point, value)
            elif figure.quantity == "rate":
                row |= _ratios(point, value, first)
                row["Comparisons/tuple"] = found.comparisons_per_tuple
            else:
                row |= {
                    "Predicted": point.predicted,
                    "q-error": error_text(point.predicted, value),
                }
            rows.append(row)
            points.append(point)
    return pd.DataFrame(rows), points


def _rounded(value: float) -> str:
    """Counts and rates as whole numbers, shares and ratios to three digits."""
    return amount(round(value)) if abs(value) >= 100 else f"{value:.3g}"


def _beside(
    chosen: Experiment, figure: MeasuredFigure, point: Point, value: float
) -> dict[str, Any]:
    """The predicted ratio to another plan, and the figures of both plans.

    The error of a saved share is that of the share that is left.
    """
    raw = [figure.points[p.key].value(figure.quantity) for p in (point, point.reference)]
    left = [1 - v if chosen.shown == "saved" else v for v in (point.predicted or 0.0, value)]
    unit = unit_of(figure.quantity)
    return {
        "Predicted": point.predicted,
        "q-error": error_text(*left) if point.predicted is not None else "",
        unit: raw[0],
        f"{unit}, {point.against}": raw[1],
    }


def _first(chosen: Experiment, figure: MeasuredFigure) -> tuple[float | None, float | None]:
    """The first point, measured and printed, which ratios refer to."""
    point = chosen.curves[0].points[0]
    found = figure.points.get(point.key)
    return (found.value(figure.quantity) if found else None), point.printed


def _ratios(
    point: Point, value: float, first: tuple[float | None, float | None]
) -> dict[str, float | None]:
    mine, theirs = first
    return {
        "Relative to first": value / mine if mine else None,
        "Paper": point.printed,
        "Paper, relative to first": point.printed / theirs if theirs and point.printed else None,
        "Ours / paper": value / point.printed if point.printed else None,
    }


def points(chosen: Experiment, figure: MeasuredFigure) -> Point | None:
    """All measured points as a table; returns the selected one."""
    frame, listed = point_table(chosen, figure)
    frame = frame.dropna(axis="columns", how="all")
    ratios = ("Relative to first", "Paper, relative to first", "Ours / paper")
    event: Any = controls.table(
        frame,
        f"The measured points of {chosen.title}",
        numbers=("Measured", "Predicted", "Paper", "Comparisons/tuple"),
        columns={name: st.column_config.NumberColumn(format="%.3g") for name in ratios},
        on_select="rerun",
        selection_mode="single-row",
        key=f"points-{chosen.name}",
    )
    selected = event["selection"]["rows"]
    return listed[selected[0]] if selected and selected[0] < len(listed) else None
