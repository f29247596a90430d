"""What arriving tuples pass before a chain: conditions on their values, evaluated and counted."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from runtime.engines.kernels.conditions import holds
from runtime.engines.sliced_chain.kernel.types import LOOKS, PASSED


class Conditions(NamedTuple):
    """The conditions on one stream: the c-th is a conjunction of start[c] to start[c + 1].

    Each part says `value comparison constant`; a conjunction of none is true.
    """

    start: np.ndarray
    value: np.ndarray
    comparison: np.ndarray
    constant: np.ndarray

    @classmethod
    def of(cls, conjunctions: list[list[list[float]]]) -> Conditions:
        """From lists of [value, comparison, constant]."""
        parts = np.array([part for c in conjunctions for part in c], np.float64).reshape(-1, 3)
        sizes = [len(conjunction) for conjunction in conjunctions]
        return cls(
            np.concatenate(([0], np.cumsum(sizes))).astype(np.int64),
            parts[:, 0].astype(np.int64),
            parts[:, 1].astype(np.int64),
            np.ascontiguousarray(parts[:, 2]),
        )


@njit(inline="always")
def _passes(c, row, start, value, comparison, constant):
    """Whether the c-th condition holds, and how many of its parts were evaluated."""
    evaluated = 0
    for part in range(start[c], start[c + 1]):
        evaluated += 1
        if not holds(comparison[part], row[value[part]], constant[part]):
            return False, evaluated
    return True, evaluated


@njit(cache=True, nogil=True)
def attach(tuples, values, conditions, bits):
    """Set the bits of the conditions that these tuples satisfy, for selects to look at."""
    start, value, comparison, constant = conditions
    for n in range(len(tuples)):
        t = tuples[n]
        for c in range(len(start) - 1):
            if _passes(c, values[t], start, value, comparison, constant)[0]:
                bits[t, c >> 6] |= np.uint64(1) << np.uint64(c & 63)


@njit(cache=True, nogil=True)
def survive(tuples, values, conditions, order, far, least, counted, counts, survival, reach):
    """How far each tuple gets: as a female (survival), and as a male (reach).

    `far[place]` has both for tuples that pass the condition order[place], `least` for all tuples.
    A condition by which a tuple would get no further in either way is not evaluated.
    """
    start, value, comparison, constant = conditions
    for n in range(len(tuples)):
        t = tuples[n]
        survival[t] = least[0]
        reach[t] = least[1]
        for place in range(len(order)):
            if far[place, 0] <= survival[t] and far[place, 1] <= reach[t]:
                continue
            passes, evaluated = _passes(order[place], values[t], start, value, comparison, constant)
            counts[LOOKS] += evaluated * np.int64(counted[n])
            if passes:
                survival[t] = max(survival[t], far[place, 0])
                reach[t] = max(reach[t], far[place, 1])
        counts[PASSED] += np.int64(counted[n] and (survival[t] > 0 or reach[t] > 0))


@njit(cache=True, nogil=True)
def split(tuples, values, conditions, chosen, parts, counted, counts, part):
    """The part of each tuple: the row of `parts` that says which of the chosen conditions hold.

    A tuple that belongs to none of them has the part -1.
    """
    start, value, comparison, constant = conditions
    truth = np.empty(len(chosen), np.bool_)
    for n in range(len(tuples)):
        t = tuples[n]
        for place in range(len(chosen)):
            c = chosen[place]
            passes, evaluated = _passes(c, values[t], start, value, comparison, constant)
            truth[place] = passes
            counts[LOOKS] += evaluated * np.int64(counted[n])
        part[t] = -1
        for row in range(len(parts)):
            same = True
            for place in range(len(chosen)):
                same = same and parts[row, place] == truth[place]
            if same:
                part[t] = row
        counts[PASSED] += np.int64(counted[n] and part[t] >= 0)


@njit(cache=True, nogil=True)
def filter_one_by_one(tuples, values, conditions, chosen, counted, counts, passing):
    """Whether the chosen condition holds; each of its parts has a row of counts."""
    start, value, comparison, constant = conditions
    for n in range(len(tuples)):
        t = tuples[n]
        passing[t] = True
        for part in range(start[chosen], start[chosen + 1]):
            row = part - start[chosen]
            counts[row, LOOKS] += np.int64(counted[n])
            if not holds(comparison[part], values[t, value[part]], constant[part]):
                passing[t] = False
                break
            counts[row, PASSED] += np.int64(counted[n])
