"""What is counted of scheduled joins: arrays that a run carries from batch to batch."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from runtime.engines.shared_schedule.kernel.delays import BUCKETS
from runtime.engines.shared_schedule.kernel.types import (
    COMPARISONS,
    JOIN_COUNTS,
    SERVER_MEASURES,
    Delays,
    ResultCounts,
)
from runtime.engines.shared_schedule.schedule_program import SERVERS, ScheduleEra

# Of queries alone: one more server, which has no histogram.
ALONE = SERVERS


class ScheduleCounters(NamedTuple):
    """Counts of work by era, or by cell (class and window); delays by server and slot.

    `held` is in tuple-microseconds. `results` and `digests` are those of all the run; what is
    `counted` leaves the warm-up out. There is one partition, so the largest ones need not add up.
    """

    joins: np.ndarray
    arrivals: np.ndarray
    results: np.ndarray
    counted: np.ndarray
    checks: np.ndarray
    digests: np.ndarray
    held: np.ndarray
    sums: np.ndarray
    histogram: np.ndarray
    largest: np.ndarray
    scans: np.ndarray
    measures: np.ndarray
    alone: np.ndarray
    alone_scans: np.ndarray

    @classmethod
    def zero(cls, eras: list[ScheduleEra], streams: int) -> ScheduleCounters:
        """Nothing counted yet."""
        cells = sum(era.cells for era in eras)
        slots = sum(len(era.slots) for era in eras)
        windows = sum(era.width for era in eras)

        def zeros(*shape: int) -> np.ndarray:
            return np.zeros(shape, np.int64)

        return cls(
            joins=zeros(len(eras), JOIN_COUNTS),
            arrivals=zeros(len(eras), streams),
            results=zeros(cells),
            counted=zeros(cells),
            checks=zeros(cells),
            digests=np.zeros((cells, 2), np.uint64),
            held=zeros(len(eras)),
            sums=zeros(SERVERS + 1, slots, 2),
            histogram=zeros(SERVERS, slots, BUCKETS),
            largest=zeros(SERVERS + 1, slots),
            scans=zeros(SERVERS, windows, 2),
            measures=zeros(SERVERS + 1, len(eras), SERVER_MEASURES),
            alone=zeros(slots),
            alone_scans=zeros(slots, 2),
        )

    @property
    def comparisons(self) -> np.ndarray:
        """Stored tuples examined."""
        return self.joins[:, COMPARISONS]

    @property
    def replicas(self) -> np.ndarray:
        """No tuple is stored twice: there is one partition."""
        return np.zeros(1, np.int64)

    def found(self, era: ScheduleEra) -> ResultCounts:
        """The cells of an era, for the kernel to add to."""
        own = slice(era.cell, era.cell + era.cells)
        shape = (len(era.classes), era.width)
        return ResultCounts(
            self.results[own].reshape(shape),
            self.counted[own].reshape(shape),
            self.checks[own].reshape(shape),
            self.digests[own].reshape(*shape, 2),
        )

    def delays(self, era: ScheduleEra, server: int) -> Delays:
        """What one server adds to in an era."""
        slots = slice(era.slot, era.slot + len(era.slots))
        windows = slice(era.window, era.window + era.width)
        alone = server == ALONE
        return Delays(
            self.sums[server, slots],
            self.histogram[0 if alone else server, slots],
            self.largest[server, slots],
            self.alone_scans[slots] if alone else self.scans[server, windows],
            self.measures[server, era.number],
        )

    def copy_server(self, source: int, target: int) -> None:
        """What one server has counted stands for another too."""
        for part in (self.sums, self.histogram, self.largest, self.scans, self.measures):
            part[target] = part[source]
