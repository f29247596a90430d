"""A plan as a graph of its operators: on the canvas, with the colours of its streams."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from pages.parts.canvas import plan_canvas
from pages.parts.canvas.plan_canvas import CanvasPlan
from pages.parts.shared import planning
from pages.parts.shared.formatting import plain
from pages.parts.start.workload_picture import colours
from planner.plan.operator_names import parts_of_plan
from planner.plan.plan import Plan
from runtime.runs.records import Run

if TYPE_CHECKING:
    from pages.parts.families.protocol import PlanChoice
    from planner.plan.objective import Objective

# So many parts of streams are explained.
MOST_PARTS = 8
# Width over height of a canvas across the page.
_WIDE = 3.0


def chosen(choice: PlanChoice, height: int) -> None:
    """The operators of the plan that Plans shows."""
    drawn = CanvasPlan(
        *choice.priced,
        choice.ranking.by,
        colours=colours(choice.workload),
        others=_others(choice),
    )
    plan_canvas.show(drawn, "chosen", height, aspect=1.4)


def _others(choice: PlanChoice) -> dict[str, tuple[str, frozenset[str]]]:
    """The plans that are listed beside the chosen one: their names and their operators."""
    space = planning.space(choice.family.name, choice.workload)
    labels = [label for label in choice.listed if label != choice.label]
    return {
        label: (space.title(label), frozenset(op.id for op in space.plan(label).operators()))
        for label in labels
    }


def measured(run: Run, by: Objective, height: int, key: str = "measured") -> None:
    """The operators of a run, with a ring for measured over predicted."""
    counted = run.measurement.costs if run.measurement else {}
    drawn = CanvasPlan(run.plan, run.estimate, by, counted, colours=colours(run.workload))
    plan_canvas.show(drawn, key, height, aspect=_WIDE)


def explain_parts(*plans: Plan) -> None:
    """Which tuples each part of the streams holds; nothing where streams are not split."""
    parts = {code: words for plan in plans for code, words in parts_of_plan(plan).items()}
    if parts:
        shown = "; ".join(f"{code}: {words}" for code, words in list(parts.items())[:MOST_PARTS])
        more = f"; and {len(parts) - MOST_PARTS} more" if len(parts) > MOST_PARTS else ""
        st.caption(
            f"Parts of the streams, with one digit per condition: {plain(f'{shown}{more}.', 2000)}"
        )
