"""What only some families can do. A caller asks a plan space for it, and may get None."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from planner.plan.cost import Cost, UnitCosts
from planner.plan.index_advice import Advice
from planner.plan.plan import Plan


@runtime_checkable
class IndexAdvice(Protocol):
    """Says which windows to index."""

    def advise(self, buckets: int, upkeep: bool = False, units: UnitCosts | None = None) -> Advice:
        """Which windows to index within a budget of buckets; with upkeep, that counts too."""


@runtime_checkable
class Changes(Protocol):
    """Queries may enter and leave while a plan runs, and the plan may be switched.

    `strategies` are labels that stand for the best plan in some sense, whatever the queries are.
    """

    strategies: tuple[str, ...]

    def label_after_change(self, plan: Plan, asked: str) -> str:
        """What to ask for when the queries change, where `asked` gave this plan."""

    def cost_of_entered(self, plan: Plan, entered: Mapping[str, int]) -> Mapping[str, Cost]:
        """By operator id what a plan costs more because these queries entered at these times."""


@dataclass(frozen=True, slots=True)
class ThroughputEntry:
    """The best partial window that a tuple may scan from one window on, up to another.

    `served` queries (or their weight) per length of the partial window, which ends at `until`;
    `value` is their ratio.
    """

    start: float
    limit: float
    until: float
    served: float
    value: float


@runtime_checkable
class ThroughputMatrix(Protocol):
    """Decides by a matrix: how much each partial window serves per length."""

    def matrix(self, label: str) -> tuple[ThroughputEntry, ...]:
        """The entries of a plan, row by row; none where it decides in another way."""


@runtime_checkable
class Recomputations(Protocol):
    """Predicts how often an aggregation looks for MIN or MAX again because one has left."""

    def recomputations(self, plan: Plan) -> Mapping[str, float]:
        """How often per second, by operator id."""
