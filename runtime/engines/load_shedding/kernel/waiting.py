"""Tuples that wait for the processor: who goes where too many wait, and when one is served."""

from __future__ import annotations

import numpy as np

from runtime.engines.kernels.inlining import part, seldom_part
from runtime.engines.load_shedding.kernel.keep import mixed, priority_of
from runtime.engines.load_shedding.kernel.leaving import count_shed
from runtime.engines.load_shedding.kernel.types import DROPPED, PROCESSOR_SHORT, RANDOM


@part
def arrive(u, end, first, waiting, shape, seen, arm, facts, learned, counters):
    """The tuples from u to end arrive, behind those that wait from first on. Returns how many wait
    then: where that would be more than the buffer holds, one is dropped."""
    for v in range(u, end):
        waiting += 1
        if waiting <= shape.buffer:
            continue
        victim = _victim(first, v, waiting, shape, seen, arm, facts, learned, counters)
        a = arm[victim]
        if counters.key_arrivals.shape[1] > 0:
            counters.key_arrivals[a, seen.keys[victim, a]] += 1
        count_shed(victim, a, seen.ts[v], PROCESSOR_SHORT, shape, seen, counters)
        arm[victim] = DROPPED
        waiting -= 1
    return waiting


@seldom_part
def _victim(first, last, waiting, shape, seen, arm, facts, learned, counters):
    """Who of the waiting tuples goes, by the rule of the plan."""
    if shape.policy == RANDOM:
        return _by_chance(first, last, waiting, shape, arm, counters)
    return _lowest(first, last, shape, seen, arm, facts, learned)


@part
def _by_chance(first, last, waiting, shape, arm, counters):
    number, chosen = np.int64(0), first
    for a in range(len(shape.place)):
        number += counters.evictions[a, PROCESSOR_SHORT]
    # A place behind those of all streams: choices of its own.
    drawn = mixed(mixed(shape.seed) ^ np.uint64(shape.sources))
    left = np.int64(mixed(drawn ^ np.uint64(number)) % np.uint64(waiting))
    for v in range(first, last + 1):
        if arm[v] >= 0:
            chosen = v
            if left == 0:
                break
            left -= 1
    return chosen


@part
def _lowest(first, last, shape, seen, arm, facts, learned):
    """The lowest priority, by what was kept when the last tuple was served; of equal ones the
    oldest."""
    chosen, priority, importance, ties = first, np.inf, np.int64(0), np.int64(0)
    for v in range(first, last + 1):
        if arm[v] < 0:
            continue
        # It will be joined as of its own arrival.
        own, worth, matches = priority_of(v, arm[v], seen.ts[v], shape, seen, facts, learned)
        lower = own < priority
        if own == priority:
            lower = worth < importance or (worth == importance and matches < ties)
        if lower:
            chosen, priority, importance, ties = v, own, worth, matches
    return chosen


@part
def begin_serving(now, first, end, start, shape, arm, counters):
    """The tuples from first to end, which arrived now, are served from `start` on. Returns how many
    they are."""
    served = 0
    for v in range(first, end):
        served += np.int64(arm[v] >= 0)
    late = start - np.float64(now - shape.begin)
    counters.waited[0] += served
    counters.waited[1] += served * late
    counters.waited[2] = max(counters.waited[2], late)
    return served
