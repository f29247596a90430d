"""What a run that goes on, or broke off, has measured so far."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

from planner.plan.cost import Measurement, Timings
from runtime.control.prepare import Prepared
from runtime.runs.records import Progress
from runtime.runs.totals import Totals


def progress_of(prepared: Prepared, done: int, totals: Sequence[bytes], begun: float) -> Progress:
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


def measured_so_far(prepared: Prepared, folder: Path, begun: float) -> Measurement | None:
    """What a run counted until it broke off; None where no batch was done.

    It is no answer: digests are of whole runs, and how many rows were read is not counted.
    """
    kept = Totals(folder)
    done = kept.done()
    if not done:
        return None
    until = prepared.batches.untils[done - 1]
    tally = prepared.program.tally(kept.kept(), prepared.plan, until)
    spent = time.time() - begun
    return Measurement(
        costs=tally.costs,
        qualities={},
        timings=Timings(spent, spent, tally.kernel_seconds),
        rows={},
        results={name: count for name, (count, _) in tally.by_query.items()}
        or {query.name: tally.results for query in prepared.workload.queries},
        answers={},
        replicated_inserts=tally.replicated_inserts,
        recomputations=tally.recomputations,
        queues=tally.queues,
        reached=(until - prepared.begin) / 1e6,
    )
