"""Memory against CPU: the chains of each group of which none is better in both."""

from __future__ import annotations

from dataclasses import dataclass

from planner.families.sliced_chain.ranking import Plans


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
