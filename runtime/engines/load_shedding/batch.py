"""A micro-batch of a star join: filters, one run of the kernel, and what the next batch needs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from runtime.data.feed import Span
from runtime.engines.kernel_state import still_held
from runtime.engines.kernels.conditions import filtered
from runtime.engines.load_shedding.kernel.instants import star_batch
from runtime.engines.load_shedding.kernel.types import (
    Learned,
    ShedCounters,
    SheddingArrivals,
    SheddingOutcome,
)
from runtime.engines.load_shedding.star_join import StarJoin

_LEARNED, _COLUMNS = len(Learned._fields), len(SheddingArrivals._fields)


@dataclass(slots=True)
class SheddingState:
    """What goes on from batch to batch: active rows and stored tuples, with what is known of each,
    and what waits for the processor.

    `since` is the logarithm of the chance to survive all random choices before a tuple came;
    `moments` are of tuples only.
    """

    learned: Learned
    priority: np.ndarray
    since: np.ndarray
    moments: np.ndarray
    tuples: SheddingArrivals
    waiting: SheddingArrivals

    @classmethod
    def nothing(cls, join: StarJoin, like: SheddingArrivals) -> SheddingState:
        """Before the first batch; tuples will be like these."""
        none, moments = np.zeros(0), np.zeros((0, *join.moments))
        empty = like.take(slice(0, 0))
        return cls(join.nothing_learned(), none, none, moments, empty, empty)

    def pack(self) -> list[np.ndarray]:
        """As arrays."""
        known = self.priority, self.since, self.moments
        return [*self.learned, *known, *self.tuples, *self.waiting]

    @classmethod
    def unpack(cls, packed: list[np.ndarray]) -> SheddingState:
        """What `pack` made."""
        priority, since, moments, *tuples = packed[_LEARNED:]
        stored, waiting = SheddingArrivals(*tuples[:_COLUMNS]), SheddingArrivals(*tuples[_COLUMNS:])
        return cls(Learned(*packed[:_LEARNED]), priority, since, moments, stored, waiting)

    def after(
        self,
        join: StarJoin,
        span: Span,
        begin: int,
        arriving: SheddingArrivals,
        counters: ShedCounters,
        last: bool,
        most_rows: int,
    ) -> tuple[SheddingOutcome, SheddingState]:
        """Join the tuples of a batch; what comes of it, and what is stored then."""
        shape = join.shape(span, begin)
        no_hashes = np.zeros(len(arriving.ts), np.uint64)
        passing = filtered(shape, join.kernel_filters(), arriving, no_hashes, counters)
        arriving = arriving.take(passing)
        outcome = star_batch(
            shape, self.tuples, self.priority, self.since, self.moments, self.waiting, arriving,
            self.learned, counters, last, most_rows,
        )  # fmt: skip
        seen = self.tuples.followed_by(self.waiting).followed_by(arriving)
        known = outcome.priority, outcome.since, outcome.moments
        after = seen.take(outcome.stay), seen.take(outcome.waiting)
        return outcome, SheddingState(self.learned, *known, *after)

    def held(self, join: StarJoin, span: Span, until: int) -> np.ndarray:
        """How long what is stored has been held when a batch ends, by source."""
        lifetime = np.zeros(join.sources + 1, np.int64)
        for arm in join.arms:
            lifetime[arm.place] = arm.lifetime
        source, ts = self.tuples.source, self.tuples.ts
        ends = np.where(lifetime[source] > 0, ts + lifetime[source], self.tuples.until)
        counted = source < join.sources
        left = np.minimum(ends, until)[counted]
        return still_held(source[counted], ts[counted], left, span, join.sources + 1)

    def count(self, join: StarJoin) -> int:
        """The stored tuples and rows, without those that only stand for keys."""
        return int(np.count_nonzero(self.tuples.source < join.sources))
