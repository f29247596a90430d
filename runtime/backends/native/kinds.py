"""What Spark's own operators can express: the kinds of plans, by the family they are of."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Protocol

import numpy as np
import pyarrow as pa

from planner.files.tuple_table import Table
from planner.plan.plan import Plan
from planner.workload.workload import Workload
from runtime.backends.native.description import NativePlan, Use
from runtime.engines.registry import ENGINES


class NativeAggregation(Protocol):
    """What Spark aggregates beside joins: columns coded before, rows read back after."""

    def columns(self) -> dict[str, dict[str, pa.Array]]:
        """More columns of every table."""

    def digest(self, rows: np.ndarray) -> int:
        """The answer digest of the rows."""

    def write(self, rows: np.ndarray, folder: Path) -> None:
        """Write the answer."""


class Kind(Protocol):
    """How the plans of a family are described for Spark's own operators.

    One whose answers are groups also has `groups(described, workload, tables)`.
    """

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


def groups_of(
    plan: Plan, described: NativePlan, workload: Workload, tables: Mapping[str, Table]
) -> NativeAggregation | None:
    """What is aggregated of a plan; None where results of joins are the answer."""
    kind = _kind(plan.family)
    aggregated = getattr(kind, "groups", None)
    found: NativeAggregation | None = (
        aggregated(described, workload, tables) if aggregated else None
    )
    return found


@cache
def _kind(family: str) -> Kind | None:
    known = ENGINES.get(family)
    if known is None or known.native is None:
        return None
    found: Kind = import_module(known.native)
    return found
