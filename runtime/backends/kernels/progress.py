"""What a run that goes on, or was interrupted, has measured so far."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from planner.plan.cost import Measurement, Timings
from runtime.backends.kernels.observing import with_observed
from runtime.backends.kernels.prepare import PreparedKernelRun
from runtime.backends.kernels.totals import Totals
from runtime.engines.kernels.digest import as_text
from runtime.engines.protocol import Tally
from runtime.runs.records import Progress


def progress_of(
    prepared: PreparedKernelRun, done: int, totals: Sequence[bytes], begun: float
) -> Progress:
    """How far a run is whose engine began then, when so many batches are done."""
    batches, until = prepared.batches, prepared.batches.untils[done - 1]
    tally = prepared.program.tally(totals, prepared.plan, until)
    return Progress(
        "Running",
        done,
        batches.batches,
        batches.arrivals,
        time.time() - begun,
        tally.comparisons,
        tally.results,
        tally.state_tuples,
        reached=(until - prepared.begin) / 1e6,
        costs=tally.costs,
    )


def measurement_of(prepared: PreparedKernelRun, tally: Tally, timings: Timings) -> Measurement:
    """What a run counted, and its answers."""
    answers = tally.answers(prepared.workload)
    return Measurement(
        costs=tally.costs,
        qualities=tally.qualities,
        timings=timings,
        rows=prepared.batches.rows,
        results={name: results for name, (results, _) in answers.items()},
        answers={name: as_text(digest) for name, (_, digest) in answers.items()},
        replicated_inserts=tally.replicated_inserts,
        recomputations=tally.recomputations,
        queues=tally.queues,
        schedules=tally.schedules,
        shed=tally.shed,
        moved={str(at - prepared.begin): work for at, work in tally.moved.items()},
    )


def measured_so_far(prepared: PreparedKernelRun, folder: Path, begun: float) -> Measurement | None:
    """What a run counted until it was interrupted; None where no batch was done.

    It is no answer: digests are of whole runs, and how many rows were read is not counted.
    """
    kept = Totals(folder)
    done = kept.done()
    if not done:
        return None
    until = prepared.batches.untils[done - 1]
    tally = prepared.program.tally(kept.kept(), prepared.plan, until)
    spent = time.time() - begun
    counted = measurement_of(prepared, tally, Timings(spent, spent, tally.kernel_seconds))
    counted = with_observed(counted, folder, prepared)
    return replace(counted, rows={}, answers={}, reached=(until - prepared.begin) / 1e6)
