"""A run's whole cost, predicted and measured, and what plans of its family are ranked by."""

from __future__ import annotations

from collections.abc import Iterable

from planner.families.registry import family
from planner.plan.cost import Cost, total
from planner.plan.objective import Objective
from runtime.runs.records import Run


def predicted_cost(run: Run) -> Cost:
    """What the whole plan should have cost."""
    return total(run.estimate.costs, (root.id for root in run.plan.roots))


def measured_cost(run: Run) -> Cost | None:
    """What the whole plan cost; None where nothing was measured."""
    if run.measurement is None or not run.measurement.costs:
        return None
    return total(run.measurement.costs, (root.id for root in run.plan.roots))


def objective_of(run: Run) -> Objective:
    """What plans of the run's family are ranked by."""
    return family(run.plan.family).objective


def scores(run: Run) -> tuple[float | None, float | None]:
    """What plans are ranked by, predicted and measured; None where it is not known."""
    by, found = objective_of(run), run.measurement
    return by.of(run.plan, run.estimate), None if found is None else by.of(run.plan, found)


def measured_scores(runs: Iterable[Run]) -> list[tuple[Run, float, float]]:
    """The runs of which both figures are known, with what was predicted and what was measured."""
    pairs = ((run, *scores(run)) for run in runs)
    return [(run, p, m) for run, p, m in pairs if p is not None and m is not None]
