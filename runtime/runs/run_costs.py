"""A run's whole cost, predicted and measured, and what plans of its family are ranked by."""

from __future__ import annotations

from planner.families.registry import family
from planner.plan.cost import Cost, total
from runtime.runs.records import Run


def predicted_cost(run: Run) -> Cost:
    """What the whole plan should have cost."""
    return total(run.estimate.costs, (root.id for root in run.plan.roots))


def measured_cost(run: Run) -> Cost | None:
    """What the whole plan cost; None where nothing was measured."""
    if run.measurement is None or not run.measurement.costs:
        return None
    return total(run.measurement.costs, (root.id for root in run.plan.roots))


def ranked_by(run: Run) -> str:
    """The part of a cost that plans of the run's family are ranked by."""
    return family(run.plan.family).ranked_by


def scores(run: Run) -> tuple[float, float | None]:
    """What plans are ranked by, predicted and measured; None where nothing was measured."""
    field, found = ranked_by(run), measured_cost(run)
    expected: float = getattr(predicted_cost(run), field)
    return expected, None if found is None else getattr(found, field)
