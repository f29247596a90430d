"""Seconds on the pages: whose unit costs they are by, and which plan wins by the clock."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from pages.parts.shared import planning
from pages.parts.shared.formatting import plain, plan_name, seconds_text
from planner.families.protocol import Candidate, Family, Ranking
from planner.seconds.calibration import Calibration, calibrated_units, kept_calibration
from planner.seconds.units import units_of
from planner.workload.workload import Workload

if TYPE_CHECKING:
    from runtime.runs.records import Way


def calibration() -> Calibration | None:
    """This machine's calibration, if there is one."""
    return kept_calibration()


def source(workload: Workload) -> str:
    """Whose unit costs the seconds of this workload are by."""
    found = kept_calibration()
    told = units_of(workload, calibrated_units()).source
    if found is not None and found.is_stale and workload.execution.unit_costs is None:
        return f"{told}: the kernels have changed since the last time"
    return told


def by_the_clock(workload: Workload, ranking: Ranking) -> str:
    """The best plan's kernel time, and who wins by the clock where that is another plan."""
    timed = [c for c in ranking.candidates if c.seconds is not None]
    best = next((c for c in timed if c.label == ranking.best), None)
    if best is None or best.seconds is None:
        return ""
    told = f"Kernel time: {per_second(best.seconds)} ({plain(source(workload), 200)})."
    fastest = min(timed, key=_seconds)
    if fastest.label == best.label or _seconds(fastest) > 0.98 * best.seconds:
        return told
    share = 100 * (1 - _seconds(fastest) / best.seconds)
    return (
        f"{told} By the clock **{plain(plan_name(fastest.label), 120)}** wins: "
        f"{per_second(_seconds(fastest))}, {share:.0f}% less."
    )


def per_second(seconds: float) -> str:
    """Kernel time per second of stream time."""
    return f"{short(seconds)} a second of stream time"


def short(seconds: float) -> str:
    """Seconds that may be few millionths: `38 µs`, `1.2 ms`, `0.4 s`."""
    if seconds < 1e-3:
        return f"{1e6 * seconds:.3g} µs"
    return f"{1e3 * seconds:.3g} ms" if seconds < 0.1 else seconds_text(seconds)


def expected(
    chosen: Family,
    workload: Workload,
    labels: Sequence[str],
    way: Way,
    tuples: float,
    pace: float | None = None,
    repeats: int = 1,
) -> str:
    """What the model expects of runs on generated tuples: kernel time, and what Spark adds."""
    from planner.seconds.run_seconds import Shape, kernel_seconds
    from runtime.backends.kernels.pace import batch_seconds
    from runtime.data.microbatches import usual_batch_rows
    from runtime.data.run_data import run_seconds

    if pace is None:
        batches = max(1, math.ceil(tuples / usual_batch_rows(round(tuples))))
    else:
        batches = max(1, math.ceil(run_seconds(workload) / batch_seconds(pace)))
    space = planning.space(chosen.name, workload)
    kernel, span = 0.0, (workload.longest_window, run_seconds(workload))
    for label in labels:
        plan, estimate = planning.priced(chosen.name, workload, label)
        work = space.kernel_work(plan, estimate.costs)
        kernel += kernel_seconds(work, space.units, *span, Shape(batches))
    told = f"Predicted: {short(kernel * repeats)} in kernels"
    found = kept_calibration()
    if way == "stream" and found is not None and found.batch is not None:
        every = len(labels) * batches * repeats
        told += f" and {seconds_text(every * found.batch.value)} for {every:,} micro-batches"
    return f"{told} ({plain(space.units.source, 200)})."


def _seconds(candidate: Candidate) -> float:
    return float("inf") if candidate.seconds is None else candidate.seconds
