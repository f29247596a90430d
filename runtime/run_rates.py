"""The rates that a run had: the arrivals of its tuples, counted over time."""

from __future__ import annotations

from planner.checks import microseconds
from planner.errors import RunError
from planner.rates import RateTrace, counted_rates
from runtime.prepare import data_digest, generated, run_seconds, with_data
from runtime.records import Run


def run_rates(run: Run, every: float | None = None) -> RateTrace:
    """Count the tuples that the run read, per interval of so many seconds.

    They are read again, or generated again from the seed; other tuples than the run's are refused.
    """
    request = run.request
    workload, tables, _ = with_data(request.workload, request.data, request.sort)
    if data_digest(workload, tables) != run.data_digest:
        raise RunError("its data have changed since; run the plan again", run.id)
    if tables is not None:
        return counted_rates(workload, tables, every)
    span = (0, microseconds(run_seconds(workload)))
    return counted_rates(workload, generated(workload), every, span)
