"""What policies are ranked by: importance and recall. The exact plan is never the best."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from planner.families.load_shedding.labels import EXACT
from planner.plan.cost import Quality
from planner.plan.objective import Objective, PlanOutcome
from planner.plan.plan import Plan


def is_bounded(label: str) -> bool:
    """Whether a plan keeps to the memory: all but the exact one."""
    return label != EXACT


def _of_query(
    read: Callable[[Quality], float | None],
) -> Callable[[Plan, PlanOutcome], float | None]:
    def of(plan: Plan, outcome: PlanOutcome) -> float | None:
        # A run whose policy was switched has a root for each, of the one query.
        quality = outcome.qualities.get(str(plan.roots[0].param("query")))
        return None if quality is None else read(quality)

    return of


SUM_OF_IMPORTANCE = Objective(
    "importance",
    "Importance",
    "importance",
    "importance",
    _of_query(lambda quality: quality.importance),
    "highest",
    eligible=is_bounded,
    kind="Importance",
    grows=True,
)
RECALL = Objective(
    "recall",
    "Recall",
    "of the results",
    "recall",
    _of_query(lambda quality: quality.recall),
    "highest",
    eligible=is_bounded,
    kind="Recall",
)


def bounded(objective: Objective) -> Objective:
    """The objective with the exact plan listed, but never the best."""
    return replace(objective, eligible=is_bounded)
