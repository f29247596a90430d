"""How often each value of a DISTINCT aggregate occurs in a group."""

from __future__ import annotations

import numpy as np
from numba import njit

from runtime.engines.early_aggregation.kernel.types import Values
from runtime.engines.kernels.inlining import part

EMPTY = -1


def empty_values(slots: int = 64) -> Values:
    """No value seen yet."""
    return Values(
        np.full(slots, EMPTY, np.int64),
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


@part
def count_value(values, group, code, change):
    """Add to how often a value occurs in a group; returns how the number of its values changed.

    Room for it is made beforehand. A value that is gone keeps its place.
    """
    places = np.uint64(len(values.key) - 1)
    at = mixed(group * 1_000_003 + code) & places
    while values.key[at] != EMPTY and (values.key[at] != group or values.code[at] != code):
        at = (at + np.uint64(1)) & places
    if values.key[at] == EMPTY:
        values.key[at] = group
        values.code[at] = code
        values.sizes[0] += 1
    before = values.rows[at]
    values.rows[at] += change
    return np.int64(values.rows[at] > 0) - np.int64(before > 0)


@part
def lacks_values(values, more):
    """Whether so many more values might find no room."""
    return 2 * (values.sizes[0] + more) >= len(values.key)


@njit(nogil=True)
def values_with_room(values, more):
    """The same values with room for so many more."""
    slots = 2 * len(values.key)
    while slots <= 2 * (values.sizes[0] + more):
        slots *= 2
    larger = Values(
        np.full(slots, EMPTY, np.int64),
        np.zeros(slots, np.int64),
        np.zeros(slots, np.int64),
        np.zeros(1, np.int64),
    )
    for at in range(len(values.key)):
        # Values that are gone are left behind.
        if values.key[at] != EMPTY and values.rows[at]:
            count_value(larger, values.key[at], values.code[at], values.rows[at])
    return larger
