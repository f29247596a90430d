"""The workloads of runs that adapt: their rates are drawn, and their keys may drift."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.random import Generator, default_rng

from planner.adapt.observed import believed
from planner.families.capabilities import Switching
from planner.families.protocol import Family
from planner.files.tuple_table import ColumnData, Table
from planner.files.workload_file import load_workload
from planner.workload.adapt import Adapt
from planner.workload.arrival_shapes import ArrivalTrace
from planner.workload.streams import Arrivals
from planner.workload.workload import Workload

INTERVALS = 4
SECONDS = 150.0
LEAST_GAIN = 1.2
EVERY = 5.0
WARMUP = 10.0

_JOIN = """
version: 1
name: three streams
streams:
  - {name: A, rate: 10, attributes: {k: {distinct: 300}}}
  - {name: B, rate: 10, attributes: {k: {distinct: 60}}}
  - {name: C, rate: 10, attributes: {k: {distinct: 500}}}
queries:
  - name: Q
    text: SELECT * FROM A [RANGE 10], B [RANGE 10], C [RANGE 10] WHERE A.k = B.k AND B.k = C.k
"""
_TRIANGLE = """
version: 1
name: a triangle
streams:
  - {name: A, rate: 10, attributes: {k: {distinct: 100}, j: {distinct: 40}}}
  - {name: B, rate: 10, attributes: {k: {distinct: 100}, m: {distinct: 200}}}
  - {name: C, rate: 10, attributes: {m: {distinct: 200}, j: {distinct: 40}}}
queries:
  - name: Q
    text: >-
      SELECT * FROM A [RANGE 10], B [RANGE 10], C [RANGE 10]
      WHERE A.k = B.k AND B.m = C.m AND A.j = C.j
execution: {join: hash, buckets: 8}
"""
_AGGREGATION = """
version: 1
name: an aggregation
streams:
  - {name: A, rate: 10, attributes: {k: {distinct: 40}, g: {distinct: 2}}}
  - {name: B, rate: 10, attributes: {k: {distinct: 40}, v: {distinct: 50}}}
queries:
  - name: Q
    text: SELECT A.g, SUM(B.v) FROM A [RANGE 10], B [RANGE 10] WHERE A.k = B.k GROUP BY A.g
execution: {join: hash}
"""
_CHAIN = """
version: 1
name: a chain
streams:
  - {name: A, rate: 10, attributes: {k: {distinct: 40}, v: {distinct: 100}}}
  - {name: B, rate: 10, attributes: {k: {distinct: 40}}}
queries:
  - {name: Q1, text: "SELECT * FROM A [RANGE 2], B [RANGE 2] WHERE A.k = B.k"}
  - {name: Q2, text: "SELECT * FROM A [RANGE 4], B [RANGE 4] WHERE A.k = B.k AND A.v > 60"}
  - {name: Q3, text: "SELECT * FROM A [RANGE 10], B [RANGE 10] WHERE A.k = B.k AND A.v > 90"}
"""
KINDS = {
    "a join": ("join_order", _JOIN),
    "a triangle": ("join_order", _TRIANGLE),
    "an aggregation": ("early_aggregation", _AGGREGATION),
    "a chain": ("sliced_chain", _CHAIN),
}
# Those whose best plan depends on the rates.
CHANGING = [kind for kind in KINDS if kind != "a chain"]
_RATES = (1.0, 3.0, 10.0, 30.0, 60.0)
_DISTINCT = (5, 20, 100, 400)
Rates = list[dict[str, float]]


def drawn(chance: Generator, workload: Workload, chosen: Family, intervals: int) -> Rates:
    """Rates by interval: of several, such that no plan should be near the best in all of them."""
    names = [stream.name for stream in workload.streams]
    while True:
        rates = [dict(zip(names, chance.choice(_RATES, len(names)), strict=True))
                 for _ in range(intervals)]  # fmt: skip
        if intervals == 1 or _gain([believed(workload, now) for now in rates], chosen):
            return rates


def _gain(stages: list[Workload], chosen: Family) -> bool:
    """Whether the best single plan should do many times the work of the best of every interval."""
    spaces = [chosen.space(stage) for stage in stages]
    switching, first = spaces[0].capability(Switching), spaces[0].best()
    assert switching is not None, "a family whose plans are switched"
    plans = (p for p in spaces[0].candidates() if not switching.why_not_switched(first, p))
    labels = [plan.label for plan in plans]
    scores = np.array([space.scores(labels) for space in spaces])
    return float(scores.sum(axis=0).min() / scores.min(axis=1).sum()) >= LEAST_GAIN


def traced(workload: Workload, rates: Rates, seed: int, seconds: float = SECONDS) -> Workload:
    """The workload with these rates, each for so many seconds."""
    times = tuple(seconds * number for number in range(len(rates)))
    end = seconds * len(rates)
    streams = tuple(
        replace(stream, rate=None, arrivals=Arrivals(shape=ArrivalTrace(times, own, end)))
        for stream in workload.streams
        for own in [tuple(float(now[stream.name]) for now in rates)]
    )
    return adapting(replace(workload, streams=streams), seed, end)


def adapting(workload: Workload, seed: int, seconds: float) -> Workload:
    """The workload as a run that adapts by regret, of so many seconds in all."""
    adapt = Adapt("regret", EVERY, horizon=60.0)
    run = replace(workload.run, seed=seed, warmup=WARMUP, duration=seconds - WARMUP, adapt=adapt)
    return replace(workload, run=run)


def drifting(seed: int, chosen: Family) -> tuple[Workload, dict[str, Table]]:
    """The triangle with steady rates, and in every interval other numbers of different values; they
    are declared as in the first one."""
    chance, base = default_rng(seed), load_workload(_TRIANGLE)
    while True:
        distinct = [dict(zip("kmj", map(int, chance.choice(_DISTINCT, 3)), strict=True))
                    for _ in range(INTERVALS)]  # fmt: skip
        stages = [_with_distinct(base, now) for now in distinct]
        if _gain(stages, chosen):
            break
    end = SECONDS * INTERVALS
    tables = {}
    for stream in base.streams:
        ts = np.sort(chance.uniform(0, end, chance.poisson((stream.rate or 0) * end)))
        interval = (ts // SECONDS).astype(np.int64)
        columns = {
            name: ColumnData(
                chance.integers(1, np.array([now[name] for now in distinct])[interval] + 1)
            )
            for name in stream.attributes
        }
        numbers = np.arange(len(ts), dtype=np.int64)
        tables[stream.name] = Table(numbers, np.round(ts * 1e6).astype(np.int64), columns)
    return adapting(stages[0], seed, end), tables


def _with_distinct(workload: Workload, distinct: dict[str, int]) -> Workload:
    streams = (
        replace(
            stream,
            attributes={
                name: replace(known, distinct=distinct[name])
                for name, known in stream.attributes.items()
            },
        )
        for stream in workload.streams
    )
    return replace(workload, streams=tuple(streams))
