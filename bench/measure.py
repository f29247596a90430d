"""What benchmarks share: contenders take turns, cases run in processes, errors get a spread."""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from planner.experiments.experiment import Point
from planner.workload.workload import Workload
from runtime.experiments.measurement import MeasuredSample, Sampler

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Timed:
    """The best of some rounds, and what the contender returned in the last one."""

    seconds: float
    all_seconds: tuple[float, ...]
    outcome: Any


def in_turns(contenders: Mapping[str, Callable[[], Any]], rounds: int) -> dict[str, Timed]:
    """Run every contender once a round, so that a noisy machine is noisy for all of them."""
    seconds: dict[str, list[float]] = {name: [] for name in contenders}
    outcomes: dict[str, Any] = {}
    for _ in range(rounds):
        for name, contender in contenders.items():
            begun = time.perf_counter()
            outcomes[name] = contender()
            seconds[name].append(time.perf_counter() - begun)
    return {
        name: Timed(min(taken), tuple(taken), outcomes[name]) for name, taken in seconds.items()
    }


def plans_in_turns(
    workload: Workload, family: str, labels: Sequence[str], seed: int, rounds: int
) -> dict[str, list[MeasuredSample]]:
    """Plans run in process on the same tuples, each once a round; a sample per plan and round."""
    sampler = Sampler()
    found: dict[str, list[MeasuredSample]] = {label: [] for label in labels}
    for _ in range(rounds):
        for label in labels:
            found[label].append(sampler.sample(Point(label, workload, family, label), seed))
    return found


def in_processes(work: Callable[[int], T], numbers: Sequence[int]) -> list[T]:
    """The work of each number, on two cores. Workloads cannot be pickled; their numbers can."""
    with ProcessPoolExecutor(min(2, os.cpu_count() or 1)) as pool:
        return list(pool.map(work, numbers))


def log_uniform(draw: random.Random, least: float, most: float) -> float:
    """A random number whose logarithm is uniformly distributed."""
    return float(least * (most / least) ** draw.random())


def spread(errors: Sequence[float]) -> dict[str, float]:
    """The median, the 95th percentile and the worst of some q-errors."""
    return {
        "median": float(np.median(errors)),
        "95th percentile": float(np.percentile(errors, 95)),
        "worst": float(max(errors)),
    }


def spread_of(counted: str, pairs: Sequence[tuple[float, str]]) -> dict[str, Any]:
    """The spread of errors with their places, the place of the worst, and how many there are."""
    return {
        counted: len(pairs),
        **spread([error for error, _ in pairs]),
        "worst at": max(pairs)[1],
    }
