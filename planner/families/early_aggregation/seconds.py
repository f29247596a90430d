"""Seconds of work where a workload declares no unit costs of its own."""

from __future__ import annotations

from planner.cost import UnitCosts

# Of the aggregation kernel on the 2 cores of `bench/results.json`, rounded; on another machine the
# ratios between plans hold better than the seconds. In the runs they come from, every tuple that is
# inserted leaves again: what an insert and what an expiration takes is told apart loosely.
KERNEL_UNITS = UnitCosts(
    compare={"default": 1.2e-9},
    insert=2.1e-7,
    expire=1.4e-7,
    group_update=8.9e-9,
    output=0.0,
    source="python -m bench aggregation",
)
