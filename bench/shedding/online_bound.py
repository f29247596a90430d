"""What no policy can expect to exceed that does not know the future.

Whatever such a policy keeps, a kept tuple is expected to gain its rate at every instant where the
other stream has an arrival: arrivals do not depend on what is kept. So the best way to keep tuples
with these gains instead of the real ones, chosen with all tuples of the stream known, is a bound on
the mean of every policy, even of one that knows the true frequencies. Rows must not change.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from planner.families.load_shedding.offline.flow import kept_gains
from planner.families.load_shedding.offline.matches import Gains, matches_of
from planner.families.load_shedding.star_tuples import Integers, StarTuples


def online_bound(tuples: StarTuples, rates: Sequence[Integers], shares: Sequence[int]) -> int:
    """In millionths, for two arms: `rates` are the importance in millionths that each tuple is
    expected to gain at an arrival of the other stream."""
    matches = matches_of(tuples, "importance")
    bound = matches.together
    for place, (rate, share) in enumerate(zip(rates, shares, strict=True)):
        gains = _expected(tuples, place, rate, matches.instants)
        if share and len(gains.tuple):
            arrives = np.searchsorted(matches.instants, tuples.arms[place].ts)
            kept = kept_gains(gains, arrives[gains.tuple], share)
            bound += int(gains.worth[kept].sum())
    return bound


def _expected(tuples: StarTuples, place: int, rate: Integers, instants: Integers) -> Gains:
    """The rate of each tuple at every instant of its life with an arrival of the other stream."""
    own, arriving = tuples.arms[place], tuples.arms[1 - place].ts
    begin = np.searchsorted(arriving, own.ts, side="right")
    end = np.searchsorted(arriving, own.ts + own.arm.lifetime)
    count = np.where(rate > 0, end - begin, 0)
    within = np.arange(int(count.sum())) - np.repeat(np.cumsum(count) - count, count)
    one = np.repeat(np.arange(len(own.ts)), count)
    when = np.searchsorted(instants, arriving[np.repeat(begin, count) + within])
    places, which = np.unique(one * len(instants) + when, return_inverse=True)
    worth = np.bincount(which, weights=rate[one]).astype(np.int64)
    return Gains(places // len(instants), places % len(instants), worth)
