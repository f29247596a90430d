"""The clock of work: what a comparison and an output of a scan take, and how loaded it is."""

from __future__ import annotations

from dataclasses import dataclass

from planner.plan.cost import UnitCosts

# What takes time of the clock, by how stored tuples are found: kinds that the engine calibrates.
SCAN_KINDS = {"scan": "schedule scan", "hash": "schedule hash"}


@dataclass(frozen=True, slots=True)
class Clock:
    """Seconds that a scan takes for each comparison and each output it finds.

    `load` is how many seconds of scans arrive per second; at 1 or more work piles up. `real_load`
    is the same before it was scaled to the utilisation that a workload states. `source` says where
    the unit costs come from.
    """

    compare: float
    output: float
    load: float
    real_load: float
    source: str

    @property
    def is_steady(self) -> bool:
        """Whether the server keeps up."""
        return self.load < 1

    @property
    def is_scaled(self) -> bool:
        """Whether a utilisation was stated."""
        return self.load != self.real_load

    @property
    def growth(self) -> float:
        """Seconds of work that pile up per second; 0 where the server keeps up."""
        return max(0.0, self.load - 1)


def clock_of(
    access: str, comparisons: float, outputs: float, units: UnitCosts, utilisation: float | None
) -> Clock:
    """The clock of a join with so many comparisons and matches per second.

    >>> from planner.plan.cost import Units
    >>> units = UnitCosts(Units(compare=1e-6, output=2e-6), "declared")
    >>> clock_of("scan", 1000, 500, units, 0.5)
    Clock(compare=0.00025, output=0.0005, load=0.5, real_load=0.002, source='declared')
    """
    own = units.of(SCAN_KINDS[access])
    real = comparisons * own.compare + outputs * own.output
    scale = 1.0 if utilisation is None or not real else utilisation / real
    load = real if scale == 1 else utilisation or 0.0
    return Clock(own.compare * scale, own.output * scale, load, real, units.source)
