"""GAIN-S: the importance that a tuple is expected to gain, from what has arrived so far."""

from __future__ import annotations

import numpy as np

from runtime.engines.kernels.inlining import part
from runtime.engines.load_shedding.kernel.types import (
    ARRIVED,
    COUNTED,
    IMPORTANCE_ARRIVED,
    KNOWN,
)

# Counts are halved when so many have come for each known key: what is old is forgotten.
_PER_KEY = 16


@part
def learn_key(key, a, importance, learned):
    """A tuple with a key has arrived."""
    sums = learned.sums[a]
    if learned.known[a, key] == 0:
        learned.known[a, key] = 1
        sums[KNOWN] += 1
    learned.arrived[a, key] += 1
    learned.total[a, key] += importance
    sums[COUNTED] += 1
    sums[ARRIVED] += 1
    sums[IMPORTANCE_ARRIVED] += importance
    if sums[COUNTED] >= _PER_KEY * sums[KNOWN]:
        sums[COUNTED] = 0
        for each in range(learned.arrived.shape[1]):
            count = learned.arrived[a, each]
            if count > 0:
                half = count // 2
                learned.total[a, each] = learned.total[a, each] // count * half
                learned.arrived[a, each] = half
                sums[COUNTED] += half


@part
def expected_gain(u, a, now, shape, seen, facts, learned):
    """The rate at which a tuple gains importance, times the eighth root of the life it has left."""
    own, ts = seen.importance[u], seen.ts[u]
    rate = 0.0
    r = facts.first[a, seen.keys[u, a]]
    while r >= 0:
        if facts.begin[r] <= ts:
            weight, least = 1.0, own
            for j in range(facts.stored.shape[1]):
                if j != a:
                    key = facts.keys[r, j]
                    count = learned.arrived[j, key]
                    weight *= np.float64(count + 1)
                    if count > 0:
                        least = min(least, learned.total[j, key] // count)
                    elif learned.sums[j, ARRIVED] > 0:
                        mean = learned.sums[j, IMPORTANCE_ARRIVED] // learned.sums[j, ARRIVED]
                        least = min(least, mean)
            rate += weight * np.float64(least)
        r = facts.next[a, r]
    life = np.float64(ts + shape.lifetime[a] - now)
    return rate * np.sqrt(np.sqrt(np.sqrt(life)))
