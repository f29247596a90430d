"""Index advice (Golab and Özsu 2003, Section 5.4): which windows to index, and how finely.

The search is exact where that takes a moment; else plan and split take turns.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from planner.families.join_order.advice.bucket_budget import OrderSplit, PlanSplit
from planner.families.join_order.advice.bucket_costs import Choices, pricing_of
from planner.families.join_order.order_pricer import StepTable
from planner.families.join_order.plan_space import lists_naive
from planner.families.join_order.plans import LoopOrders
from planner.families.join_order.search import cost_to_go, is_ranked
from planner.joins.arrays import Floats, Ints
from planner.joins.model import JoinModel
from planner.plan.cost import UnitCosts, rounded
from planner.plan.index_advice import (
    MOST_BUCKETS,
    Advice,
    Alternative,
    Buckets,
    CurvePoint,
    Method,
    WindowAdvice,
)
from planner.workload.validation import MAX_STREAMS, whole

# Boxes priced at once: more would not be faster, and take memory.
_TOGETHER = 2048
# A box that promises less than this share more is not worth a look: sums end in such digits.
_NEARLY = 1e-12


class BoxSearch:
    """`costs[i][j][P, c]` for each origin; `keeping[j][c]` is paid whatever the loops are."""

    def __init__(
        self,
        costs: Sequence[Sequence[Floats]],
        keeping: Sequence[Floats],
        memory: Sequence[Ints],
    ) -> None:
        self._costs, self._keeping, self._memory = costs, keeping, memory
        # The least that any choice up to this one costs.
        self._floors = [[np.minimum.accumulate(c, axis=1) for c in rows] for rows in costs]

    def best(self, budget: int, known: list[int], most_boxes: int) -> tuple[list[int], bool]:
        """The best choices, at least as good as the known ones; and whether they are proved so."""
        chosen, least = known, float(self._priced(np.array([known]))[0])
        low = np.zeros((1, len(known)), dtype=np.int64)
        high = np.array([[len(taken) - 1 for taken in self._memory]])
        waiting, seen = [(low, high)], 0
        while waiting:
            low, high = self._fitted(*waiting.pop(), budget)
            seen += len(low)
            if seen > most_boxes:
                return chosen, False
            hopeful = self._bound(low, high) < least * (1 - _NEARLY)
            low, high = low[hopeful], high[hopeful]
            single = (low == high).all(axis=1)
            if single.any():
                prices = self._priced(low[single])
                place = int(np.argmin(prices))
                if prices[place] < least * (1 - _NEARLY):
                    chosen, least = low[single][place].tolist(), float(prices[place])
            low, high = _halved(low[~single], high[~single])
            waiting += [
                (low[start : start + _TOGETHER], high[start : start + _TOGETHER])
                for start in range(0, len(low), _TOGETHER)
            ]
        return chosen, True

    def _fitted(self, low: Ints, high: Ints, budget: int) -> tuple[Ints, Ints]:
        """The boxes that hold something within the budget, without what is beyond it."""
        taken = np.stack([m[low[:, j]] for j, m in enumerate(self._memory)], axis=1)
        spare = budget - taken.sum(axis=1)
        inside = spare >= 0
        low, high, taken, spare = low[inside], high[inside], taken[inside], spare[inside]
        for place, memory in enumerate(self._memory):
            fits = np.searchsorted(memory, taken[:, place] + spare, side="right") - 1
            high[:, place] = np.minimum(high[:, place], fits)
        return low, high

    def _bound(self, low: Ints, high: Ints) -> Floats:
        """No choice of a box costs less: loops at their least, upkeep at the fewest buckets."""
        return self._loops(self._floors, high) + self._kept(low)

    def _priced(self, choices: Ints) -> Floats:
        return self._loops(self._costs, choices) + self._kept(choices)

    def _kept(self, choices: Ints) -> Floats:
        kept = [paid[choices[:, place]] for place, paid in enumerate(self._keeping)]
        return np.asarray(np.sum(kept, axis=0))

    def _loops(self, costs: Sequence[Sequence[Floats]], choices: Ints) -> Floats:
        total = np.zeros(len(choices))
        for rows in costs:
            steps = np.stack([row[:, choices[:, j]] for j, row in enumerate(rows)])
            total += cost_to_go(StepTable(steps))[0]
        return total


def _halved(low: Ints, high: Ints) -> tuple[Ints, Ints]:
    """Each box as two, cut where its buckets differ most: costs fall with their ratio."""
    side = np.argmax((high + 1) / (low + 1), axis=1)
    rows = np.arange(len(low))
    middle = (low[rows, side] + high[rows, side]) // 2
    below, above = high.copy(), low.copy()
    below[rows, side], above[rows, side] = middle, middle + 1
    return np.concatenate([low, above]), np.concatenate([below, high])


# Sums of a search over orders and budgets: about a second; beyond it plan and split take turns.
MOST_SUMS = 300_000_000
# An order for each origin: boxes of choices that are looked into for one budget, times the loops
# that each prices.
MOST_BOXED = 60_000_000
MOST_BOXED_SOURCES = 6


@dataclass(frozen=True, slots=True)
class FoundBuckets:
    """The buckets of each window, what their best plan costs, and how they were found."""

    buckets: Buckets
    cost: float
    method: Method


class Advising:
    """Finds the best buckets for any budget up to the one of the choices."""

    def __init__(self, choices: Choices) -> None:
        self.choices = choices
        self._costs: dict[Buckets, float] = {}
        self._orders: list[OrderSplit] = []
        self._boxes: BoxSearch | None = None
        self._plans: dict[str, PlanSplit] = {}
        if is_ranked(choices.model):
            if choices.is_settled and len(choices.memory) <= MOST_BOXED_SOURCES:
                self._boxes = BoxSearch(choices.of_origins(), choices.keeping, choices.memory)
        elif OrderSplit.work(choices.memory, choices.budget) <= MOST_SUMS:
            self._orders = list(self._order_splits())

    def _order_splits(self) -> Iterator[OrderSplit]:
        """The search over multiway orders, and that over naive ones where these are ranked."""
        choices = self.choices
        tables = [choices.multiway()]
        if lists_naive(choices.model):
            tables.append(choices.naive())
        for table in tables:
            paid = zip(table, choices.keeping, strict=True)
            costs = [steps + keeping for steps, keeping in paid]
            yield OrderSplit(costs, choices.memory, choices.budget)

    @property
    def is_exact_throughout(self) -> bool:
        """Whether the best buckets are proved so for every budget at once."""
        return bool(self._orders)

    def cost(self, buckets: Buckets) -> float:
        """What the best plan costs with these buckets."""
        if buckets not in self._costs:
            pricing, model = self.choices.pricing, self.choices.model.with_buckets(buckets)
            if pricing.upkeep:
                cost = pricing.price(model, pricing.plan(model))
            else:
                cost = pricing.probing(model)
            self._costs[buckets] = rounded(cost)
        return self._costs[buckets]

    def best(self, budget: int) -> FoundBuckets:
        if self._orders:
            split = min(self._orders, key=lambda split: rounded(split.least[budget]))
            return self._found(split.choices(budget), "exact")
        known = self._in_turn(budget)
        if self._boxes is None:
            return self._found(known, "greedy")
        loops = len(self.choices.memory) ** 2 << len(self.choices.memory)
        chosen, proved = self._boxes.best(budget, known, MOST_BOXED // loops)
        return self._found(chosen, "exact" if proved else "greedy")

    def quick(self, budget: int) -> FoundBuckets:
        """Good buckets within a smaller budget, found fast: for the plans seen so far."""
        if self._orders:
            return self.best(budget)
        split = min(self._plans.values(), key=lambda split: split.least[budget])
        found = self._found(split.choices(budget), "greedy")
        equal = self.choices.equal(budget)
        return min(found, FoundBuckets(equal, self.cost(equal), "greedy"), key=lambda one: one.cost)

    def _found(self, chosen: list[int], method: Method) -> FoundBuckets:
        buckets = tuple(choice + 1 for choice in chosen)
        return FoundBuckets(buckets, self.cost(buckets), method)

    def _in_turn(self, budget: int) -> list[int]:
        """Plan for some buckets, split the budget for that plan, plan again, until nothing changes.

        It begins without indexes and with an equal split, so it is never worse than these.
        """
        choices = self.choices
        starts = choices.equal(0), choices.equal(budget)
        for start in starts:
            buckets = start
            while True:
                loops = choices.pricing.plan(choices.model.with_buckets(buckets))
                if loops.label in self._plans:
                    break
                paid = zip(choices.of_plan(loops), choices.keeping, strict=True)
                costs = [loop + keeping for loop, keeping in paid]
                self._plans[loops.label] = PlanSplit(costs, choices.memory, choices.budget)
                buckets = tuple(c + 1 for c in self._plans[loops.label].choices(budget))
        best = min(self._plans.values(), key=lambda split: split.least[budget])
        found = tuple(choice + 1 for choice in best.choices(budget))
        # On several attributes a split pays for indexes that its plan may not use.
        return [count - 1 for count in min((found, *starts), key=self.cost)]


# Points of the curve for joins of up to so many sources: each takes plans of its own.
_POINTS = {7: 24, 12: 8, MAX_STREAMS: 4}


def advise(
    model: JoinModel, budget: int, upkeep: bool = False, units: UnitCosts | None = None
) -> Advice:
    """The buckets that make the best plan cheapest, together with that plan.

    With `upkeep` expiring and inserting count too: in seconds where unit costs are given.
    """
    whole(budget, "buckets", most=MOST_BUCKETS)
    choices = Choices(model, pricing_of(model, upkeep, units), budget)
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
        unit=choices.pricing.unit,
        none=_alternative(search, choices.equal(0)),
        equal=_alternative(search, choices.equal(budget)),
        curve=tuple(_curve(search, {**smaller, choices.budget: best, budget: best})),
    )


def _smaller_budgets(choices: Choices) -> list[int]:
    """Points below the budget that is of use, from no bucket on."""
    points = next(few for most, few in _POINTS.items() if len(choices.memory) <= most)
    return sorted({choices.budget * step // points for step in range(points)})


def _windows(search: Advising, best: FoundBuckets, loops: LoopOrders) -> Iterator[WindowAdvice]:
    choices = search.choices
    for place, count in enumerate(best.buckets):
        scanned = (*best.buckets[:place], 1, *best.buckets[place + 1 :])
        without = choices.pricing.price(choices.model.with_buckets(scanned), loops)
        yield WindowAdvice(
            choices.model.aliases[place],
            count,
            int(choices.memory[place][count - 1]),
            choices.most[place],
            max(rounded(without) - best.cost, 0.0) if count > 1 else 0.0,
        )


def _plan(search: Advising, buckets: Buckets) -> LoopOrders:
    return search.choices.pricing.plan(search.choices.model.with_buckets(buckets))


def _alternative(search: Advising, buckets: Buckets) -> Alternative:
    return Alternative(buckets, _plan(search, buckets).label, search.cost(buckets))


def _curve(search: Advising, found: dict[int, FoundBuckets]) -> Iterator[CurvePoint]:
    """What each budget leads to. Buckets can be left unused, so that the curve never rises."""
    least = search.cost(search.choices.equal(0))
    for budget, one in found.items():
        least = min(least, one.cost)
        yield CurvePoint(budget, least, search.cost(search.choices.equal(budget)))
