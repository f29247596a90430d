"""Two axes: the plan diagram, what the best costs, by how much it wins, regret, and fewer plans."""

from __future__ import annotations

import streamlit as st

from pages.parts.shared import charts, controls, planning
from pages.parts.shared.formatting import counted, plain
from pages.parts.shared.planning import plan_title
from pages.parts.whatif import (
    axis_picker,
    cell_view,
    diagram_figures,
    measured_cells,
    number_titles,
    ranges,
    rate_path,
    scenarios,
)
from pages.parts.whatif.diagram_figures import (
    COST,
    FEWER,
    MARGIN,
    REGRET,
    SHOWN,
    WINNER,
    ShownDiagram,
)
from pages.parts.whatif.one_axis import swept
from pages.parts.whatif.sliders import rows_as_columns
from pages.parts.whatif.whatif_figures import about
from planner.errors import PlanError
from planner.families.protocol import Family
from planner.numbers import quoted
from planner.report.diagram_report import how_near, margin_csv, reduced_csv, regret_csv
from planner.report.sweep_report import sweep_csv
from planner.whatif.axes import parse_axis
from planner.whatif.diagrams.plan_diagram import PlanDiagram
from planner.whatif.diagrams.regret import reduced, regrets, safest
from planner.whatif.sweep_paths import streams_of
from planner.whatif.sweeps import Sweep
from planner.workload.workload import Workload

SIZES = (10, 20, 40, 100)
WITHIN = (1, 5, 10, 20, 50, 100)


def show(family: Family, workload: Workload) -> None:
    """Pick the axes, then the answer, the diagram, and the cell that is clicked."""
    steps = st.session_state[scenarios.choice("whatif-size", SIZES, 40)]
    axes = [
        axis_picker.pick(family, workload, "whatif-vary", steps),
        axis_picker.pick(family, workload, "whatif-vary-2", steps, number=1),
    ]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        what = scenarios.remembered("Show", SHOWN, "whatif-shown")
        st.selectbox(
            "Cells",
            SIZES,
            format_func=_cells_text,
            key="whatif-size",
            width=140,
            persist_state="session",
        )
        within = _within() if what == FEWER else 20
        paths = [parse_axis(axis).path for axis in axes]
        followed = rate_path.pick(family, workload, paths)
    by = planning.objective(family.name, workload).name
    found = swept(family.name, workload, tuple(axes), by)
    diagram = found.diagram
    if diagram is None:
        raise PlanError("choose two different numbers", "the second number")
    plan = _plan_everywhere(diagram) if what == REGRET else diagram.winners[0]
    st.markdown(f"#### {plain(_answer(diagram, within / 100), 600)}", anchors=False)
    titles = tuple(number_titles.title(axis.path) for axis in diagram.axes)
    shown = ShownDiagram(diagram, what, titles, about(found, briefly=True), plan, within / 100)
    figure = diagram_figures.drawn(shown)
    if followed is not None:
        rate_path.draw(figure, followed, streams_of(workload, paths))
    measured_cells.mark(figure, diagram, measured_cells.found_in(family, workload, diagram))
    clicked = charts.pick(figure, alt=_alternative(diagram, what, titles), key="whatif-diagram")
    st.caption(f"{_how(found, diagram)}")
    if followed is not None:
        st.markdown(plain(rate_path.sentence(followed), 600))
    cell_view.show(family, workload, diagram, clicked, titles)
    _table(diagram)
    controls.download("Download as CSV", _csv(found, diagram, what, within), f"{_file(what)}.csv")


def _cells_text(size: int) -> str:
    return f"{size} x {size}"


def _within() -> int:
    share: int = st.select_slider(
        "At most so much worse than the best",
        WITHIN,
        format_func=lambda share: f"{share}%",
        key=scenarios.choice("whatif-within", WITHIN, 20),
        width=260,
        persist_state="session",
    )
    return share


def _plan_everywhere(diagram: PlanDiagram) -> str:
    key = scenarios.choice("whatif-regret", diagram.plans, diagram.winners[0])
    plan: str = st.selectbox(
        "Plan chosen everywhere",
        diagram.plans,
        format_func=plan_title,
        key=key,
        persist_state="session",
    )
    return plan


