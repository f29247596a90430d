"""Cells that are measured on Spark: started within a budget, marked on the diagram, and listed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from pages.parts.shared import backend, controls, planning
from pages.parts.shared.planning import plan_title
from pages.parts.whatif import number_titles, ranges, scenarios
from planner.errors import SluiceError
from planner.families import across
from planner.families.protocol import Family
from planner.whatif.diagrams.plan_diagram import PlanDiagram
from planner.workload.workload import Workload

MOST_MEASURED = 20
SECONDS = (10, 30, 60)
_FAILURE, _KNOWN = "whatif-failure", "whatif-known"
# Between updates while plans run.
_FOLLOW = 2.0
_RUNS_READ = 20

Cell = dict[str, float]


class MeasuredCell(NamedTuple):
    """What was predicted and measured of the plans in a cell, and which is best by either."""

    cell: Cell
    figures: dict[str, tuple[float, float]]
    predicted: str
    measured: str

    @property
    def agrees(self) -> bool:
        return self.predicted == self.measured


def values_at(diagram: PlanDiagram, place: int) -> Cell:
    """The numbers of a cell, by path."""
    row, column = divmod(place, diagram.shape[1])
    one, other = diagram.axes
    return {one.path: one.values[row], other.path: other.values[column]}


def measure(
    family: Family,
    workload: Workload,
    cells: Sequence[Cell],
    diagram: PlanDiagram,
    seconds: float,
) -> None:
    """Run the best plan of each cell and its closest rival, as batch jobs in the background."""
    from runtime.data.run_data import check_size
    from runtime.runs.records import RunRequest

    st.session_state.pop(_FAILURE, None)
    requests, started = [], []
    for cell in cells:
        there = scenarios.applied(workload, cell)
        try:
            check_size(there)
            labels = _compared(family, there, diagram)
        except SluiceError as error:
            st.session_state[_FAILURE] = error
            continue
        started.append(cell)
        requests += [
            RunRequest(there, *across.own_name(family.name, label), "replay", most_seconds=seconds)
            for label in labels
        ]
    if requests:
        backend.start(requests)
    known = [cell for cell in _asked() if cell not in started]
    st.session_state[scenarios.MEASURED] = [*known, *started][-MOST_MEASURED:]


def _compared(family: Family, there: Workload, diagram: PlanDiagram) -> list[str]:
    """The best plan, and of those that win elsewhere the one that costs least here."""
    space = planning.space(family.name, there)
    ranking = planning.ranking(family, there)
    others = [label for label in diagram.winners if label != ranking.best]
    labels = [ranking.best]
    if others:
        scores = dict(zip(others, space.scores(others, ranking.by), strict=True))
        labels.append(ranking.by.top(scores, scores.__getitem__))
    return [plan.label for plan in space.plans(labels)]


def _asked() -> list[Cell]:
    found: list[Cell] = st.session_state.get(scenarios.MEASURED, [])
    return found


def found_in(family: Family, workload: Workload, diagram: PlanDiagram) -> list[MeasuredCell]:
    """What was measured in cells of this diagram."""
    paths = {axis.path for axis in diagram.axes}
    cells = [cell for cell in _asked() if set(cell) == paths]
    measured = (_measured(family, workload, cell) for cell in cells)
    return [found for found in measured if found is not None]


def _measured(family: Family, workload: Workload, cell: Cell) -> MeasuredCell | None:
    from runtime.runs.history import History

    there = scenarios.applied(workload, cell)
    by = planning.objective(family.name, there)
    latest: dict[str, tuple[float, float]] = {}
    for run in History().runs(there.digest, most=_RUNS_READ):
        plan = across.name_in(family.name, run.plan)
        if run.measurement is None or plan.label in latest:
            continue
        if family.name not in (across.NAME, plan.family):
            continue
        measured, predicted = by.of(plan, run.measurement), by.of(plan, run.estimate)
        if measured is not None and predicted is not None:
            latest[plan.label] = (predicted, measured)
    if not latest:
        return None
    first = by.top(latest, lambda label: latest[label][0])
    return MeasuredCell(cell, latest, first, by.top(latest, lambda label: latest[label][1]))


def mark(figure: go.Figure, diagram: PlanDiagram, found: Sequence[MeasuredCell]) -> None:
    """Circles where the measurement names the same winner, crosses where it names another."""
    one, other = (axis.path for axis in diagram.axes)
    kinds = (
        (True, "circle", "Measured: same winner", "#FFFFFF"),
        (False, "x", "Measured: another winner", "#000000"),
    )
    for agrees, symbol, name, colour in kinds:
        cells = [own for own in found if len(own.figures) > 1 and own.agrees is agrees]
        if cells:
            figure.add_scatter(
                x=[own.cell[other] for own in cells],
                y=[own.cell[one] for own in cells],
                mode="markers",
                name=name,
                marker={
                    "symbol": symbol,
                    "size": 12,
                    "color": colour,
                    "line": {"width": 2, "color": "#000000" if agrees else "#FFFFFF"},
                },
                hovertext=[plan_title(own.measured) for own in cells],
                hoverinfo="text",
            )


def failure() -> None:
    """Say why a cell could not be measured."""
    if (error := st.session_state.get(_FAILURE)) is not None:
        controls.show(error)


@st.fragment(run_every=_FOLLOW)
def listed(family: Family, workload: Workload, diagram: PlanDiagram) -> None:
    """What was measured, beside what was predicted; new figures draw the marks anew."""
    if not _asked():
        return
    found = found_in(family, workload, diagram)
    count = sum(len(own.figures) for own in found)
    if count > st.session_state.get(_KNOWN, 0):
        st.session_state[_KNOWN] = count
        st.rerun()
    if not found:
        st.caption("Measuring: Spark is running the plans of the cells.")
        return
    by = planning.objective(family.name, workload)
    compared = [own for own in found if len(own.figures) > 1]
    agreed = sum(own.agrees for own in compared)
    st.markdown(
        f"**Model and measurement name the same winner in {agreed} of {len(compared)} measured "
        "cells.**"
    )
    rows = [
        {
            "Cell": _place(own.cell),
            "Plan": plan_title(label),
            f"Predicted ({by.unit})": ranges.shown(predicted),
            f"Measured ({by.unit})": ranges.shown(measured),
            "Best plan": _verdict(own),
        }
        for own in found
        for label, (predicted, measured) in own.figures.items()
    ]
    controls.table(
        pd.DataFrame(rows),
        "Measured cells: predicted beside measured, and whether the same plan is best",
    )


def _place(cell: Cell) -> str:
    return ", ".join(
        f"{number_titles.title(path)}: {ranges.shown(value)}" for path, value in cell.items()
    )


def _verdict(own: MeasuredCell) -> str:
    if len(own.figures) < 2:
        return "one plan measured so far"
    return "model and measurement agree" if own.agrees else "measured another winner"
