"""The model of a join that join orders cover."""

from __future__ import annotations

from planner.errors import PlanError
from planner.families.join_order.coverage import refusal
from planner.joins.model import JoinModel, join_of
from planner.workload import Workload


def model_of(workload: Workload) -> JoinModel:
    """The model of a covered workload; a PlanError that says why where it is not covered."""
    reason = refusal(workload)
    if reason is not None:
        raise PlanError(reason, "join_order")
    return join_of(workload)
