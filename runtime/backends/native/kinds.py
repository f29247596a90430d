"""What Spark's own operators can express: the kinds of plans, by the family they are of."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Protocol

from planner.plan.plan import Plan
from planner.workload.workload import Workload
from runtime.backends.native.description import NativePlan, Use
from runtime.engines.registry import ENGINES


class Kind(Protocol):
    """How the plans of a family are described for Spark's own operators."""

    def refuses(self, plan: Plan, workload: Workload, use: Use) -> str | None:
        """Say in one sentence why they do not express this plan; None where they do."""

    def describe(self, plan: Plan, workload: Workload) -> NativePlan:
        """The plan as joins of Spark's; it is not refused."""


def refusal(plan: Plan, workload: Workload, use: Use) -> str | None:
    """Why Spark's own operators do not run or export this plan; None where they do."""
    kind = _kind(plan.family)
    if kind is None:
        return f"plans of {plan.family} need operators that Spark does not have"
    return kind.refuses(plan, workload, use)


def describe(plan: Plan, workload: Workload) -> NativePlan:
    """What Spark's own operators are to do for a plan; `refusal` has nothing against it."""
    kind = _kind(plan.family)
    assert kind is not None, "the plan is refused"
    return kind.describe(plan, workload)


@cache
def _kind(family: str) -> Kind | None:
    known = ENGINES.get(family)
    if known is None or known.native is None:
        return None
    found: Kind = import_module(known.native)
    return found
