"""The same queries under another load, or with tuples that come in bursts."""

from __future__ import annotations

from dataclasses import replace

from planner.workload.streams import Arrivals
from planner.workload.workload import Workload


def mean_burst(workload: Workload) -> float:
    """The mean size of bursts: the largest of the streams; 1 where tuples come one by one."""
    arrivals = (stream.arrivals for stream in workload.streams)
    return max((a.burst for a in arrivals if a.kind == "pareto"), default=1.0)


def loaded(workload: Workload, utilisation: float) -> Workload:
    """The workload with unit costs scaled to a load."""
    return replace(workload, execution=replace(workload.execution, utilisation=utilisation))


def in_bursts(workload: Workload, size: float) -> Workload:
    """The workload with arrivals in bursts of this mean size; of 1, one by one at random."""
    arrivals = Arrivals("pareto", size) if size > 1 else Arrivals("poisson")
    streams = tuple(replace(stream, arrivals=arrivals) for stream in workload.streams)
    return replace(workload, streams=streams)
