"""What arriving tuples pass before a chain: conditions on their values, evaluated and counted."""

from __future__ import annotations

import numpy as np
from numba import njit

from runtime.engines.kernels.conditions import holds_for_any, passes
from runtime.engines.sliced_chain.kernel.types import LOOKS, PASSED


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
            passed, evaluated = passes(order[place], values[t], start, value, comparison, constant)
            counts[LOOKS] += evaluated * np.int64(counted[n])
            if passed:
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
            passed, evaluated = passes(c, values[t], start, value, comparison, constant)
            truth[place] = passed
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
            if not holds_for_any(comparison[part], values[t, value[part]], constant[part]):
                passing[t] = False
                break
            counts[row, PASSED] += np.int64(counted[n])
