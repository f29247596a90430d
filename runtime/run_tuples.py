"""The tuples of a run that has ended: read again, or generated again from its seed."""

from __future__ import annotations

from planner.errors import PlanError, RunError
from planner.tables import Table
from planner.workload import Workload
from runtime.prepare import data_digest, generated, with_data
from runtime.records import Run

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
