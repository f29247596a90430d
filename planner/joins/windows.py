"""The windows of a join: how many tuples they hold, and what keeping them costs."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from planner.joins.arrays import Floats, gauss
from planner.workload.execution import Buckets
from planner.workload.validation import exact


@dataclass(frozen=True, slots=True)
class FilterStep:
    """One filter of a source: tuples per second that reach it and that pass."""

    text: str
    reached: float
    passed: float


@dataclass(frozen=True, slots=True)
class JoinWindow:
    """One source of the join: how fast it arrives, how much is kept, and how it is probed.

    `rate` is what passes the filters. `tuples` are those a result may use, `examined` those that a
    scan meets: where evaluation or expiration is lazy there are more of them.
    """

    alias: str
    name: str
    rate: float
    tuples: float
    examined: float
    kept: float
    # Results per second that a tuple of this source completes, per result held: 1/T.
    per_second: float
    access: Literal["scan", "hash"]
    buckets: Buckets
    distinct: int
    window: str | None
    counted: bool
    arrivals: float
    filters: tuple[FilterStep, ...] = ()
    # The chance that a lazy evaluation finds new tuples of this source.
    active: float = 1.0
    # How tuples leave: each by itself, all of a block together, or never (landmark).
    ends: Literal["each", "together", "never"] = "each"
    # A tumbling window grows from nothing in each block: it is half as long on average.
    tumbling: bool = False
    # Whether its tuples arrive several at a time.
    bursts: bool = False
    # Of a relation, what passes its filters: rows gained and lost per second.
    inserts: float = 0.0
    deletes: float = 0.0

    @property
    def is_relation(self) -> bool:
        """Whether this is a table: it has no window, and its rows never start a result."""
        return self.window is None

    def stored(self, more: float) -> float:
        """What is stored with so many seconds of tuples beyond the window."""
        return self.examined if self.is_relation else self.tuples + self.rate * more

    @property
    def turnover(self) -> float:
        """Rows that a relation gains per second, over the rows it has."""
        return self.inserts / self.tuples if self.tuples else 0.0

    @property
    def seconds(self) -> float:
        """T: how long a tuple stays on average. For a window over streams alone."""
        return 1 / self.per_second if self.per_second else float("inf")


# So many phases between two expirations are taken one by one; more are integrated over.
_MOST_PHASES = 12

# Seconds of tuples that are met beyond the window, and how often that is so.
Phase = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Timing:
    """When results are computed and tuples removed; None is at each arrival."""

    evaluate: float | None = None
    expire: float | None = None

    @property
    def examined_extra(self) -> float:
        """Seconds of tuples that a scan meets beyond the window, on average."""
        if self.expire is None:
            return 0.0
        # At an evaluation the batch itself is there; between expirations more stays.
        return (self.expire + (self.evaluate or 0.0)) / 2

    @property
    def phases(self) -> tuple[Phase, ...]:
        """The seconds behind `examined_extra`: windows grow together until they are expired.

        So the mean of a product of windows is above the product of their means.
        """
        if self.expire is None:
            return ((0.0, 1.0),)
        tau = self.evaluate or 0.0
        turns = round(self.expire / tau) if tau else 0
        if 1 <= turns <= _MOST_PHASES:
            return tuple((turn * tau, 1 / turns) for turn in range(1, turns + 1))
        nodes, weights = gauss(_MOST_PHASES)
        seconds = tau / 2 + self.expire * (1 + nodes) / 2
        return tuple(zip(seconds.tolist(), (weights / 2).tolist(), strict=True))

    @property
    def kept_extra(self) -> float:
        """Seconds of tuples kept beyond the window, on average over time."""
        return (self.expire or 0.0) / 2

    @property
    def expire_text(self) -> str:
        """As the operators say it: `eager`, `every 5`."""
        return "eager" if self.expire is None else f"every {exact(self.expire)}"


# Panels halve towards 0, where a fast changing relation loses its rows.
_HALVINGS = 30
_POINTS = 6


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
    points, weights = gauss(_POINTS)
    return (middle + half * points).ravel(), (half * weights).ravel()
