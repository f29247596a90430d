"""Delays that servers added up as figures: means, quantiles and the largest, in milliseconds.

A quantile is the middle of the histogram's bucket that it falls into, which is 3% wide at most.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from runtime.engines.shared_schedule.kernel.delays import BUCKETS, FINE_BITS, SUM_BITS
from runtime.engines.shared_schedule.kernel.types import HIGH, LOW

_NS_PER_MS = 1e6


@dataclass(frozen=True, slots=True)
class DelayFigures:
    """Of one query under one policy; times in nanoseconds. Counts may lack a histogram."""

    count: int
    total: int
    largest: int
    histogram: np.ndarray | None = None

    @classmethod
    def together(cls, parts: Sequence[DelayFigures]) -> DelayFigures:
        """Those of several eras."""
        histograms = [part.histogram for part in parts if part.histogram is not None]
        return cls(
            sum(part.count for part in parts),
            sum(part.total for part in parts),
            max((part.largest for part in parts), default=0),
            np.sum(histograms, axis=0) if histograms else None,
        )

    @property
    def mean_ms(self) -> float | None:
        """None where nothing was released."""
        return self.total / self.count / _NS_PER_MS if self.count else None

    @property
    def largest_ms(self) -> float | None:
        """The same of the largest."""
        return self.largest / _NS_PER_MS if self.count else None

    def quantile_ms(self, share: float) -> float | None:
        """The delay that this share of the results does not exceed."""
        if not self.count or self.histogram is None:
            return None
        rank = max(1, int(np.ceil(share * self.count)))
        bucket = int(np.searchsorted(np.cumsum(self.histogram), rank))
        first, end = bucket_bounds(bucket)
        return min((first + end - 1) / 2, self.largest) / _NS_PER_MS


def bucket_bounds(bucket: int) -> tuple[int, int]:
    """The first delay of a bucket, and the first one behind it."""
    fine = 1 << FINE_BITS
    if bucket < fine:
        return bucket, bucket + 1
    shift = (bucket >> FINE_BITS) - 1
    first = ((bucket & (fine - 1)) + fine) << shift
    return first, first + (1 << shift)


def sum_of(pair: np.ndarray) -> int:
    """A sum that was kept in two numbers."""
    return (int(pair[HIGH]) << SUM_BITS) + int(pair[LOW])


def by_slot(
    sums: np.ndarray, histogram: np.ndarray, largest: np.ndarray, begin: int, slot: int
) -> DelayFigures:
    """Those of a slot, of which differences were kept from the slot `begin` on."""
    counts = histogram[begin : slot + 1].sum(axis=0)
    assert counts.shape == (BUCKETS,)
    total = sum_of(sums[begin : slot + 1].sum(axis=0))
    return DelayFigures(int(counts.sum()), total, int(largest[slot]), counts)
