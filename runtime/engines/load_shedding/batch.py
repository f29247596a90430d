"""A micro-batch of a star join: filters, one run of the kernel, and what the next batch needs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from runtime.data.feed import Span
from runtime.engines.kernel_state import still_held
from runtime.engines.kernels.conditions import filtered
from runtime.engines.load_shedding.kernel.instants import star_batch
from runtime.engines.load_shedding.kernel.types import Arrived, Learned, Outcome, ShedCounters
from runtime.engines.load_shedding.star_join import StarJoin

_LEARNED = len(Learned._fields)


@dataclass(slots=True)
class Stored:
    """What goes on from batch to batch: active rows and stored tuples, with what is known of each.

    `since` is the logarithm of the chance to survive all random choices before a tuple came.
    """

    learned: Learned
    priority: np.ndarray
    since: np.ndarray
    tuples: Arrived

    @classmethod
    def nothing(cls, join: StarJoin, like: Arrived) -> Stored:
        """Before the first batch; tuples will be like these."""
        return cls(join.nothing_learned(), np.zeros(0), np.zeros(0), like.take(slice(0, 0)))

    def pack(self) -> list[np.ndarray]:
        """As arrays."""
        return [*self.learned, self.priority, self.since, *self.tuples]

    @classmethod
    def unpack(cls, packed: list[np.ndarray]) -> Stored:
        """What `pack` made."""
        priority, since, *tuples = packed[_LEARNED:]
        return cls(Learned(*packed[:_LEARNED]), priority, since, Arrived(*tuples))

    def after(
        self,
        join: StarJoin,
        span: Span,
        begin: int,
        arriving: Arrived,
        counters: ShedCounters,
        last: bool,
        keep_rows: bool,
    ) -> tuple[Outcome, Stored]:
        """Join the tuples of a batch; what comes of it, and what is stored then."""
        shape = join.shape(span, begin)
        no_hashes = np.zeros(len(arriving.ts), np.uint64)
        passing = filtered(shape, join.kernel_filters(), arriving, no_hashes, counters)
        arriving = arriving.take(passing)
        outcome = star_batch(
            shape, self.tuples, self.priority, self.since, arriving, self.learned, counters, last,
            keep_rows,
        )  # fmt: skip
        stay = self.tuples.followed_by(arriving).take(outcome.stay)
        return outcome, Stored(self.learned, outcome.priority, outcome.since, stay)

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
