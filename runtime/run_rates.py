"""The rates that a run had: the arrivals of its tuples, counted over time."""

from __future__ import annotations

from planner.checks import microseconds
from planner.rates import RateTrace, counted_rates
from runtime.prepare import run_seconds
from runtime.records import Run
from runtime.run_tuples import tuples_of


def run_rates(run: Run, every: float | None = None) -> RateTrace:
    """Count the tuples that the run read, per interval of so many seconds."""
    workload, tables = tuples_of(run)
    if run.request.data is not None:
        return counted_rates(workload, tables, every)
    span = (0, microseconds(run_seconds(workload)))
    return counted_rates(workload, tables, every, span)
