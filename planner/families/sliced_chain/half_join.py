"""One way of a sliced join: tuples of one stream are stored, those of the other purge and probe.

Arrivals decide how often a purge finds a tuple that stays, and how long one that is due waits for
the next tuple of the other stream. Buckets matter for probes alone.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from planner.joins.arrays import Floats
from planner.workload.streams import Arrivals


@dataclass(frozen=True)
class Way:
    """Tuples of one stream stored, those of the other probing.

    `per_length` is how many arrive to be stored per unit of a window's length: the rate, or 1 where
    windows count rows. `scanned` is the part of a join's tuples that a probe looks at: those of its
    bucket. `horizon` bounds how long a tuple can wait in a run.
    """

    rate: float
    arrivals: Arrivals
    counted: bool
    probing_rate: float
    probing_arrivals: Arrivals
    selectivity: float
    scanned: float
    horizon: float

    @property
    def per_length(self) -> float:
        """Arrivals of the stored stream per unit of length."""
        return 1.0 if self.counted else self.rate

    @property
    def is_plain(self) -> bool:
        """Whether windows are lengths of time and tuples arrive at random."""
        return not self.counted and self.arrivals.kind == "poisson"

    def finds_one(self, stored: Floats, arrived: Floats) -> Floats:
        """How often a probing tuple finds any of so many arrivals, of which a share is stored."""
        return np.asarray(1 - self._none(stored, arrived))

    def _none(self, share: Floats, arrived: Floats) -> Floats:
        """The chance that none of so many arrivals is one of this share."""
        if self.counted:
            return np.asarray((1 - share) ** arrived)
        if self.arrivals.kind == "regular":
            whole = np.floor(arrived)
            return np.asarray((1 - share) ** whole * (1 - (arrived - whole) * share))
        if self.arrivals.kind == "pareto":
            burst = self.arrivals.burst
            return np.exp(-arrived / burst * (1 - (1 - share) ** burst))
        return np.exp(-arrived * share)

    def waits(self, probing: float) -> float:
        """Seconds until a tuple that is due is purged by one of this share, at the mean."""
        rate = self.probing_rate * probing
        if self.probing_arrivals.kind == "pareto":
            # Of the tuples of a burst the first one purges.
            burst = self.probing_arrivals.burst
            rate = self.probing_rate / burst * (1 - (1 - probing) ** burst)
        if not rate:
            return self.horizon
        if self.probing_arrivals.kind == "poisson":
            return -math.expm1(-rate * self.horizon) / rate
        early = 0.5 / self.probing_rate if self.probing_arrivals.kind == "regular" else 0.0
        return min(1 / rate - early, self.horizon)

    def leaves(self, probing: float) -> float:
        """The share of stored tuples that are purged within the horizon: none where none probes."""
        return -math.expm1(-self.probing_rate * probing * self.horizon)
