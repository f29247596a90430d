"""What pages show of a plan beside its cost: its joins one by one, and memory against CPU."""

from __future__ import annotations

from dataclasses import dataclass

from planner.families.sliced_chain.groups import BOTH
from planner.families.sliced_chain.layout import Join
from planner.families.sliced_chain.model import ChainModel
from planner.families.sliced_chain.plans import Built
from planner.families.sliced_chain.ranking import Plans


@dataclass(frozen=True, slots=True)
class Slice:
    """One join of a plan. `tuples` and `bytes` are of the group's two streams, in this order."""

    operator: str
    group: int
    streams: tuple[str, str]
    start: float
    end: float
    tuples: tuple[float, float]
    bytes: tuple[float, float]
    entering: float
    queries: tuple[str, ...]


def slices_of(model: ChainModel, built: Built) -> tuple[Slice, ...]:
    """The joins of a plan, in the order of its operators."""
    found = []
    for operator in built.plan.operators():
        join = built.subjects[operator.id]
        if operator.kind != "slice" or not isinstance(join, Join):
            continue
        group = model.by_group[join.group]
        flows = group.flows(join)
        sizes = [group.streams[side].tuple_bytes for side in BOTH]
        found.append(
            Slice(
                operator.id,
                join.group.number,
                join.group.streams,
                group.length(join.start),
                group.length(join.end),
                (flows[0].held, flows[1].held),
                (flows[0].held * sizes[0], flows[1].held * sizes[1]),
                sum(flow.entering for flow in flows),
                tuple(member.query for member in join.members),
            )
        )
    return tuple(found)


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
