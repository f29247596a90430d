"""Plans against each other: memory in tuples and bytes, CPU in all and by kind of work."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from planner.families.sliced_chain.picture import pictures_of
from planner.families.sliced_chain.pricing import priced
from planner.families.sliced_chain.ranking import Plans
from planner.plan.cost import Cost, total

FILTER = "Filter"
PURGE = "Purge"
PROBE = "Probe"
ROUTE = "Route"
SELECT = "Select"
UNION = "Union"
OVERHEAD = "Overhead of slices (c_sys)"
KINDS = (PROBE, PURGE, ROUTE, SELECT, UNION, FILTER, OVERHEAD)

_KIND_OF = {
    "filter": FILTER,
    "survive": FILTER,
    "split": FILTER,
    "slice": PURGE,
    "probe": PROBE,
    "route": ROUTE,
    "select": SELECT,
    "union": UNION,
}


def kind_of(operator_kind: str) -> str | None:
    """What the comparisons of such an operator are made for; None where it makes none."""
    return _KIND_OF.get(operator_kind)


def by_kind(work: Iterable[tuple[str, Cost]], overhead: float = 0.0) -> dict[str, float]:
    """Comparisons per second of a plan, in the order of KINDS; kinds that it has none of are out.

    >>> by_kind([("slice", Cost(4.0)), ("probe", Cost(9.0)), ("slice", Cost(2.0))])
    {'Probe': 9.0, 'Purge': 6.0}
    """
    found = {OVERHEAD: overhead}
    for operator_kind, cost in work:
        kind = kind_of(operator_kind)
        if kind is not None:
            found[kind] = found.get(kind, 0.0) + cost.comparisons
    return {kind: found[kind] for kind in KINDS if found.get(kind)}


@dataclass(frozen=True, slots=True)
class Balance:
    """What one plan holds and does. `work` adds up to its score, by kind of work."""

    label: str
    joins: int
    cost: Cost
    state_bytes: float
    work: Mapping[str, float]

    @property
    def score(self) -> float:
        """What plans are ranked by."""
        return sum(self.work.values())


def balances_of(plans: Plans, labels: Iterable[str]) -> Iterator[Balance]:
    """The plans of these labels, in turn."""
    for label in labels:
        built = plans.model.builder.build(label)
        costs = priced(built, plans.model)
        operators = built.plan.operators()
        overhead = plans.model.c_sys * plans.entering(built) if plans.model.c_sys else 0.0
        joins = [join for picture in pictures_of(plans.model, built) for join in picture.joins]
        yield Balance(
            label,
            len(joins),
            total(costs, (root.id for root in built.plan.roots)),
            sum(sum(join.bytes) for join in joins),
            by_kind(((op.kind, costs[op.id]) for op in operators), overhead),
        )


@dataclass(frozen=True, slots=True)
class TradeOff:
    """The chains of one group, by rising score and falling state; exact where `epsilon` is 0.

    Labels are those of the workload with the other groups' chains as in CPU-Opt.
    """

    group: int
    labels: tuple[str, ...]
    scores: tuple[float, ...]
    state_tuples: tuple[float, ...]
    epsilon: float


def trade_off_of(plans: Plans) -> tuple[TradeOff, ...]:
    """The trade-off of every group; one point where all its chains hold the same tuples."""
    best = tuple(chains.cheapest for chains in plans.chains)
    found = []
    for at, chains in enumerate(plans.chains):
        points = chains.front.points
        found.append(
            TradeOff(
                chains.model.group.number,
                tuple(plans.label((*best[:at], p.ends, *best[at + 1 :])) for p in points),
                tuple(point.cost for point in points),
                tuple(point.state for point in points),
                chains.front.epsilon,
            )
        )
    return tuple(found)
