"""How long the kernels of a run should take: its stream time, its batches and its partitions."""

from __future__ import annotations

from dataclasses import dataclass

from planner.plan.cost import Cost, Estimate, UnitCosts
from planner.plan.plan import Plan
from planner.seconds.kernel_work import Work, batch_work, work_of
from planner.workload.workload import Workload

# What every partition does where all of them are given all tuples: all but looking tuples up.
_ONCE = ("probe", "route", "select", "union", "output", "update")


@dataclass(frozen=True, slots=True)
class Shape:
    """How a run is cut: micro-batches, and partitions; `replicated` ones are given all tuples."""

    batches: int = 1
    partitions: int = 1
    replicated: bool = False


def kernel_seconds(
    plan: Plan,
    estimate: Estimate,
    workload: Workload,
    units: UnitCosts,
    stream_seconds: float,
    shape: Shape | None = None,
    filled: bool = False,
) -> float:
    """Seconds inside kernels over so much stream time, summed over partitions.

    Windows fill up at first, and work grows with them: on average they are half full then, unless
    they are `filled` before.
    """
    shape = shape or Shape()
    seconds = stream_seconds
    if not filled:
        seconds -= min(workload.longest_window, seconds) / 2
    copies = shape.partitions if shape.replicated else 1
    work = work_of(plan, estimate.costs, workload)
    spent = sum(_seconds(own, units) * (1 if _is_once(own) else copies) for own in work)
    batch = batch_work(plan, estimate.costs, workload)
    held = batch.given * copies
    calls = batch.cost.rows_out * shape.partitions
    laid_out = units.seconds(batch.kind, Cost(rows_out=calls), held)
    return seconds * spent + shape.batches * laid_out


def _seconds(work: Work, units: UnitCosts) -> float:
    return units.seconds(work.kind, work.cost, work.given)


def _is_once(work: Work) -> bool:
    return work.kind.split()[1] in _ONCE
