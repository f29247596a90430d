"""The clock of work: what a comparison and an output take on a server, and how loaded it is."""

from __future__ import annotations

from dataclasses import dataclass

from planner.plan.cost import Units
from planner.workload.execution import Execution


@dataclass(frozen=True, slots=True)
class Clock:
    """Seconds that each comparison takes, and each output that is found.

    `load` is how many seconds of work arrive per second; at 1 or more work piles up. `real_load`
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
    units: Units, source: str, comparisons: float, outputs: float, utilisation: float | None
) -> Clock:
    """The clock of a join with so many comparisons and matches per second.

    >>> clock_of(Units(compare=1e-6, output=2e-6), "declared", 1000, 500, 0.5)
    Clock(compare=0.00025, output=0.0005, load=0.5, real_load=0.002, source='declared')
    """
    real = comparisons * units.compare + outputs * units.output
    scale = 1.0 if utilisation is None or not real else utilisation / real
    load = real if scale == 1 else utilisation or 0.0
    return Clock(units.compare * scale, units.output * scale, load, real, source)


def takes_no_time(execution: Execution) -> bool:
    """Whether the declared unit costs let the clock stand still, so that nothing ever waits."""
    units = execution.unit_costs
    return units is not None and not units.get("compare") and not units.get("output")
