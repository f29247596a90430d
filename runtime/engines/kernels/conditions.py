"""Conditions on values: what joins two tuples, and the filters that tuples pass."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from runtime.engines.kernels.loop_types import (
    EQUAL,
    GREATER,
    GREATER_EQUAL,
    LESS,
    LESS_EQUAL,
    constant_rows,
)

# When a query entered that was there from the beginning; before any other time.
ALWAYS = -(2**62)


class Predicates(NamedTuple):
    """What joins two tuples: equal keys where `keyed`, equal `others` among the keys, and values.

    Where `hashed`, a probe looks at the stored tuples of its bucket, else at all.
    The theta-th says `values[a, left] comparison values[b, right] + offset`, a of the first stream.
    """

    keyed: bool
    hashed: bool
    others: np.ndarray
    left: np.ndarray
    right: np.ndarray
    comparison: np.ndarray
    offset: np.ndarray

    @classmethod
    def of(cls, key: int, buckets: int, others: list[int], thetas: list[list[float]]) -> Predicates:
        """From the number of the key (-1: none), its buckets, and [left, right, comparison,
        offset] of the others."""
        theta = np.array(thetas, np.float64).reshape(-1, 4)
        left, right, comparison = (np.ascontiguousarray(c, np.int64) for c in theta[:, :3].T)
        return cls(
            key >= 0,
            buckets > 1,
            np.array(others, np.int64),
            left,
            right,
            comparison,
            np.ascontiguousarray(theta[:, 3]),
        )


class Conditions(NamedTuple):
    """The conditions on one stream: the c-th is a conjunction of start[c] to start[c + 1].

    Each part says `value comparison constant` for one of the constants of its row; a conjunction of
    none is true.
    """

    start: np.ndarray
    value: np.ndarray
    comparison: np.ndarray
    constant: np.ndarray

    @classmethod
    def of(cls, conjunctions: list[list[list[float]]]) -> Conditions:
        """From lists of [value, comparison, constant, more constants]."""
        parts = [part for conjunction in conjunctions for part in conjunction]
        sizes = [len(conjunction) for conjunction in conjunctions]
        return cls(
            np.concatenate(([0], np.cumsum(sizes))).astype(np.int64),
            np.array([part[0] for part in parts], np.int64),
            np.array([part[1] for part in parts], np.int64),
            constant_rows([part[2:] for part in parts]),
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


@njit(inline="always")
def holds_for_any(comparison, value, constants):
    """Whether the comparison holds with one of a row of constants."""
    for constant in constants:
        if holds(comparison, value, constant):
            return True
        if constant != constant:
            break
    return False


@njit(inline="always")
def passes(c, row, start, value, comparison, constant):
    """Whether the c-th condition holds, and how many of its parts were evaluated."""
    evaluated = 0
    for part in range(start[c], start[c + 1]):
        evaluated += 1
        if not holds_for_any(comparison[part], row[value[part]], constant[part]):
            return False, evaluated
    return True, evaluated


@njit(cache=True, nogil=True)
def attach(tuples, values, conditions, bits):
    """Set the bits of the conditions that these tuples satisfy, to be looked at later."""
    start, value, comparison, constant = conditions
    for n in range(len(tuples)):
        t = tuples[n]
        for c in range(len(start) - 1):
            if passes(c, values[t], start, value, comparison, constant)[0]:
                bits[t, c >> 6] |= np.uint64(1) << np.uint64(c & 63)


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
                passing[a] = holds_for_any(filters.comparison[f], value, filters.constant[f])
                counters.passed[f] += counted * np.int64(passing[a])
    return passing
