"""How often rows of a changing relation were active at the arrival of every tuple they meet.

Of the rows active now, those that were already at a time a seconds ago are a share exp(-h a), with
h the rows gained per second over the rows there are. What counts is the oldest tuple of a
composite: tuples have ages spread evenly over their windows, so the oldest of several is younger
than m with probability F(m) = prod min(m / T_j, 1), and the share is the mean of exp(-h m).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from planner.joins.arrays import Floats

# Panels halve towards 0, where a fast changing relation loses its rows.
_HALVINGS = 30
_POINTS, _WEIGHTS = np.polynomial.legendre.leggauss(6)


class Activity:
    """Shares of one join. `turnover` is h of each source, `seconds` its T (0 where it has none).

    With a delay, rows are kept so long after their end: what is younger meets every one of them.
    """

    def __init__(
        self, turnover: Sequence[float], seconds: Sequence[float], delay: float = 0.0
    ) -> None:
        self._turnover = turnover
        self._longest = max(*seconds, delay)
        self._delay = delay
        points, self._weights = _nodes(delay, self._longest, seconds)
        self._factors = np.ones((len(turnover), len(points)))
        for place, (rate, length) in enumerate(zip(turnover, seconds, strict=True)):
            if rate:
                self._factors[place] = np.exp(-rate * (points - delay))
            elif length:
                self._factors[place] = np.minimum(points / length, 1)

    def share(self, members: Collection[int]) -> float:
        """The share of combinations of these sources that were active together.

        >>> Activity([0.0, 0.5], [10, 0]).share([0, 1]).__round__(6), (1 - np.exp(-5)) / 5
        (0.198652, np.float64(0.1986524106001829))
        """
        places = list(members)
        turnover = sum(self._turnover[place] for place in places)
        within = self._factors[places].prod(axis=0) @ self._weights
        return float(np.exp(-turnover * (self._longest - self._delay)) + turnover * within)

    def shares(self) -> Floats:
        """The same for all sets of sources: bit i of a set is source i."""
        turnover = np.zeros(1)
        for rate in self._turnover:
            turnover = np.concatenate([turnover, turnover + rate])
        within = np.zeros(len(turnover))
        for factors, weight in zip(self._factors.T, self._weights, strict=True):
            product = np.full(1, weight)
            for factor in factors:
                product = np.concatenate([product, product * factor])
            within += product
        return np.exp(-turnover * (self._longest - self._delay)) + turnover * within


def _nodes(start: float, stop: float, kinks: Sequence[float]) -> tuple[Floats, Floats]:
    """Points and weights of an integral from start to stop of what is smooth but at the kinks."""
    halved = [start + (stop - start) * 0.5**n for n in range(_HALVINGS)]
    inner = {*halved, *(kink for kink in kinks if start < kink < stop)}
    edges = np.array(sorted({start, stop, *inner}))
    half = np.diff(edges)[:, None] / 2
    middle = (edges[:-1] + edges[1:])[:, None] / 2
    return (middle + half * _POINTS).ravel(), (half * _WEIGHTS).ravel()
