"""Scheduled joins: which policy waits least on the same arrivals, and what all of them cost.

A run serves every policy on the same tuples, so that differences are paired: the interval is of the
mean over runs, each with tuples of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from planner.experiments.experiment import Point
from planner.experiments.hammad.workloads import TABLE_1, Join, shared_join
from planner.families.shared_schedule import NAME
from planner.families.shared_schedule.labels import LWO, MQT, SWF
from planner.families.sliced_chain import NAME as CHAINS
from planner.families.sliced_chain.labels import PULL_UP
from runtime.experiments.measurement import Sampler

UTILISATIONS = (0.7, 0.93)
SEEDS = (1, 2, 3, 4, 5, 6)
# Student's t of a 95% interval, for one run less than there are.
T_95 = {5: 2.571, 29: 2.045}
ROUNDS = 3
_CELLS = [(name, load) for load in UTILISATIONS for name in TABLE_1]


def schedules() -> dict[str, Any]:
    """Delays of policies in all distributions of Table 1, and kernel seconds beside pull-up."""
    delays = [_delays(cell) for cell in range(len(_CELLS))]
    speed = {join: _speed(join) for join in ("hash", "nested")}
    return {
        "same answer": all(timed["same answer"] for timed in speed.values()),
        "runs of each cell": len(SEEDS),
        "MQT shortest, of cells": [sum(cell["MQT shortest"] for cell in delays), len(delays)],
        "delays": delays,
        "all policies beside pull-up": speed,
    }


def _delays(cell: int) -> dict[str, Any]:
    """Mean delays over queries in ms, and what MQT saves of each other policy's, paired."""
    distribution, load = _CELLS[cell]
    workload = shared_join(f"{distribution}, load {load:g}", TABLE_1[distribution], load)
    point = Point(0.0, workload, NAME, MQT)
    sampler = Sampler()
    runs = [sampler.sample(point, seed).schedules for seed in SEEDS]
    means = {policy: [_mean_delay(run[policy]) for run in runs] for policy in (LWO, SWF, MQT)}
    saved = {
        policy: interval([1 - own / other for own, other in zip(means[MQT], found, strict=True)])
        for policy, found in means.items()
        if policy != MQT
    }
    return {
        "windows": distribution,
        "load": load,
        "delay ms": {policy: float(np.mean(found)) for policy, found in means.items()},
        "share saved by MQT": saved,
        "MQT shortest": all(found["at least"] > 0 for found in saved.values()),
    }


def _mean_delay(schedule: Any) -> float:
    return float(np.mean([found["delay_ms"] for found in schedule["queries"].values()]))


def interval(values: Sequence[float]) -> dict[str, float]:
    """The mean of some runs, and its 95% confidence interval."""
    mean, error = np.mean(values), np.std(values, ddof=1) / np.sqrt(len(values))
    half = T_95[len(values) - 1] * error
    return {"mean": float(mean), "at least": float(mean - half), "at most": float(mean + half)}


def _speed(join: Join) -> dict[str, Any]:
    """100,000 tuples of seven windows: kernel seconds of one replay, best of rounds in turns."""
    workload = shared_join(f"speed, {join}", TABLE_1["Small-Large"], UTILISATIONS[0], join)
    contenders = {"all policies": (NAME, MQT), PULL_UP: (CHAINS, PULL_UP)}
    sampler = Sampler()
    found: dict[str, list[Any]] = {name: [] for name in contenders}
    for _ in range(ROUNDS):
        for name, (family, plan) in contenders.items():
            found[name].append(sampler.sample(Point(0.0, workload, family, plan), seed=7))
    seconds = {name: min(sample.seconds for sample in samples) for name, samples in found.items()}
    return {
        "tuples": found[PULL_UP][0].tuples,
        "seconds": seconds,
        "times pull-up": seconds["all policies"] / seconds[PULL_UP],
        "same answer": len(
            {str(sorted(s.by_query.items())) for part in found.values() for s in part}
        )
        == 1,
        "seconds of all rounds": {n: [s.seconds for s in found[n]] for n in contenders},
    }
