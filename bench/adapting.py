"""Runs that adapt beside plans that stay, on the same tuples: rates that change, and that do not.

Rates are drawn at random, by seeds that no policy was tried on. A trace of changing rates counts
where the best plan of every interval should do a sixth less work than the best single one.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.random import Generator, default_rng

from planner.adapt.observed import believed
from planner.families.protocol import Family
from planner.families.registry import family
from planner.files.workload_file import load_workload
from planner.workload.adapt import Adapt
from planner.workload.arrival_shapes import ArrivalTrace
from planner.workload.streams import Arrivals
from planner.workload.workload import Workload
from runtime.backends.kernels.hindsight import Hindsight, hindsight
from runtime.runs.records import RunRequest

TRACES = 10
FIRST_SEED = 9_000
INTERVALS = 4
SECONDS = 150.0
LEAST_GAIN = 1.2
EVERY = 5.0
_WARMUP = 10.0

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
KINDS = {
    "a join": ("join_order", _JOIN),
    "a triangle": ("join_order", _TRIANGLE),
    "an aggregation": ("early_aggregation", _AGGREGATION),
}
_RATES = (1.0, 3.0, 10.0, 30.0, 60.0)
Rates = list[dict[str, float]]


def adapting() -> dict[str, Any]:
    """The work of the regret policy over that of the best plan of every interval, and the rest."""
    changing = [_measured(seed, INTERVALS) for seed in range(FIRST_SEED, FIRST_SEED + TRACES)]
    first = FIRST_SEED + 500
    steady = [_measured(seed, 1) for seed in range(first, first + TRACES)]
    over = [trace["over best of every interval"] for trace in changing]
    staying = [trace["over best plan"] for trace in steady]
    return {
        "traces": TRACES,
        "changing": {
            "over best of every interval": {"median": float(np.median(over)), "worst": max(over)},
            "over best plan, worst": max(trace["over best plan"] for trace in changing),
            "worst plan over adaptive, median": float(
                np.median([1 / trace["over worst plan"] for trace in changing])
            ),
            "switches": [trace["switches"] for trace in changing],
        },
        "stationary": {
            "over best plan": {"median": float(np.median(staying)), "worst": max(staying)},
            "switches": [trace["switches after warm-up"] for trace in steady],
        },
        "samples": {"changing": changing, "stationary": steady},
    }


def _measured(seed: int, intervals: int) -> dict[str, Any]:
    kind = list(KINDS)[seed % len(KINDS)]
    name, text = KINDS[kind]
    chance, chosen = default_rng(seed), family(name)
    base = load_workload(text)
    rates = drawn(chance, base, chosen, intervals)
    workload = _traced(base, rates, seed)
    best = chosen.space(workload).best().label
    found = hindsight(RunRequest(workload, name, best, batch_rows=100_000))
    return {"kind": kind, "seed": seed, **_figures(found, intervals)}


def _is_run(label: str) -> bool:
    """Plans that put new tuples outermost, as the first one does."""
    return ":" not in label


def _figures(found: Hindsight, intervals: int) -> dict[str, Any]:
    adaptive = float(found.adaptive.sum())
    edges = [SECONDS * number for number in range(1, intervals)]
    after = sum(switch.at / 1e6 > _WARMUP for switch in found.switches)
    return {
        "over best of every interval": adaptive / found.oracle(edges),
        "over best plan": adaptive / float(found.static[found.best].sum()),
        "over worst plan": adaptive / float(found.static[found.worst].sum()),
        "switches": len(found.switches),
        "switches after warm-up": after,
    }


def drawn(chance: Generator, workload: Workload, chosen: Family, intervals: int) -> Rates:
    """Rates by interval: of several, such that no plan should be near the best in all of them."""
    names = [stream.name for stream in workload.streams]
    while True:
        rates = [dict(zip(names, chance.choice(_RATES, len(names)), strict=True))
                 for _ in range(intervals)]  # fmt: skip
        if intervals == 1 or _gain(workload, chosen, rates) >= LEAST_GAIN:
            return rates


def _gain(workload: Workload, chosen: Family, rates: Rates) -> float:
    """How many times the work of the best of every interval the best single plan should do."""
    spaces = [chosen.space(believed(workload, now)) for now in rates]
    labels = [plan.label for plan in spaces[0].candidates() if _is_run(plan.label)]
    scores = np.array([space.scores(labels) for space in spaces])
    return float(scores.sum(axis=0).min() / scores.min(axis=1).sum())


def _traced(workload: Workload, rates: Rates, seed: int) -> Workload:
    times = tuple(SECONDS * number for number in range(len(rates)))
    end = SECONDS * len(rates)
    streams = tuple(
        replace(stream, rate=None, arrivals=Arrivals(shape=ArrivalTrace(times, own, end)))
        for stream in workload.streams
        for own in [tuple(float(now[stream.name]) for now in rates)]
    )
    adapt = Adapt("regret", EVERY, horizon=60.0)
    run = replace(workload.run, seed=seed, warmup=_WARMUP, duration=end - _WARMUP, adapt=adapt)
    return replace(workload, streams=streams, run=run)
