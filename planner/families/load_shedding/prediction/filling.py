"""How results come while windows fill: as many as in fewer seconds with full windows."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from planner.joins.arrays import gauss

_POINTS = 12


def full_seconds(fills: Sequence[float], span: float) -> float:
    """The seconds with full windows that give what `span` gives where windows fill in these times.

    Results are in proportion to what all windows hold.

    >>> full_seconds([10.0], 100.0), full_seconds([], 100.0)
    (95.0, 100.0)
    """
    ends = sorted({0.0, span, *(fill for fill in fills if 0 < fill < span)})
    nodes, weights = gauss(_POINTS)
    whole = 0.0
    for start, end in pairwise(ends):
        times = (start + end) / 2 + nodes * (end - start) / 2
        product = np.ones(len(times))
        for fill in fills:
            if fill > 0:
                product *= np.minimum(times / fill, 1.0)
        whole += float(weights @ product) * (end - start) / 2
    return round(whole, 9)
