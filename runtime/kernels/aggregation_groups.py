"""The output set of an aggregation: groups found by their key, updated, and recomputed."""

from __future__ import annotations

import numpy as np
from numba import njit

from runtime.kernels.aggregation_types import (
    DISTINCT,
    GREATEST,
    LEAST,
    NOTHING,
    Groups,
    Values,
)

_EMPTY = -1


def empty_groups(aggregates: int, slots: int = 64) -> Groups:
    """An output set with room for so many groups, a power of two."""
    wide = (slots, aggregates)
    return Groups(
        np.zeros(slots, np.int64),
        np.zeros(slots, np.int64),
        np.zeros(wide, np.int64),
        np.zeros(wide, np.int64),
        np.full(wide, NOTHING, np.int64),
        np.full(slots, -1, np.int64),
        np.zeros(slots, np.int64),
        np.full(4 * slots, _EMPTY, np.int64),
        np.zeros(3, np.int64),
    )


def empty_values(slots: int = 64) -> Values:
    """No value seen yet."""
    return Values(
        np.full(slots, _EMPTY, np.int64),
        np.zeros(slots, np.int64),
        np.zeros(slots, np.int64),
        np.zeros(1, np.int64),
    )


@njit(inline="always")
def mixed(number):
    """A number's bits spread over all places (the finalizer of SplitMix64)."""
    bits = np.uint64(number)
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return bits ^ (bits >> np.uint64(31))


@njit(nogil=True)
def with_room(groups):
    """The same groups with room for as many more."""
    slots = 2 * len(groups.key)
    wide = (slots, groups.sums.shape[1])
    larger = Groups(
        np.zeros(slots, np.int64),
        np.zeros(slots, np.int64),
        np.zeros(wide, np.int64),
        np.zeros(wide, np.int64),
        np.full(wide, NOTHING, np.int64),
        np.full(slots, -1, np.int64),
        np.zeros(slots, np.int64),
        np.full(4 * slots, _EMPTY, np.int64),
        groups.sizes,
    )
    used = groups.sizes[0]
    larger.key[:used] = groups.key[:used]
    larger.rows[:used] = groups.rows[:used]
    larger.sums[:used] = groups.sums[:used]
    larger.present[:used] = groups.present[:used]
    larger.best[:used] = groups.best[:used]
    larger.stamp[:used] = groups.stamp[:used]
    larger.doubt[:used] = groups.doubt[:used]
    places = np.uint64(len(larger.table) - 1)
    for slot in range(used):
        at = mixed(larger.key[slot]) & places
        while larger.table[at] != _EMPTY:
            at = (at + np.uint64(1)) & places
        larger.table[at] = slot
    return larger


@njit(nogil=True)
def count_value(values, group, code, change):
    """Add to how often a value occurs in a group; returns how the number of its values changed.

    Room for it is made beforehand. A value that is gone keeps its place.
    """
    places = np.uint64(len(values.key) - 1)
    at = mixed(group * 1_000_003 + code) & places
    while values.key[at] != _EMPTY and (values.key[at] != group or values.code[at] != code):
        at = (at + np.uint64(1)) & places
    if values.key[at] == _EMPTY:
        values.key[at] = group
        values.code[at] = code
        values.sizes[0] += 1
    before = values.rows[at]
    values.rows[at] += change
    return np.int64(values.rows[at] > 0) - np.int64(before > 0)


@njit(nogil=True)
def values_with_room(values, more):
    """The same values with room for so many more."""
    if 2 * (values.sizes[0] + more) < len(values.key):
        return values
    slots = 2 * len(values.key)
    while slots <= 2 * (values.sizes[0] + more):
        slots *= 2
    larger = Values(
        np.full(slots, _EMPTY, np.int64),
        np.zeros(slots, np.int64),
        np.zeros(slots, np.int64),
        np.zeros(1, np.int64),
    )
    for at in range(len(values.key)):
        # Values that are gone are left behind.
        if values.key[at] != _EMPTY and values.rows[at]:
            count_value(larger, values.key[at], values.code[at], values.rows[at])
    return larger


@njit(inline="always")
def better(function, one, other):
    """Whether a value is nearer the extremum than another, or there is no other."""
    if other == NOTHING:
        return True
    return one < other if function == LEAST else one > other


@njit(nogil=True)
def count_distinct(slot, values, function, sign, present, best, all_sums):
    """Count the values that a combination brings to a group, or takes away."""
    for a in range(len(function)):
        if function[a] == DISTINCT and present[a]:
            key = slot * len(function) + a
            all_sums[slot, a] += count_value(values, key, best[a], sign * present[a])


@njit(nogil=True)
def has_extrema(function):
    """Whether any aggregate is a MIN or a MAX."""
    return bool(((function == LEAST) | (function == GREATEST)).any())


@njit(nogil=True)
def compete(slot, function, sign, present, best, all_present, all_best, doubt):
    """Let what a combination brings, or takes away, compete for the extrema of its group.

    Where an extremum is taken away that is the group's own, the group is in doubt.
    """
    for a in range(len(function)):
        if present[a] and (function[a] == LEAST or function[a] == GREATEST):
            if all_present[slot, a] == 0:
                all_best[slot, a] = NOTHING
            elif sign > 0:
                if better(function[a], best[a], all_best[slot, a]):
                    all_best[slot, a] = best[a]
            elif best[a] == all_best[slot, a]:
                doubt[slot] = 1
