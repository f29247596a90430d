"""Seconds of join-order plans: which kernel runs each, and what its work weighs there."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from planner.cost import Cost, UnitCosts
from planner.families.join_order.loops import Algorithm, algorithm_of
from planner.families.join_order.table import Weights
from planner.joins.accesses import ACCESSES, EACH
from planner.joins.model import JoinModel


@dataclass(frozen=True)
class Clock:
    """The unit costs of a workload's plans. `is_fast`: the multi-way kernel knows its join."""

    units: UnitCosts
    is_fast: bool

    def kernel(self, model: JoinModel, algorithm: Algorithm) -> str:
        """What runs plans of an algorithm. General ones are ranked where it is not the fast one."""
        if self.is_fast and algorithm == "multiway":
            return "multiway"
        return "relations" if any(window.is_relation for window in model.windows) else "loops"

    def weights(self, model: JoinModel, algorithm: Algorithm) -> Weights:
        """What probes of an algorithm weigh in seconds; filters are in the upkeep."""
        return probe_weights(self.units, self.kernel(model, algorithm))

    def kept(self, model: JoinModel, label: str, upkeep: Iterable[tuple[str, Cost]]) -> float:
        """The seconds of all but the probes."""
        kernel = self.kernel(model, algorithm_of(label))
        seconds = sum(self.units.seconds(f"{kernel} {kind}", cost) for kind, cost in upkeep)
        if kernel == "multiway":
            return seconds
        evaluations = sum(model.evaluations(origin) for origin in model.origins)
        return seconds + evaluations * self.units.of(f"{kernel} output").given


def probe_weights(units: UnitCosts, kernel: str) -> Weights:
    """What probes weigh in seconds under a kernel."""
    by_access = [units.of(f"{kernel} probe {access}") for access in ACCESSES]
    each = by_access[ACCESSES.index(EACH)]
    return Weights(
        each.compare,
        each.output,
        filter=0.0,
        accesses=tuple((unit.compare, unit.given) for unit in by_access),
    )
