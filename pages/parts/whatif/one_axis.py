"""One axis: what every plan costs as a number varies, who wins, and where that changes."""

from __future__ import annotations

import streamlit as st

from pages.parts.shared import charts, controls, planning
from pages.parts.shared.formatting import counted, plain
from pages.parts.shared.planning import plan_title
from pages.parts.shared.state import BY_DIGEST
from pages.parts.whatif import (
    axis_picker,
    figure_rows,
    number_titles,
    ranges,
    scenarios,
    whatif_figures,
)
from pages.parts.whatif.sliders import rows_as_columns
from pages.parts.whatif.whatif_figures import about
from planner.families.across import family_or_all
from planner.families.protocol import Family
from planner.report.sweep_report import because, how_sure, sweep_csv
from planner.seconds.calibration import calibrated_units, calibration_stamp
from planner.time_limit import planning_limit
from planner.whatif.axes import parse_axis
from planner.whatif.cells import MOST_SECONDS
from planner.whatif.sweeps import Sweep, sweep
from planner.workload.workload import Workload

STEPS = 40


@st.cache_resource(
    show_spinner="Pricing the plans along the axis", max_entries=32, hash_funcs=BY_DIGEST
)
@planning_limit(MOST_SECONDS)
def _swept(
    name: str,
    workload: Workload,
    axes: tuple[str, ...],
    by: str,
    calibrated: int,  # noqa: ARG001 - part of the key: the machine may be calibrated again
) -> Sweep:
    parsed = [parse_axis(text) for text in axes]
    return sweep(workload, parsed, family_or_all(name), by, calibrated_units())


def swept(name: str, workload: Workload, axes: tuple[str, ...], by: str) -> Sweep:
    """The plans of a family as these numbers vary, in the seconds of this machine."""
    return _swept(name, workload, axes, by, calibration_stamp())


def show(family: Family, workload: Workload) -> None:
    """Pick the axis, then the answer, the curves and the crossovers."""
    named = st.session_state.get("whatif-vary", "")
    if figure_rows.is_named(named):
        st.button("Vary a number instead", on_click=scenarios.forget_axis)
        _along(*figure_rows.swept(named))
        return
    text = axis_picker.pick(family, workload, "whatif-vary", STEPS)
    by = planning.objective(family.name, workload).name
    found = swept(family.name, workload, (text,), by)
    _shown(found, number_titles.title(found.axes[0].path))


def _along(found: Sweep, title: str, places: tuple[str, ...]) -> None:
    """The workloads of a paper's curve: nothing is said between them."""
    winners = list(dict.fromkeys(found.winner))
    answer = f"{counted(len(winners), 'plan')} win somewhere on this curve."
    if len(winners) == 1:
        answer = f"{plan_title(winners[0])} wins everywhere."
    st.markdown(f"#### {plain(answer, 300)}", anchors=False)
    _curves(found, title, places)
    st.caption(
        f"{plain(about(found), 500)}. The workloads of a paper's curve differ in more than one "
        f"number, so nothing is said between them. {noted(found)}"
    )
    controls.download("Download as CSV", sweep_csv(found), "what-if.csv")


def _curves(found: Sweep, title: str, places: tuple[str, ...] = ()) -> None:
    charts.show(
        whatif_figures.curves(found, title, places),
        alt=whatif_figures.curves_alternative(found, title),
        key="whatif-curves",
    )


def _shown(found: Sweep, title: str) -> None:
    """The answer, the curves, where the best plan changes, and how that is known."""
    changes = len(found.crossovers)
    winners = whatif_figures.ranked_winners(found)
    answer = f"{plan_title(winners[0])} wins everywhere."
    if len(winners) > 1:
        answer = (
            f"{counted(len(winners), 'plan')} win somewhere, and the best changes "
            f"{counted(changes, 'time')}{_by_chance(found)}."
        )
    st.markdown(f"#### {plain(answer, 300)}", anchors=False)
    _curves(found, title)
    if found.crossovers:
        numbers = {plan: place for place, plan in enumerate(winners, 1)}
        rows: list[dict[str, object]] = [
            {
                title: ranges.shown(crossing.at),
                "Until there": f"{numbers[crossing.before]}: {plan_title(crossing.before)}",
                "From there": f"{numbers[crossing.after]}: {plan_title(crossing.after)}",
                "Because of": because(crossing),
                "How sure": how_sure(crossing) or "solved",
            }
            for crossing in found.crossovers
        ]
        controls.table(rows_as_columns(rows), "Where the best plan changes, and why")
    solved = "Crossovers are solved, not read off the curves."
    if any(crossing.between for crossing in found.crossovers):
        solved = (
            "Delays or shares are simulated: in the grey bands the two plans are closer than "
            "samples of this size can tell."
        )
    st.caption(f"{plain(about(found), 500)}. {solved} {noted(found)}")
    controls.download("Download as CSV", sweep_csv(found), "what-if.csv")


def _by_chance(found: Sweep) -> str:
    """Where chance decides between plans that are simulated."""
    spans = [
        f"from {ranges.shown(low)} to {ranges.shown(high)}"
        for low, high in whatif_figures.by_chance(found)
    ]
    return f", but {' and '.join(spans)} they are too close to tell" if spans else ""


def noted(found: Sweep) -> str:
    """How plans were priced, where that was done roughly."""
    note = found.about.note
    return f"{plain(note[:1].upper() + note[1:], 200)}." if note else ""
