"""Reasons for an error that no estimate expresses: windows that were not full, and chance."""

from __future__ import annotations

import math

from planner.plan.plan import Operator
from planner.workload.streams import Stream
from runtime.diagnosis.arrival_rates import chance_reason
from runtime.diagnosis.suspects import Suspect
from runtime.runs.records import Run

# So many deviations of what is counted are chance.
_DEVIATIONS = 3.0


def not_full(run: Run, suspect: Suspect) -> str:
    """That windows were still filling, where that explains an error."""
    workload = run.workload
    warmup, longest = workload.warmup, workload.longest_window
    if warmup >= longest or suspect.error >= 0:
        return ""
    # The mean over the run of what a window lacks that fills from nothing.
    filling = min(longest - warmup, workload.run.duration)
    lacking = filling * (longest - warmup - filling / 2) / (longest * workload.run.duration)
    if suspect.error < 1.25 * len(streams_ahead(run, suspect)) * math.log1p(-lacking):
        return ""
    return (
        f"counting began after {warmup:g} s, when windows of up to {longest:g} s were not full "
        "yet; a longer warm-up would fill them"
    )


def usual_error(run: Run, suspect: Suspect) -> str:
    """That so many more or fewer tuples come or match by chance, where that explains an error."""
    workload, ahead = run.workload, streams_ahead(run, suspect)
    if not ahead:
        return ""
    slowest = min(ahead, key=lambda stream: (stream.rate or 0.0) / stream.arrivals.burst)
    arrivals = (slowest.rate or 0.0) * workload.run.duration
    counted = suspect.measured * workload.run.duration
    if suspect.field == "state_tuples":
        arrivals = counted = suspect.predicted
    variance = len(ahead) * slowest.arrivals.burst / max(arrivals, 1.0) + 1 / max(counted, 1.0)
    # Where nothing is counted, the ratio to what was expected has no bound.
    few = not counted and suspect.predicted * workload.run.duration <= _DEVIATIONS**2
    if abs(suspect.error) > _DEVIATIONS * math.sqrt(variance) and not few:
        return ""
    return chance_reason(slowest, min(arrivals, counted))


def streams_ahead(run: Run, suspect: Suspect) -> list[Stream]:
    """The streams that arrive at an operator or ahead of it."""
    found: set[Operator] = set()
    waiting = [suspect.operator]
    while waiting:
        operator = waiting.pop()
        waiting += [feed for feed in operator.inputs if feed not in found]
        found.add(operator)
    names = {operator.param("stream") for operator in found if operator.kind == "arrive"}
    return [stream for stream in run.workload.streams if stream.name in names]
