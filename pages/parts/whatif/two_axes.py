"""Two axes: the plan diagram, what the best costs, by how much it wins, regret, and fewer plans."""

from __future__ import annotations

import streamlit as st

from pages.parts.shared import charts, controls
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
from pages.parts.whatif.diagram_figures import FEWER, REGRET, SHOWN
from pages.parts.whatif.one_axis import compared, noted, swept
from pages.parts.whatif.sliders import rows_as_columns
from planner.errors import PlanError
from planner.families.protocol import Family
from planner.report.sweep_report import sweep_csv
from planner.whatif.axes import parse_axis
from planner.whatif.diagrams.plan_diagram import PlanDiagram
from planner.whatif.diagrams.regret import reduced, regrets
from planner.whatif.sweep_paths import streams_of
from planner.workload.workload import Workload

SIZES = (10, 20, 40, 100)
_MOST_ROWS = 12


def show(family: Family, workload: Workload) -> None:
    """Pick the axes, then the answer, the diagram, and the cell that is clicked."""
    steps = st.session_state.get("whatif-size", 40)
    axes = [
        axis_picker.pick(family, workload, "whatif-vary", steps),
        axis_picker.pick(family, workload, "whatif-vary-2", steps, number=1),
    ]
    name, by = compared(family, workload)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        what = scenarios.remembered("Show", SHOWN, "whatif-shown")
        st.selectbox(
            "Cells", SIZES, SIZES.index(40), format_func=_cells_text, key="whatif-size", width=140
        )
        within = 20
        if what == FEWER:
            within = st.select_slider(
                "At most so much worse than the best",
                (1, 5, 10, 20, 50, 100),
                20,
                format_func=lambda share: f"{share}%",
                key="whatif-within",
                width=260,
            )
        followed = None
        if name == family.name:
            followed = rate_path.pick(family, workload, [parse_axis(axis).path for axis in axes])
    found = swept(name, workload, tuple(axes), by)
    diagram = found.diagram
    if diagram is None:
        raise PlanError("choose two different numbers", "the second number")
    plan = diagram.winners[0]
    if what == REGRET:
        plan = st.selectbox("Plan chosen everywhere", diagram.plans, format_func=plan_title)
    st.markdown(f"#### {plain(_answer(diagram, within / 100), 600)}", anchors=False)
    titles = tuple(number_titles.title(axis.path) for axis in diagram.axes)
    figure = diagram_figures.drawn(diagram, what, titles, workload.name, plan, within / 100)
    if followed is not None:
        paths = [axis.path for axis in diagram.axes]
        rate_path.draw(figure, followed, streams_of(workload, paths))
    if name == family.name:
        measured_cells.mark(figure, diagram, measured_cells.found_in(family, workload, diagram))
    clicked = charts.pick(figure, alt=_alternative(diagram, what, titles), key="whatif-diagram")
    st.caption(f"{_how(diagram, workload)} {noted(found)}")
    if followed is not None:
        st.markdown(plain(rate_path.sentence(followed), 600))
    if name == family.name:
        cell_view.show(family, workload, diagram, clicked, titles)
    _table(diagram)
    controls.download("Download as CSV", sweep_csv(found), "plan-diagram.csv")


def _cells_text(size: int) -> str:
    return f"{size} x {size}"


def _answer(diagram: PlanDiagram, within: float) -> str:
    count = len(diagram.winners)
    if count == 1:
        return f"{plan_title(diagram.winners[0])} wins everywhere."
    safest, few = regrets(diagram)[0], reduced(diagram, within)
    return (
        f"{counted(count, 'plan')} win somewhere. {plan_title(safest.plan)} everywhere costs at "
        f"worst {ranges.shown(safest.worst)}x the best, {ranges.shown(safest.mean)}x on average; "
        f"{counted(len(few.plans), 'plan')} {'is' if len(few.plans) == 1 else 'are'} enough to "
        f"stay within {within:.0%} of the best everywhere."
    )


def _how(diagram: PlanDiagram, workload: Workload) -> str:
    how = {
        "all cells planned": "Every cell was planned.",
        "interpolated": "Costs were worked out in some cells, interpolated, and checked in "
        "others; plans within 0.001% of each other count as the same.",
        "refined at borders": f"{diagram.planned:,} cells were planned, more of them where the "
        "best plan changes; others have the best plan of the nearest.",
    }[diagram.method]
    return f"Predicted {plain(diagram.by.title.lower())} of {plain(workload.name)}. {how}"


def _alternative(diagram: PlanDiagram, what: str, titles: tuple[str, ...]) -> str:
    shares = ", ".join(
        f"{plan_title(plan)} in {(diagram.winner == diagram.plans.index(plan)).mean():.0%} of cells"
        for plan in diagram.winners[:_MOST_ROWS]
    )
    return f"{what} by {titles[0]} and {titles[1]}. Best: {shares}."


def _table(diagram: PlanDiagram) -> None:
    cells = len(diagram.winner)
    rows: list[dict[str, object]] = [
        {
            "Plan": plan_title(own.plan),
            "Best in": f"{own.cells_won / cells:.0%} of cells",
            "At worst": f"{ranges.shown(own.worst)}x the best",
            "On average": f"{ranges.shown(own.mean)}x the best",
        }
        for own in regrets(diagram)[:_MOST_ROWS]
    ]
    controls.table(rows_as_columns(rows), "What each plan costs if it is chosen everywhere")
