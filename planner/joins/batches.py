"""How likely a lazy evaluation finds new tuples of a stream: where it finds none, no loop runs."""

from __future__ import annotations

import math

import numpy as np

from planner.streams import Arrivals

_BURSTS = 2_000


def chance_of_any(arrivals: Arrivals, rate: float, passing: float, seconds: float) -> float:
    """The chance that so many seconds bring a tuple that passes the filters.

    >>> round(chance_of_any(Arrivals(), 2, 0.5, 1), 4), chance_of_any(Arrivals("regular"), 2, 1, 1)
    (0.6321, 1.0)
    """
    if arrivals.kind == "regular":
        whole, rest = divmod(rate * seconds, 1)
        none = math.pow(1 - passing, whole) * (1 - rest * passing)
    elif arrivals.kind == "poisson":
        none = math.exp(-rate * passing * seconds)
    else:
        bursts = rate * seconds / arrivals.burst
        none = math.exp(-bursts * _burst_passes(arrivals.burst, passing))
    return 1 - none


def _burst_passes(burst: float, passing: float) -> float:
    """The chance that some tuple of a burst passes, over the sizes that bursts have."""
    if passing >= 1:
        return 1.0
    shape = burst / (burst - 1)
    evenly = (np.arange(_BURSTS) + 0.5) / _BURSTS
    sizes = evenly ** (-1 / shape)
    return float(1 - np.mean((1 - passing) ** sizes))