def _answer(diagram: PlanDiagram, within: float) -> str:
    count = len(diagram.winners)
    if count == 1:
        return f"{plan_title(diagram.winners[0])} wins everywhere."
    safe, few = safest(diagram), reduced(diagram, within)
    worst, mean = ranges.beside_best(safe.worst), ranges.beside_best(safe.mean)
    loses = worst if worst == mean else f"{worst} at worst, {mean} on average"
    return (
        f"{counted(count, 'plan')} win somewhere. {quoted(plan_title(safe.plan))} everywhere is "
        f"{loses}; {counted(len(few.plans), 'plan')} {'is' if len(few.plans) == 1 else 'are'} "
        f"enough to stay within {within:.0%} of the best everywhere."
    )


def _how(found: Sweep, diagram: PlanDiagram) -> str:
    how = {
        "all cells planned": "Every cell was planned.",
        "interpolated": "Costs were worked out in some cells, interpolated, and checked in "
        "others; plans within 0.001% of each other count as the same.",
        "plans interpolated": f"{diagram.planned:,} cells were planned, and the plans that win "
        "there priced in all cells: a plan that wins in none of these cells is not seen, and the "
        "next best plan is one of them.",
        "refined at borders": f"{diagram.planned:,} cells were planned, more of them where the "
        "best plan changes; others have the best plan and the costs of the nearest. The next best "
        "plan is the next best of those that win somewhere.",
        "simulated in some cells": f"{diagram.planned:,} cells were simulated, each on tuples of "
        "its own, and smooth surfaces fitted to them. A plan that was better than another in none "
        "of these cells is taken to be so nowhere.",
    }[diagram.method]
    chance = ""
    if diagram.doubtful:
        is_fitted = diagram.method == "simulated in some cells"
        cells = "cells" if is_fitted else "cells that were priced"
        chance = (
            f" In {diagram.doubtful:.0%} of the {cells} the two best plans are closer than samples "
            "of this size can tell."
        )
    if diagram.errors is not None:
        chance += f" Before they are fitted, figures are within {how_near(diagram.errors)}."
    note = found.about.note
    rough = f" {note[:1].upper()}{note[1:]}." if note else ""
    return plain(f"{about(found)}. {how}{rough}{chance}", 900)


def _alternative(diagram: PlanDiagram, what: str, titles: tuple[str, ...]) -> str:
    shares = ", ".join(
        f"{plan_title(plan)} in {(diagram.winner == diagram.plans.index(plan)).mean():.0%} of cells"
        for plan in diagram.winners[:12]
    )
    return f"{what} by {titles[0]} and {titles[1]}. Best: {shares}."


def _csv(found: Sweep, diagram: PlanDiagram, what: str, within: int) -> str:
    """The table of what is shown."""
    if what == MARGIN:
        return margin_csv(diagram, found.about)
    if what == REGRET:
        return regret_csv(diagram, found.about)
    if what == FEWER:
        return reduced_csv(diagram, found.about, within / 100)
    return sweep_csv(found)


def _file(what: str) -> str:
    names = {WINNER: "plan-diagram", COST: "plan-diagram"}
    return names.get(what, what.lower().replace(" ", "-"))


def _table(diagram: PlanDiagram) -> None:
    """All plans that win somewhere, and the baseline, with the numbers they have in the figure."""
    cells = len(diagram.winner)
    numbers = {plan: place for place, plan in enumerate(diagram.winners, 1)}
    rows: list[dict[str, object]] = [
        {
            "Number": numbers.get(own.plan),
            "Plan": plan_title(own.plan),
            "Best in": f"{own.cells_won / cells:.1%} of cells",
            "At worst": ranges.beside_best(own.worst),
            "On average": ranges.beside_best(own.mean),
        }
        for own in sorted(regrets(diagram), key=lambda own: numbers.get(own.plan, len(numbers) + 1))
    ]
    controls.table(rows_as_columns(rows), "What each plan costs if it is chosen everywhere")
