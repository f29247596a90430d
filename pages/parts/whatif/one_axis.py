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
from planner.families.across import NAME as ACROSS
from planner.families.across import comparable, family_or_all
from planner.families.protocol import Family
from planner.plan.objective import STATE
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


def compared(family: Family, workload: Workload) -> tuple[str, str]:
    """The family whose plans are compared, or all that give the whole answer; and by what."""
    by = planning.objective(family.name, workload)
    offered = len(comparable(workload)) > 1
    if offered and st.toggle("All kinds of plans", key="whatif-across", persist_state="session"):
        # Families count work in units of their own.
        return ACROSS, by.name if by.name == STATE.name else "seconds"
    return family.name, by.name


def show(family: Family, workload: Workload) -> None:
    """Pick the axis, then the answer, the curves and the crossovers."""
    named = st.session_state.get("whatif-vary", "")
    places: tuple[str, ...] = ()
    if figure_rows.is_named(named):
        st.button("Vary a number instead", on_click=scenarios.forget_axis)
        found, title, places = figure_rows.swept(named)
    else:
        text = axis_picker.pick(family, workload, "whatif-vary", STEPS)
        name, by = compared(family, workload)
        found = swept(name, workload, (text,), by)
        title = number_titles.title(found.axes[0].path)
    _shown(found, title, workload.name, places)


def _shown(found: Sweep, title: str, name: str, places: tuple[str, ...]) -> None:
    """The answer, the curves, where the best plan changes, and how that is known."""
    if places:
        st.markdown(f"#### {plain(_along(found), 300)}", anchors=False)
        charts.show(
            whatif_figures.curves(found, title, name, places),
            alt=whatif_figures.curves_alternative(found, title),
            key="whatif-curves",
        )
        st.caption(
            f"Predicted {plain(found.by.title.lower())} of the workloads of a paper's curve; they "
            f"differ in more than one number, so nothing is said between them. {noted(found)}"
        )
        controls.download("Download as CSV", sweep_csv(found), "what-if.csv")
        return
    changes = len(found.crossovers)
    winners = len(dict.fromkeys([found.winner[0], *(c.after for c in found.crossovers)]))
    st.markdown(
        f"#### {counted(winners, 'plan')} {'wins' if winners == 1 else 'win'} somewhere, and the "
        f"best changes {counted(changes, 'time')}.",
        anchors=False,
    )
    charts.show(
        whatif_figures.curves(found, title, name),
        alt=whatif_figures.curves_alternative(found, title),
        key="whatif-curves",
    )
    if found.crossovers:
        rows: list[dict[str, object]] = [
            {
                title: ranges.shown(crossing.at),
                "Until there": plan_title(crossing.before),
                "From there": plan_title(crossing.after),
                "Because of": because(crossing),
                "How sure": how_sure(crossing) or "solved",
            }
            for crossing in found.crossovers
        ]
        controls.table(rows_as_columns(rows), "Where the best plan changes, and why")
    st.caption(
        f"Predicted {plain(found.by.title.lower())} of {plain(name)}; crossovers are solved, "
        f"not read off the curves. {noted(found)}"
    )
    controls.download("Download as CSV", sweep_csv(found), "what-if.csv")


def noted(found: Sweep) -> str:
    """How plans were priced, where that was done roughly."""
    note = found.about.note
    return f"{plain(note[:1].upper() + note[1:], 200)}." if note else ""


def _along(found: Sweep) -> str:
    winners = list(dict.fromkeys(found.winner))
    if len(winners) == 1:
        return f"{plan_title(winners[0])} wins everywhere."
    return f"{counted(len(winners), 'plan')} win somewhere on this curve."
