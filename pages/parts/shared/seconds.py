"""Predicted seconds: from which unit costs, and which plan takes the least time."""

from __future__ import annotations

import math
from collections.abc import Sequence

from pages.parts.run.launch import RunOptions
from pages.parts.shared import planning
from pages.parts.shared.formatting import plain, seconds_text
from planner.families.protocol import Family, Ranking
from planner.seconds.calibration import calibrated_units, kept_calibration
from planner.seconds.units import units_of
from planner.workload.workload import Workload


def source(workload: Workload) -> str:
    """Where the unit costs for this workload come from."""
    found = kept_calibration()
    origin = units_of(workload, calibrated_units()).source
    if found is not None and found.is_stale and workload.execution.unit_costs is None:
        return f"{origin}; the kernels have changed since the last calibration"
    return origin


def kernel_time(workload: Workload, ranking: Ranking) -> str:
    """The kernel time of the best plan."""
    best = ranking.of(ranking.best)
    if not best.seconds:
        # Of a kernel without unit costs no time can be said.
        return ""
    return f"About {per_second(best.seconds)} ({plain(source(workload), 200)})."


def per_second(seconds: float) -> str:
    """CPU time in kernels per second of stream time."""
    return f"{short(seconds, 2)} of CPU per second of stream"


def short(seconds: float, digits: int = 3) -> str:
    """Seconds that may be very short: `38 µs`, `1.2 ms`, `0.43 s`."""
    if seconds >= 10:
        return seconds_text(seconds)
    scales = ((0.1, 1.0, "s"), (1e-3, 1e-3, "ms"), (0.0, 1e-6, "µs"))
    size, unit = next((size, unit) for least, size, unit in scales if seconds >= least)
    return f"{float(f'{seconds / size:.{digits}g}'):g} {unit}"


def expected(
    chosen: Family, workload: Workload, labels: Sequence[str], tuples: float, options: RunOptions
) -> str:
    """The predicted time of runs on generated tuples: in kernels, and for Spark's micro-batches."""
    from planner.seconds.kernel_work import RunShape, kernel_seconds
    from runtime.backends.kernels.pace import batch_seconds
    from runtime.data.microbatches import usual_batch_rows
    from runtime.data.run_data import run_seconds

    if options.pace is None:
        batches = max(1, math.ceil(tuples / usual_batch_rows(round(tuples))))
    else:
        batches = max(1, math.ceil(run_seconds(workload) / batch_seconds(options.pace)))
    space = planning.space(chosen.name, workload)
    kernel, span = 0.0, (workload.longest_window, run_seconds(workload))
    for label in labels:
        plan, estimate = planning.priced(chosen.name, workload, label)
        work = space.kernel_work(plan, estimate.costs)
        kernel += kernel_seconds(work, space.units, *span, RunShape(batches))
    predicted = f"Predicted: {short(kernel * options.repeats)} in kernels"
    found = kept_calibration()
    if options.way == "stream" and found is not None and found.batch is not None:
        every = len(labels) * batches * options.repeats
        predicted += f" and {seconds_text(every * found.batch.value)} for {every:,} micro-batches"
    return f"{predicted} ({plain(space.units.source, 200)})."
