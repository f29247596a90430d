"""The best tuples to keep, as a minimum-cost flow: polynomial, where the paper's graph is not.

Instants are nodes. From the one where a tuple arrives an arc leads to its first gain and on to the
next one; after any gain an arc leads back to the line of instants, and the line leads from each
instant to the one before it, for as many units as there are slots. Each unit that goes round is a
tuple that is kept. The arms do not influence each other: the arrival that a kept tuple meets is
joined whether it is kept or not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from ortools.graph.python.min_cost_flow import SimpleMinCostFlow

from planner.errors import RunError
from planner.families.load_shedding.offline.matches import (
    Gains,
    Worth,
    matches_of,
    single_worth,
)
from planner.families.load_shedding.offline.prices import Chains, prices
from planner.families.load_shedding.star import Star
from planner.families.load_shedding.star_tuples import Integers, StarTuples, star_tuples
from planner.files.tuple_table import Table

FINER = 64
MOST_WORTH = 1 << 40


@dataclass(frozen=True, slots=True)
class ArmLeaves:
    """When each tuple that takes part leaves, by arm, and what all results are worth."""

    by_arm: tuple[Integers, ...]
    gained: int


@dataclass(frozen=True, slots=True)
class Leaves:
    """When each tuple of a table leaves: the first instant at which it is no longer kept, by alias.

    One that leaves when it arrives is never admitted. `gained` counts the results, or their
    importance in millionths.
    """

    by_alias: dict[str, Integers]
    gained: int


def best_leaves(star: Star, tables: Mapping[str, Table], worth: Worth = "importance") -> Leaves:
    """The leave times with the most importance, or the most results, of a star of two arms."""
    tuples = star_tuples(star, tables)
    found = leaves_of(tuples, [arm.share for arm in star.arms], worth)
    by_alias = {}
    for arm, own, leaves in zip(star.arms, tuples.arms, found.by_arm, strict=True):
        # What a filter takes out is never admitted.
        by_alias[arm.source.alias] = tables[arm.source.name].ts.copy()
        by_alias[arm.source.alias][own.row] = leaves
    return Leaves(by_alias, found.gained)


def leaves_of(tuples: StarTuples, shares: Sequence[int], worth: Worth) -> ArmLeaves:
    """The same for tuples that are numbered already."""
    if len(tuples.arms) == 1:
        return ArmLeaves((tuples.arms[0].ts.copy(),), single_worth(tuples, worth))
    assert len(tuples.arms) == 2, "of more arms a gain depends on who else is kept: excluded"
    matches = matches_of(tuples, worth)
    gained, by_arm = matches.together, []
    after = np.append(matches.instants[1:], matches.instants[-1:] + 1)
    for own, gains, share in zip(tuples.arms, matches.arms, shares, strict=True):
        leaves = own.ts.copy()
        if share and len(gains.tuple):
            arrives = np.searchsorted(matches.instants, own.ts)
            kept = kept_gains(gains, arrives[gains.tuple], share)
            gained += int(gains.worth[kept].sum())
            # Gains are in order of time: the last one that is kept is written last.
            leaves[gains.tuple[kept]] = after[gains.instant[kept]]
        by_arm.append(leaves)
    return ArmLeaves(tuple(by_arm), gained)


def kept_gains(gains: Gains, arrives: Integers, share: int) -> NDArray[np.bool_]:
    """Which gains are made when a stream keeps at most so many tuples at once.

    Only instants where a tuple arrives or has gained are places of the line.
    """
    count = len(gains.tuple)
    line, places = np.unique(np.concatenate((arrives, gains.instant + 1)), return_inverse=True)
    worth = gains.worth // np.gcd.reduce(gains.worth)
    # Finer than whole numbers, so that prices can be; not so fine that the solver overflows.
    worth *= max(1, min(FINER, MOST_WORTH // int(worth.max())))
    whole = Chains(gains.tuple, places[:count], places[count:], worth, len(line))
    chains = whole.shortened(share)
    if chains.length == 1:
        return np.ones(count, np.bool_)
    own = chains.length + np.arange(count)
    # Back along the line; to each gain from the line or from the gain before; back to the line.
    steps = np.arange(chains.length - 1)
    tail = np.concatenate((steps + 1, np.where(chains.is_first, chains.enter, own - 1), own))
    head = np.concatenate((steps, own, chains.leave))
    capacity = np.ones(len(tail), np.int64)
    capacity[steps] = share
    gain_arcs = len(steps) + np.arange(count)
    cost = np.zeros(len(tail), np.int64)
    cost[gain_arcs] = -worth
    # The values of nodes change what arcs cost, and nothing of what a round costs.
    summed = prices(chains, share)
    value = np.concatenate((summed, summed[chains.leave]))
    cost += value[head] - value[tail]
    return np.asarray(_solved(tail, head, capacity, cost).flows(gain_arcs) > 0)


def _solved(
    tail: Integers, head: Integers, capacity: Integers, cost: Integers
) -> SimpleMinCostFlow:
    flow = SimpleMinCostFlow()
    flow.add_arcs_with_capacity_and_unit_cost(tail, head, capacity, cost)
    status = flow.solve()
    if status != flow.OPTIMAL:
        raise RunError(
            f"the best tuples to keep were not found ({status.name}); take fewer tuples",
            "run.duration",
        )
    return flow
