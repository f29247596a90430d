"""How long the kernels of a run should take: its stream time, its batches and its partitions."""

from __future__ import annotations

from dataclasses import dataclass

from planner.plan.cost import Cost, UnitCosts
from planner.seconds.kernel_work import KernelWork, Work

# What every partition does where all of them are given all tuples: all but looking tuples up.
_ONCE = ("probe", "route", "select", "union", "output", "update")


@dataclass(frozen=True, slots=True)
class Shape:
    """How a run is cut: micro-batches, and partitions; `replicated` ones are given all tuples."""

    batches: int = 1
    partitions: int = 1
    replicated: bool = False


def kernel_seconds(
    work: KernelWork,
    units: UnitCosts,
    longest_window: float,
    stream_seconds: float,
    shape: Shape | None = None,
) -> float:
    """Seconds inside kernels over so much stream time, summed over partitions.

    Windows fill up at first, and work grows with them: on average they are half full then. With a
    `longest_window` of 0 they are full from the start.
    """
    shape = shape or Shape()
    seconds = stream_seconds - min(longest_window, stream_seconds) / 2
    copies = shape.partitions if shape.replicated else 1
    spent = sum(own.seconds(units) * (1 if _is_once(own) else copies) for own in work.operators)
    held = work.batch.given * copies
    calls = work.batch.cost.rows_out * shape.partitions
    laid_out = units.seconds(work.batch.kind, Cost(rows_out=calls), held)
    return seconds * spent + shape.batches * laid_out


def _is_once(work: Work) -> bool:
    return work.kind.split()[1] in _ONCE
