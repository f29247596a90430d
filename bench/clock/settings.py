"""The settings of `clock`: random workloads of every family, drawn by number.

The same number is the same workload. Unit costs come from designed runs, which none of them is; the
numbers here are not those of the benchmarks of accuracy, by which models were made.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import replace

from bench.aggregation.settings import random_cell
from bench.chains.workloads import random_case
from bench.joins.random_joins import drawn
from bench.measure import log_uniform
from bench.shedding.workloads import Setting, star_join
from planner.experiments.hammad.workloads import Join, shared_join
from planner.families import (
    early_aggregation,
    join_order,
    load_shedding,
    shared_schedule,
    sliced_chain,
)
from planner.workload.execution import Access, RunSettings
from planner.workload.workload import Workload

# Benchmarks of accuracy draw 0 to some hundreds.
FIRST = 10_000


def _join(number: int) -> Workload:
    """Four or five streams, as `random_joins.py` draws them."""
    workload = drawn(number).workload
    return replace(workload, run=RunSettings(1, 1.2 * workload.longest_window, 1.0))


def _shedding(number: int) -> Workload:
    """A star join with room for 10 to 200 tuples, a tenth to four fifths of what windows hold."""
    draw = random.Random(number)
    lifetime = round(log_uniform(draw, 20, 250))
    setting = Setting(
        seconds=2000,
        lifetime=lifetime,
        zipf=(round(draw.uniform(0, 1.2), 2), round(draw.uniform(0, 1.2), 2)),
        keys=round(log_uniform(draw, 20, 100)),
        rows=round(log_uniform(draw, 100, 1000)),
        churn=draw.choice((0.0, 1.0)),
    )
    workload = star_join(setting)
    memory = round(2 * lifetime * log_uniform(draw, 0.1, 0.8))
    access: Access = draw.choice(("scan", "search", "index", "hash"))
    execution = replace(workload.execution, memory=memory)
    shedding = replace(execution.shedding, access=access)
    return replace(
        workload, name=f"random {number}", execution=replace(execution, shedding=shedding)
    )


def _schedule(number: int) -> Workload:
    """Three to eight queries with windows of 1 to 600 s, served at a load of 0.5 to 0.9."""
    draw = random.Random(number)
    windows = sorted({round(log_uniform(draw, 1, 600)) for _ in range(draw.randint(3, 8))})
    load = round(draw.uniform(0.5, 0.9), 2)
    join: Join = draw.choice(("hash", "nested"))
    workload = shared_join(f"random {number}", windows, load, join, declared=False)
    return replace(workload, run=RunSettings(1, 1.1 * workload.longest_window, 1.0))


SETTINGS: Mapping[str, Callable[[int], Workload]] = {
    join_order.NAME: _join,
    early_aggregation.NAME: lambda number: random_cell(number).workload,
    sliced_chain.NAME: lambda number: random_case(number).workload,
    shared_schedule.NAME: _schedule,
    load_shedding.NAME: _shedding,
}
