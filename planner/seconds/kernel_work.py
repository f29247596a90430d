"""A plan's work as what takes time: what each operator does, and how often it is asked to."""

from __future__ import annotations

from dataclasses import dataclass

from planner.plan.cost import Cost, UnitCosts

# The name of what runs a plan: the fast eager join, loops of every kind (compiled apart where there
# are relations), aggregations, sliced joins, and whatever a new family brings.
Kernel = str


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
    """The work of all operators of a plan, in their order, under the kernel that runs it.

    `batch` is what a micro-batch takes beside: kernel calls (rows), and tuples held that are laid
    out anew (given).
    """

    kernel: Kernel
    operators: tuple[Work, ...]
    batch: Work

    def seconds(self, units: UnitCosts) -> float:
        """Seconds of work per second of stream time, batches left out."""
        return sum(work.seconds(units) for work in self.operators)

    @property
    def keeping(self) -> Work:
        """What it takes beside to keep the rows of results, not just their number and digest."""
        outputs = (own for own in self.operators if own.kind == f"{self.kernel} output")
        rows = sum(own.cost.rows_out for own in outputs)
        return Work(f"{self.kernel} keep rows", Cost(rows_out=rows))


# What every partition does where all of them are given all tuples: all but looking tuples up.
_ONCE = ("probe", "route", "select", "union", "output", "update")


@dataclass(frozen=True, slots=True)
class RunShape:
    """How a run is cut: micro-batches, and partitions; `replicated` ones are given all tuples.

    `keeps_rows`: results are written, and not only counted.
    """

    batches: int = 1
    partitions: int = 1
    replicated: bool = False
    keeps_rows: bool = False


def kernel_seconds(
    work: KernelWork,
    units: UnitCosts,
    longest_window: float,
    stream_seconds: float,
    shape: RunShape | None = None,
) -> float:
    """Seconds inside kernels over so much stream time, summed over partitions.

    Windows fill up at first, and work grows with them: on average they are half full then. With a
    `longest_window` of 0 they are full from the start.
    """
    shape = shape or RunShape()
    seconds = stream_seconds - min(longest_window, stream_seconds) / 2
    copies = shape.partitions if shape.replicated else 1
    spent = sum(
        own.seconds(units) * (1 if own.kind.split()[1] in _ONCE else copies)
        for own in work.operators
    )
    if shape.keeps_rows:
        spent += work.keeping.seconds(units)
    held = work.batch.given * copies
    calls = work.batch.cost.rows_out * shape.partitions
    laid_out = units.seconds(work.batch.kind, Cost(rows_out=calls), held)
    return seconds * spent + shape.batches * laid_out
