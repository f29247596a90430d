"""The tuples of a run that has ended: read again, or generated again from its seed."""

from __future__ import annotations

from planner.errors import PlanError, RunError
from planner.files.tuple_table import Table
from planner.whatif.rates import RateTrace, counted_rates
from planner.workload.validation import microseconds
from planner.workload.workload import Workload
from runtime.data.run_data import (
    data_digest,
    generated,
    run_seconds,
    with_data,
)
from runtime.runs.records import Run

# More tuples than these are not read again just to look at them.
MOST_LOOKED_AT = 2_000_000


def tuples_of(run: Run) -> tuple[Workload, dict[str, Table]]:
    """The run's workload with its statistics, and its tuples; other ones are refused."""
    request = run.request
    workload, tables, _ = with_data(request.workload, request.data, request.sort)
    if data_digest(workload, tables) != run.data_digest:
        raise RunError("its data have changed since; run the plan again", run.id)
    return workload, generated(workload) if tables is None else tables


def few_tuples_of(run: Run) -> dict[str, Table] | None:
    """The run's tuples to look at; None where they are too many, or no longer there."""
    rows = sum(run.measurement.rows.values()) if run.measurement else 0
    if rows > MOST_LOOKED_AT:
        return None
    try:
        return tuples_of(run)[1]
    except (PlanError, RunError):
        # Files that have changed or gone since say nothing about this run.
        return None


def run_rates(run: Run, every: float | None = None) -> RateTrace:
    """Count the tuples that the run read, per interval of so many seconds."""
    workload, tables = tuples_of(run)
    if run.request.data is not None:
        return counted_rates(workload, tables, every)
    span = (0, microseconds(run_seconds(workload)))
    return counted_rates(workload, tables, every, span)
