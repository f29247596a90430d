"""Index advice (Golab and Özsu 2003, Section 5.4): which windows to index, and how finely."""

from __future__ import annotations

from collections.abc import Iterator

from planner.families.join_order.advice.advice_search import Advising, FoundBuckets
from planner.families.join_order.advice.bucket_costs import Choices, pricing_of
from planner.families.join_order.plans import Loops
from planner.joins.model import JoinModel
from planner.plan.cost import UnitCosts, rounded
from planner.plan.index_advice import (
    MOST_BUCKETS,
    Advice,
    Alternative,
    Buckets,
    CurvePoint,
    WindowAdvice,
)
from planner.workload.validation import MAX_STREAMS, whole

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


def _windows(search: Advising, best: FoundBuckets, loops: Loops) -> Iterator[WindowAdvice]:
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


def _plan(search: Advising, buckets: Buckets) -> Loops:
    return search.choices.pricing.plan(search.choices.model.with_buckets(buckets))


def _alternative(search: Advising, buckets: Buckets) -> Alternative:
    return Alternative(buckets, _plan(search, buckets).label, search.cost(buckets))


def _curve(search: Advising, found: dict[int, FoundBuckets]) -> Iterator[CurvePoint]:
    """What each budget leads to. Buckets can be left unused, so that the curve never rises."""
    least = search.cost(search.choices.equal(0))
    for budget, one in found.items():
        least = min(least, one.cost)
        yield CurvePoint(budget, least, search.cost(search.choices.equal(budget)))
