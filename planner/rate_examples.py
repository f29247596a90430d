"""Made-up traces of rates for a workload, to begin with: a burst, and a day with its night."""

from __future__ import annotations

import math

from planner.checks import MAX_RATE
from planner.errors import PlanError
from planner.rates import RateTrace
from planner.workload import Workload

HOURS = 24
HOUR = 3600.0
SWING = 5.0
# Longer than the windows, so that these are settled for most of each interval.
_WINDOWS_EACH = 5


def slowest(workload: Workload) -> str:
    """The stream of the queries with the lowest rate."""
    rates = _rates(workload)
    return min(rates, key=rates.__getitem__)


def burst(workload: Workload, stream: str, factor: float = 10.0) -> RateTrace:
    """All streams at their rates, but one of them so many times faster for a while."""
    rates = _rates(workload)
    each = _WINDOWS_EACH * workload.longest_window
    usual = tuple(rates.values())
    faster = tuple(_digits(r * factor) if s == stream else r for s, r in rates.items())
    times = tuple(_digits(each * place) for place in range(4))
    return RateTrace(tuple(rates), times[:3], (usual, faster, usual), times[3])


def day_and_night(workload: Workload) -> RateTrace:
    """Every stream swings over a day, one after the other, each at its rate on average.

    An hour each, or as long as the longest window where that is longer.
    """
    rates = _rates(workload)
    each = max(HOUR, workload.longest_window)
    rows = []
    for hour in range(HOURS):
        phases = (hour / HOURS - place / len(rates) for place in range(len(rates)))
        swings = (SWING ** math.sin(2 * math.pi * phase) for phase in phases)
        pairs = zip(rates.values(), swings, strict=True)
        rows.append(tuple(_digits(rate * swing) for rate, swing in pairs))
    times = tuple(_digits(each * hour) for hour in range(HOURS + 1))
    return RateTrace(tuple(rates), times[:-1], tuple(rows), times[-1])


def _rates(workload: Workload) -> dict[str, float]:
    used = {source.name for query in workload.queries for source in query.sources}
    found = {s.name: s.rate for s in workload.streams if s.name in used}
    for name, rate in found.items():
        if rate is None:
            raise PlanError("is not known; declare it, or infer it with --data", f"rate of {name}")
    return {name: min(rate or 0.0, MAX_RATE / SWING) for name, rate in found.items()}


def _digits(value: float) -> float:
    """Few digits: these numbers are made up, and are read and edited in a table."""
    return float(f"{value:.4g}")
