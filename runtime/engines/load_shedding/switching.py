"""Another policy sheds from now on: memory stays, and what it knows of stored tuples is made anew.

A policy that ranks tuples once, when they come, ranks those that it finds in memory by the matches
they have now; one that learns how often keys come begins with the tuples that were kept.
"""

from __future__ import annotations

from collections import defaultdict
from math import prod

import numpy as np

from planner.families.load_shedding.labels import (
    EXPECTED_GAIN,
    GAIN_AND_LOSS,
    IMPORTANCE,
    IMPORTANCE_AND_MATCHES,
)
from runtime.engines.load_shedding.batch import SheddingState
from runtime.engines.load_shedding.kernel.types import (
    ARRIVED,
    COUNTED,
    IMPORTANCE_ARRIVED,
    KNOWN,
    Learned,
    SheddingArrivals,
)
from runtime.engines.load_shedding.star_join import StarJoin


def under_policy(join: StarJoin, stored: SheddingState) -> tuple[SheddingState, int]:
    """What is stored as the policy of this join needs it, and how many tuples it looked at."""
    tuples = stored.tuples
    arm = _arm_of(join)[tuples.source]
    is_tuple = arm >= 0
    learned = join.nothing_learned()._replace(
        choices=stored.learned.choices,
        survived=stored.learned.survived,
        clock=stored.learned.clock,
    )
    priority = np.zeros(len(tuples.ts))
    looked_at = 0
    if join.policy in (IMPORTANCE, IMPORTANCE_AND_MATCHES, GAIN_AND_LOSS):
        priority[is_tuple] = tuples.importance[is_tuple]
        if join.policy != IMPORTANCE:
            priority *= _matches(tuples, arm, len(join.arms))
        looked_at = int(np.count_nonzero(is_tuple))
    elif join.policy == EXPECTED_GAIN:
        _learn(join, tuples, arm, learned)
        looked_at = int(np.count_nonzero(is_tuple))
    since = np.where(is_tuple, learned.survived[arm], 0.0)
    moments = np.zeros((int(np.count_nonzero(is_tuple)), *join.moments))
    return SheddingState(learned, priority, since, moments, tuples, stored.waiting), looked_at


def _arm_of(join: StarJoin) -> np.ndarray:
    found = np.full(join.sources + 1, -1, np.int64)
    for number, arm in enumerate(join.arms):
        found[arm.place] = number
    return found


def _learn(join: StarJoin, tuples: SheddingArrivals, arm: np.ndarray, learned: Learned) -> None:
    """Count the stored tuples as if they had just come."""
    for number, own in enumerate(join.arms):
        chosen = arm == number
        keys, importance = tuples.keys[chosen, number], tuples.importance[chosen]
        # The last key is a missing one.
        known = keys < own.codes - 1
        keys, importance = keys[known], importance[known]
        np.add.at(learned.arrived[number], keys, 1)
        np.add.at(learned.total[number], keys, importance)
        learned.known[number] = learned.arrived[number] > 0
        learned.sums[number, KNOWN] = learned.known[number].sum()
        learned.sums[number, [COUNTED, ARRIVED]] = len(keys)
        learned.sums[number, IMPORTANCE_ARRIVED] = importance.sum()


def _matches(tuples: SheddingArrivals, arm: np.ndarray, arms: int) -> np.ndarray:
    """With how many combinations of stored tuples of the other arms each tuple would be joined."""
    rows = np.flatnonzero(arm < 0)
    begin = tuples.ts[rows]
    stored = np.zeros((len(rows), arms), np.int64)
    rows_of: list[dict[int, list[int]]] = []
    for number in range(arms):
        keys = tuples.keys[rows, number]
        times = _times_by_key(tuples, arm, number)
        by_key: dict[int, list[int]] = defaultdict(list)
        for row, key in enumerate(keys.tolist()):
            by_key[key].append(row)
            # A row is valid for tuples that came after it had begun.
            held = times.get(key, ())
            stored[row, number] = len(held) - np.searchsorted(held, begin[row])
        rows_of.append(by_key)
    found = np.zeros(len(tuples.ts))
    for place in np.flatnonzero(arm >= 0).tolist():
        own = int(arm[place])
        for row in rows_of[own].get(int(tuples.keys[place, own]), ()):
            if begin[row] <= tuples.ts[place]:
                found[place] += prod(int(stored[row, j]) for j in range(arms) if j != own)
    return found


def _times_by_key(tuples: SheddingArrivals, arm: np.ndarray, number: int) -> dict[int, list[int]]:
    """When the stored tuples of an arm came, in order, by key."""
    times: dict[int, list[int]] = defaultdict(list)
    for place in np.flatnonzero(arm == number).tolist():
        times[int(tuples.keys[place, number])].append(int(tuples.ts[place]))
    return {key: sorted(found) for key, found in times.items()}
