"""Index advice as types: which windows to index, how finely, and what that gains."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from planner.numbers import amount, times
from planner.workload.execution import Execution

MOST_BUCKETS = 10_000
# Less than this share is saved: percents say more than ratios.
_LITTLE = 0.2

# Whether no other split is cheaper, or that is not proved.
Method = Literal["exact", "greedy"]
# Of each window, in FROM order.
Buckets = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class WindowAdvice:
    """What to do with one window. One bucket is a scan.

    `memory` is what its indexes take of the budget: `buckets` for each of its join attributes.
    `saves` is by how much the advised plan costs more if this window alone is scanned.
    """

    source: str
    buckets: int
    memory: int
    # More buckets than this gain nothing; 1 where the window is not looked up by equality.
    most_useful: int
    saves: float

    @property
    def saves_per_bucket(self) -> float:
        """What a bucket of this window is worth on average."""
        return self.saves / self.memory if self.memory else 0.0


@dataclass(frozen=True, slots=True)
class Alternative:
    """Another use of the budget: its buckets in FROM order, its best plan and that plan's cost."""

    buckets: Buckets
    plan: str
    cost: float


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """What a budget leads to: advised, and split equally."""

    budget: int
    advised: float
    equal: float


@dataclass(frozen=True, slots=True)
class Advice:
    """Which windows to index within a budget of buckets, and what that gains.

    `method` says whether the buckets are proved best; `curve_method` the same of the whole curve.
    """

    budget: int
    windows: tuple[WindowAdvice, ...]
    method: Method
    curve_method: Method
    plan: str
    cost: float
    unit: str
    none: Alternative
    equal: Alternative
    curve: tuple[CurvePoint, ...]

    @property
    def used(self) -> int:
        """How many buckets of the budget are put to use."""
        return sum(window.memory for window in self.windows)

    @property
    def worth_most(self) -> WindowAdvice | None:
        """The index that saves most per bucket, if any is advised."""
        indexed = [window for window in self.windows if window.buckets > 1]
        return max(indexed, key=lambda window: window.saves_per_bucket, default=None)

    @property
    def join(self) -> Literal["nested", "hash"] | dict[str, Literal["nested", "hash"]]:
        """As `execution.join` says it. Every source is named: an alias may be another's stream."""
        methods: dict[str, Literal["nested", "hash"]] = {
            window.source: "hash" if window.buckets > 1 else "nested" for window in self.windows
        }
        different = set(methods.values())
        return different.pop() if len(different) == 1 else methods

    @property
    def buckets(self) -> dict[str, int]:
        """As `execution.buckets` says it; empty where nothing is indexed."""
        return {window.source: window.buckets for window in self.windows if window.buckets > 1}

    def answer(self) -> str:
        """One sentence: what to index, and what it gains."""
        work = self.unit.removesuffix("/s") if self.unit.endswith("/s") else "work"
        parts = [f"{source} with {amount(count)}" for source, count in self.buckets.items()]
        if not parts:
            return f"Index nothing: a budget of {amount(self.budget)} saves no {work}."
        listed = " and ".join([", ".join(parts[:-1]), parts[-1]] if parts[1:] else parts)
        less = "less" if work == "work" else "fewer"
        gain = f"{_saving(self.none.cost, self.cost)} {less} {work} than without indexes"
        if self.equal.cost == self.cost:
            against = "the same as with an equal split"
        else:
            against = f"{_saving(self.equal.cost, self.cost)} {less} than with an equal split"
        return f"Index {listed} buckets: {gain}, {against}."


def _saving(other: float, cost: float) -> str:
    """`3.2x`, or `4.5%` where that says more."""
    share = 1 - cost / other if other else 0.0
    return times(other, cost) if share >= _LITTLE else f"{max(100 * share, 0.01):.2g}%"


def advised_execution(execution: Execution, advice: Advice) -> Execution:
    """The execution with the windows indexed as advised; all else stays."""
    return replace(execution, join=advice.join, buckets=advice.buckets or "per-value")
