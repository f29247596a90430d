"""Index advice (Golab and Özsu 2003, Section 5.4): which windows to index, and how finely."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from planner.families.join_order.advice.advice_search import Advising, Buckets, Found, Method
from planner.families.join_order.advice.bucket_costs import Choices, objective_of
from planner.families.join_order.plans import Loops
from planner.joins.model import JoinModel
from planner.numbers import amount, times
from planner.plan.cost import UnitCosts, rounded
from planner.workload.execution import Execution
from planner.workload.validation import MAX_STREAMS, whole

MOST_BUCKETS = 10_000
# Points of the curve for joins of up to so many sources: each takes plans of its own.
_POINTS = {7: 24, 12: 8, MAX_STREAMS: 4}
# Less than this share is saved: percents say more than ratios.
_LITTLE = 0.2


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


def advise(
    model: JoinModel, budget: int, upkeep: bool = False, units: UnitCosts | None = None
) -> Advice:
    """The buckets that make the best plan cheapest, together with that plan.

    With `upkeep` expiring and inserting count too: in seconds where unit costs are given.
    """
    whole(budget, "buckets", most=MOST_BUCKETS)
    choices = Choices(model, objective_of(model, upkeep, units), budget)
    search = Advising(choices)
    best = search.best(choices.budget)
    smaller = {at: search.quick(at) for at in _smaller_budgets(choices)}
    if best.method == "greedy":
        # Planning anew for fewer buckets may have led to a better plan.
        best = min(best, *smaller.values(), key=lambda found: found.cost)
    loops = _plan(search, best.buckets)
    return Advice(
        budget=budget,
        windows=tuple(_windows(search, best, loops)),
        method=best.method,
        curve_method="exact" if search.is_exact_throughout else "greedy",
        plan=loops.label,
        cost=best.cost,
        unit=choices.objective.unit,
        none=_alternative(search, choices.equal(0)),
        equal=_alternative(search, choices.equal(budget)),
        curve=tuple(_curve(search, {**smaller, choices.budget: best, budget: best})),
    )


def advised_execution(execution: Execution, advice: Advice) -> Execution:
    """The execution with the windows indexed as advised; all else stays."""
    return replace(execution, join=advice.join, buckets=advice.buckets or "per-value")


def _smaller_budgets(choices: Choices) -> list[int]:
    """Points below the budget that is of use, from no bucket on."""
    points = next(few for most, few in _POINTS.items() if len(choices.memory) <= most)
    return sorted({choices.budget * step // points for step in range(points)})


def _windows(search: Advising, best: Found, loops: Loops) -> Iterator[WindowAdvice]:
    choices = search.choices
    for place, count in enumerate(best.buckets):
        scanned = (*best.buckets[:place], 1, *best.buckets[place + 1 :])
        without = choices.objective.price(choices.model.with_buckets(scanned), loops)
        yield WindowAdvice(
            choices.model.aliases[place],
            count,
            int(choices.memory[place][count - 1]),
            choices.most[place],
            max(rounded(without) - best.cost, 0.0) if count > 1 else 0.0,
        )


def _plan(search: Advising, buckets: Buckets) -> Loops:
    return search.choices.objective.plan(search.choices.model.with_buckets(buckets))


def _alternative(search: Advising, buckets: Buckets) -> Alternative:
    return Alternative(buckets, _plan(search, buckets).label, search.cost(buckets))


def _curve(search: Advising, found: dict[int, Found]) -> Iterator[CurvePoint]:
    """What each budget leads to. Buckets can be left unused, so that the curve never rises."""
    least = search.cost(search.choices.equal(0))
    for budget, one in found.items():
        least = min(least, one.cost)
        yield CurvePoint(budget, least, search.cost(search.choices.equal(budget)))
