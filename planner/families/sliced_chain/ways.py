"""One way of a sliced join: tuples of one stream are stored, those of the other purge and probe.

Arrivals decide how often a purge finds a tuple that stays, and how long one that is due waits for
the next tuple of the other stream. Where windows are hashed every bucket is a chain of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from planner.execution import Buckets
from planner.joins.arrays import Floats
from planner.joins.keys import Spread, in_buckets, mass
from planner.streams import Arrivals

# Up to so many kinds of buckets every one is summed over; of more, a function is tabulated.
_FEW_KINDS = 16
_EXACT_RANKS = 1_000
_BLOCKS = 400
_TABLE = np.concatenate(([0.0], np.logspace(-6, 12, 1_200)))


@dataclass(frozen=True)
class BucketKinds:
    """Buckets with equal shares of both streams: how many, and the shares of each one."""

    count: Floats
    stored: Floats
    probing: Floats


ONE_BUCKET = BucketKinds(np.ones(1), np.ones(1), np.ones(1))


def bucket_kinds(stored: Spread, probing: Spread, buckets: Buckets) -> BucketKinds:
    """The buckets of two keys; ranks beyond the first thousand are taken in blocks."""
    if buckets != "per-value":
        pairs = np.column_stack((in_buckets(stored, buckets), in_buckets(probing, buckets)))
        kinds, counts = np.unique(pairs, axis=0, return_counts=True)
        return BucketKinds(counts.astype(np.float64), kinds[:, 0], kinds[:, 1])
    first, last = min(stored[0], probing[0]), max(stored[1], probing[1])
    edges = {first, last + 1, stored[0], stored[1] + 1, probing[0], probing[1] + 1}
    if stored[2] or probing[2]:
        edges.update(range(first, min(last, first + _EXACT_RANKS) + 1))
        edges.update(np.geomspace(first, last + 1, _BLOCKS).astype(np.int64).tolist())
    ranks = sorted(edge for edge in edges if first <= edge <= last + 1)
    starts, ends = np.array(ranks[:-1]), np.array(ranks[1:]) - 1
    count = (ends - starts + 1).astype(np.float64)
    shares = [
        np.array([_mass_within(spread, a, b) for a, b in zip(starts, ends, strict=True)])
        / mass(spread)
        / count
        for spread in (stored, probing)
    ]
    return BucketKinds(count, shares[0], shares[1])


def _mass_within(spread: Spread, first: int, last: int) -> float:
    return mass((max(first, spread[0]), min(last, spread[1]), spread[2]))


@dataclass(frozen=True)
class Way:
    """Tuples of one stream stored, those of the other probing.

    `per_length` is how many arrive to be stored per unit of a window's length: the rate, or 1 where
    windows count rows. `horizon` bounds how long a tuple can wait in a run.
    """

    rate: float
    arrivals: Arrivals
    counted: bool
    probing_rate: float
    probing_arrivals: Arrivals
    selectivity: float
    scanned: float
    horizon: float
    kinds: BucketKinds = ONE_BUCKET

    @property
    def per_length(self) -> float:
        """Arrivals of the stored stream per unit of length."""
        return 1.0 if self.counted else self.rate

    @property
    def is_plain(self) -> bool:
        """Whether tuples are stored in one bucket and arrive at random."""
        return self.kinds is ONE_BUCKET and not self.counted and self.arrivals.kind == "poisson"

    def finds_one(self, stored: Floats, arrived: Floats) -> Floats:
        """How often a probing tuple finds any of so many arrivals, of which a share is stored."""
        shares, counts = np.broadcast_arrays(stored, arrived)
        if len(self.kinds.count) <= _FEW_KINDS:
            return self._finds_one(shares, counts)
        found = np.empty(shares.shape)
        for share in np.unique(shares):
            at = shares == share
            found[at] = np.interp(counts[at], _TABLE, self._table(float(share)))
        return found

    def _finds_one(self, stored: Floats, arrived: Floats) -> Floats:
        found = np.zeros(stored.shape)
        kinds = zip(self.kinds.count, self.kinds.stored, self.kinds.probing, strict=True)
        for count, share, probing in kinds:
            if probing:
                found += count * probing * (1 - self._none(stored * share, arrived))
        return found

    def _table(self, share: float) -> Floats:
        if share not in self._tables:
            self._tables[share] = self._finds_one(np.full(len(_TABLE), share), _TABLE)
        return self._tables[share]

    @cached_property
    def _tables(self) -> dict[float, Floats]:
        return {}

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
        """Seconds until a tuple that is due is purged, the mean over stored tuples."""
        kinds = self.kinds
        return float((kinds.count * kinds.stored * self._wait(probing * kinds.probing)).sum())

    def leaves(self, probing: float) -> float:
        """The share of stored tuples that are purged at all: some buckets may never be probed."""
        kinds = self.kinds
        gone = -np.expm1(-self.probing_rate * probing * kinds.probing * self.horizon)
        return float((kinds.count * kinds.stored * gone).sum())

    def _wait(self, share: Floats) -> Floats:
        rate = self.probing_rate * share
        positive = np.where(rate > 0, rate, 1.0)
        if self.probing_arrivals.kind == "regular":
            mean = 1 / positive - 0.5 / self.probing_rate
        elif self.probing_arrivals.kind == "pareto":
            burst = self.probing_arrivals.burst
            mean = burst / (self.probing_rate * (1 - (1 - np.where(rate > 0, share, 1.0)) ** burst))
        else:
            mean = -np.expm1(-positive * self.horizon) / positive
        return np.where(rate > 0, np.minimum(mean, self.horizon), self.horizon)

    # --- costs per second of a join that stores and probes these shares of the streams -----------

    def stop_looks(self, stored: Floats, probing: Floats, arrived: Floats) -> Floats:
        """Looks of a purge at a tuple that stays."""
        return self.probing_rate * probing * self.finds_one(stored, arrived)

    def pairs(self, stored: Floats, probing: Floats, arrived: Floats) -> Floats:
        """Pairs of a probing tuple and one of the join's stored ones."""
        return self.probing_rate * probing * stored * arrived
