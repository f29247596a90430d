"""One cell of a diagram: what is best there, opened as a workload or measured on Spark."""

from __future__ import annotations

from typing import Any

import numpy as np
import streamlit as st

from pages.parts.shared import planning, state
from pages.parts.shared.formatting import plain
from pages.parts.whatif import measured_cells, ranges, scenarios
from pages.parts.whatif.measured_cells import Cell, values_at
from planner.families.protocol import Family
from planner.whatif.axes import Axis
from planner.whatif.diagrams.cells_to_measure import cells_to_measure
from planner.whatif.diagrams.plan_diagram import PlanDiagram
from planner.workload.workload import Workload

_COUNTS = (3, 5, 10)
# In each cell the best plan and one other are run.
_MOST_RUNS = 2
_CLICKED = "whatif-clicked"


def show(
    family: Family,
    workload: Workload,
    diagram: PlanDiagram,
    clicked: list[Any],
    titles: tuple[str, ...],
) -> None:
    """The cell that was clicked, or chosen with the keyboard; and several cells to measure."""
    cell = _picked(diagram, clicked, titles)
    there = scenarios.applied(workload, cell)
    ranking = planning.ranking(family, there)
    place = ", ".join(
        f"{title}: {ranges.shown(value)}"
        for title, value in zip(titles, cell.values(), strict=True)
    )
    best = ranking.of(ranking.best)
    with st.container(border=True):
        st.markdown(
            f"**{plain(place, 200)}**: {plain(planning.title(family.name, best.label, there))} is "
            f"best with {plain(ranking.by.said(best.score))}."
        )
        with st.container(horizontal=True, vertical_alignment="bottom"):
            st.button(
                "Open as a workload",
                icon=":material/open_in_new:",
                on_click=state.edit,
                args=(there,),
                key="whatif-open-cell",
            )
            _offer_measuring(family, workload, diagram, cell)
        measured_cells.failure()
    measured_cells.listed(family, workload, diagram)


def _offer_measuring(family: Family, workload: Workload, diagram: PlanDiagram, cell: Cell) -> None:
    """Measure this cell, or some near borders, each plan for so many seconds at most."""
    seconds = st.session_state.get("whatif-budget", measured_cells.SECONDS[1])
    st.button(
        "Measure on Spark",
        icon=":material/play_arrow:",
        on_click=measured_cells.measure,
        args=(family, workload, [cell], diagram, seconds),
        help="Runs the best plan here and the next best of those that win elsewhere, as one batch "
        "job each.",
        key="whatif-measure-cell",
    )
    count = st.selectbox("Cells near borders", _COUNTS, 1, key="whatif-measure-count", width=140)
    st.button(
        f"Measure {count} cells (at most {_MOST_RUNS * count * seconds} s)",
        icon=":material/grid_on:",
        on_click=lambda: measured_cells.measure(
            family,
            workload,
            [values_at(diagram, place) for place in cells_to_measure(diagram, count)],
            diagram,
            seconds,
        ),
        help="Cells in which two plans are close, far apart from each other.",
        key="whatif-measure-cells",
    )
    st.selectbox(
        "Budget for each run",
        measured_cells.SECONDS,
        1,
        format_func=lambda seconds: f"at most {seconds} s",
        key="whatif-budget",
        width=160,
    )


def _picked(diagram: PlanDiagram, clicked: list[Any], titles: tuple[str, ...]) -> Cell:
    """The cell that was clicked last, or chosen with sliders; at first the one in the middle."""
    place = int(clicked[0]["customdata"][0]) if clicked and clicked[0].get("customdata") else None
    is_new = place is not None and place != st.session_state.get(_CLICKED)
    st.session_state[_CLICKED] = place
    wanted: Cell = st.session_state.get(scenarios.CELL) or {}
    if is_new and place is not None:
        wanted = values_at(diagram, place)
    found: Cell = {}
    for side, axis, title in zip(st.columns(2), diagram.axes, titles, strict=True):
        near = wanted.get(axis.path, axis.values[len(axis.values) // 2])
        now = axis.values[int(np.abs(np.array(axis.values) - near).argmin())]
        found[axis.path] = _slider(side, axis, title, now, is_new) if len(axis.values) > 1 else now
    st.session_state[scenarios.CELL] = found
    return found


def _slider(side: Any, axis: Axis, title: str, now: float, follows: bool) -> float:
    """A slider for one number of the cell, which follows a click."""
    key = f"whatif-cell-{axis.path}-{axis.values[0]:g}-{axis.values[-1]:g}-{len(axis.values)}"
    if follows or key not in st.session_state:
        st.session_state[key] = now
    chosen: float = side.select_slider(
        f"Cell: {title}", axis.values, format_func=ranges.shown, key=key
    )
    return chosen
