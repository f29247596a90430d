"""Conditions on values: comparisons of two, and the filters that arriving tuples pass."""

from __future__ import annotations

import numpy as np
from numba import njit

from runtime.engines.kernels.loop_types import (
    EQUAL,
    GREATER,
    GREATER_EQUAL,
    LESS,
    LESS_EQUAL,
)


@njit(inline="always")
def holds(comparison, left, right):
    """Whether the comparison holds; with a missing value (NaN) none does."""
    if comparison == LESS:
        return left < right
    if comparison == LESS_EQUAL:
        return left <= right
    if comparison == GREATER:
        return left > right
    if comparison == GREATER_EQUAL:
        return left >= right
    if comparison == EQUAL:
        return left == right
    return left < right or left > right


@njit(cache=True, nogil=True)
def filtered(span, filters, arriving, hashes, counters):
    """Which arriving tuples pass the filters of their source; counted in their own partition."""
    passing = np.ones(len(arriving.ts), np.bool_)
    for a in range(len(arriving.ts)):
        mine = hashes[a] % np.uint64(span.shares) == np.uint64(span.share)
        counted = np.int64(mine and arriving.ts[a] >= span.warmup)
        counters.arrivals[arriving.source[a]] += counted
        for f in range(len(filters.source)):
            if filters.source[f] == arriving.source[a] and passing[a]:
                counters.evaluated[f] += counted
                value = arriving.values[a, filters.value[f]]
                passing[a] = holds(filters.comparison[f], value, filters.constant[f])
                counters.passed[f] += counted * np.int64(passing[a])
    return passing
