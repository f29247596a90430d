"""What every row of an exported table is about, so that a file says it without the page."""

from __future__ import annotations

from planner.plan.objective import Objective
from planner.report.plans_text import safe_cell
from planner.whatif.cells import About

ABOUT_HEADS = ("objective", "unit", "model", "family", "workload")


def about_cells(about: About, by: Objective) -> list[str]:
    """The objective, its unit, the models of its figures, the kind of plans, and the workload."""
    models = "; ".join(dict.fromkeys((*about.models, *filter(None, (about.units,)))))
    return [safe_cell(text) for text in (by.name, by.unit, models, about.family, about.workload)]
