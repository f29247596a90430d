"""A plan's work as what takes time: what each operator does, and how often it is asked to."""

from __future__ import annotations

from dataclasses import dataclass

from planner.plan.cost import Cost, UnitCosts

# What runs plans: the fast eager join, loops of every kind (compiled apart where there are
# relations), aggregations, or sliced joins.
Kernel = str
KERNELS: tuple[Kernel, ...] = ("multiway", "loops", "relations", "aggregation", "slices")


@dataclass(frozen=True, slots=True)
class Work:
    """What one operator does per second of stream time; `given` is how often it is asked to.

    A probe is given what the loop above it passes on; the first slice of a chain, all that arrives;
    the output of loops, evaluations. `kind` is `kernel kind` or, of probes, `kernel kind access`.
    """

    kind: str
    cost: Cost
    given: float = 0.0

    def seconds(self, units: UnitCosts) -> float:
        """The seconds that it takes per second of stream time."""
        return units.seconds(self.kind, self.cost, self.given)


@dataclass(frozen=True, slots=True)
class KernelWork:
    """The work of all operators of a plan under the kernel that runs it.

    `batch` is what a micro-batch takes beside: kernel calls (rows), and tuples held that are laid
    out anew (given).
    """

    kernel: Kernel
    operators: tuple[Work, ...]
    batch: Work

    def seconds(self, units: UnitCosts) -> float:
        """Seconds of work per second of stream time, batches left out."""
        return sum(work.seconds(units) for work in self.operators)
