"""The stored tuples of a star join: how they come and go, and who makes room for whom."""

from __future__ import annotations

import numpy as np

from runtime.engines.kernels.inlining import part
from runtime.engines.load_shedding.kernel.expected_gain import expected_gain
from runtime.engines.load_shedding.kernel.relation import add_stored, matches_of
from runtime.engines.load_shedding.kernel.types import (
    EXPECTED,
    GAIN_AND_LOSS,
    IMPORTANCE,
    MATCHES,
    MATCHES_OF_NOW,
    RANDOM,
    KeptTuples,
)

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_FIRST = np.uint64(0xBF58476D1CE4E5B9)
_SECOND = np.uint64(0x94D049BB133111EB)


def kept_of(arms, slots, moments):
    """Room for so many stored tuples in each arm, with moments of this shape."""
    slots = max(1, slots)

    def integers(width):
        return np.zeros((arms, width), np.int64)

    return KeptTuples(
        np.full((arms, slots), -1, np.int64),
        integers(slots),
        np.zeros((arms, slots)),
        integers(slots),
        integers(slots),
        np.zeros((arms, slots)),
        integers(slots),
        np.zeros((arms, slots, *moments)),
        # Twice the room: the order moves to the front when it reaches the end.
        integers(2 * slots + 1),
        np.zeros(arms, np.int64),
        np.zeros(arms, np.int64),
        integers(slots),
        np.zeros(arms, np.int64),
        np.zeros(arms, np.int64),
    )


@part
def mixed(number):
    """The next state of splitmix64 after a number, mixed."""
    state = number + _GOLDEN
    state = (state ^ (state >> np.uint64(30))) * _FIRST
    state = (state ^ (state >> np.uint64(27))) * _SECOND
    return state ^ (state >> np.uint64(31))


@part
def admit(u, a, priority, importance, matches, since, kept):
    """Give a tuple a slot, which stays hidden from probes until it is `shown`."""
    if kept.free_count[a] > 0:
        kept.free_count[a] -= 1
        slot = kept.free[a, kept.free_count[a]]
    else:
        slot = kept.high[a]
        kept.high[a] += 1
    kept.key[a, slot] = -1
    kept.tuples[a, slot] = u
    kept.priority[a, slot] = priority
    kept.importance[a, slot] = importance
    kept.matches[a, slot] = matches
    kept.since[a, slot] = since
    kept.used[a, slot] = 0
    for at in range(kept.moments.shape[2]):
        for n in range(kept.moments.shape[3]):
            kept.moments[a, slot, at, n] = 0.0
    if kept.stop[a] == kept.order.shape[1]:
        start = kept.start[a]
        for place in range(start, kept.stop[a]):
            kept.order[a, place - start] = kept.order[a, place]
        kept.stop[a] -= start
        kept.start[a] = 0
    kept.order[a, kept.stop[a]] = slot
    kept.stop[a] += 1


@part
def show(slot, a, seen, kept, facts):
    """A tuple is stored from now on: probes see it."""
    u = kept.tuples[a, slot]
    kept.key[a, slot] = seen.keys[u, a]
    add_stored(kept.key[a, slot], seen.ts[u], a, 1, facts)


@part
def drop(place, a, seen, kept, facts):
    """Take out the tuple at a place of the order."""
    slot = kept.order[a, place]
    if kept.key[a, slot] >= 0:
        add_stored(kept.key[a, slot], seen.ts[kept.tuples[a, slot]], a, -1, facts)
    kept.key[a, slot] = -1
    kept.free[a, kept.free_count[a]] = slot
    kept.free_count[a] += 1
    if place - kept.start[a] < kept.stop[a] - place:
        for before in range(place, kept.start[a], -1):
            kept.order[a, before] = kept.order[a, before - 1]
        kept.start[a] += 1
    else:
        for after in range(place, kept.stop[a] - 1):
            kept.order[a, after] = kept.order[a, after + 1]
        kept.stop[a] -= 1


@part
def priority_of(u, a, now, shape, seen, facts, learned):
    """The priority of an arrival, and what decides between equal ones: importance and matches."""
    importance, key, policy = seen.importance[u], seen.keys[u, a], shape.policy
    if policy == IMPORTANCE:
        return np.float64(importance), np.int64(0), np.int64(0)
    if policy == EXPECTED:
        return expected_gain(u, a, now, shape, seen, facts, learned), np.int64(0), np.int64(0)
    if policy in (MATCHES, MATCHES_OF_NOW, GAIN_AND_LOSS):
        matches = matches_of(np.int64(key), seen.ts[u], a, facts)
        ties = matches if policy == GAIN_AND_LOSS else np.int64(0)
        return np.float64(importance) * matches, importance, ties
    return 0.0, np.int64(0), np.int64(0)


@part
def renew_priorities(a, now, shape, seen, kept, facts, learned):
    """What changes with the state: the matches of all stored tuples, or their expected gain."""
    for place in range(kept.start[a], kept.stop[a]):
        slot = kept.order[a, place]
        u = kept.tuples[a, slot]
        if shape.policy == EXPECTED:
            kept.priority[a, slot] = expected_gain(u, a, now, shape, seen, facts, learned)
            continue
        matches = matches_of(kept.key[a, slot], seen.ts[u], a, facts)
        if shape.policy == MATCHES_OF_NOW:
            kept.priority[a, slot] = np.float64(seen.importance[u]) * matches
        else:
            kept.matches[a, slot] = matches


@part
def victim_of(a, policy, priority, importance, matches, shape, kept, learned):
    """The place in the order of who goes, or -1: the new one, which has this priority.

    Of equal ones the oldest goes, and the new one is the youngest.
    """
    start, stop = kept.start[a], kept.stop[a]
    if policy == RANDOM:
        drawn = mixed(mixed(shape.seed) ^ np.uint64(shape.place[a]))
        drawn = mixed(drawn ^ np.uint64(learned.choices[a]))
        chosen = np.int64(drawn % np.uint64(stop - start + 1))
        return -1 if chosen == stop - start else start + chosen
    lowest = -1
    for place in range(stop - 1, start - 1, -1):
        slot = kept.order[a, place]
        own = kept.priority[a, slot]
        if own > priority:
            continue
        if own == priority:
            if kept.importance[a, slot] > importance:
                continue
            if kept.importance[a, slot] == importance and kept.matches[a, slot] > matches:
                continue
        lowest, priority = place, own
        importance, matches = kept.importance[a, slot], kept.matches[a, slot]
    return lowest
