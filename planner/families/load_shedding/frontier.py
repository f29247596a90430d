"""Importance and recall by memory, and what it costs to split memory up."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from planner.families.load_shedding.labels import EXACT
from planner.families.load_shedding.model import ShedModel
from planner.families.load_shedding.prediction.predictions import SIMULATED, SheddingPredictions
from planner.workload.workload import Workload

# Sizes of memory of a frontier where none are asked for.
SIZES = 8


@dataclass(frozen=True, slots=True)
class MemoryPoint:
    """What a policy should give with so many tuples of memory; `model` says how that is known."""

    memory: int
    label: str
    importance: float
    recall: float
    model: str


@dataclass(frozen=True, slots=True)
class SplitPoint:
    """What a policy should give where the same memory is split into so many partitions by key."""

    partitions: int
    label: str
    importance: float
    recall: float
    model: str


def with_memory(workload: Workload, memory: int) -> Workload:
    """The workload with another memory; one that is split up stays so, in proportion."""
    execution = workload.execution
    split = execution.shedding.split
    if not isinstance(split, str):
        whole = sum(split.values()) or 1
        split = {alias: memory * own // whole for alias, own in split.items()}
    shedding = replace(execution.shedding, split=split)
    return replace(workload, execution=replace(execution, memory=memory, shedding=shedding))


def usual_memories(model: ShedModel) -> tuple[int, ...]:
    """From one tuple for each stream up to what their windows hold, each larger by as much."""
    arms = len(model.star.arms)
    windows = [rate * time for rate, time in zip(model.rates, model.lifetimes, strict=True)]
    most = max(1.0, *windows)
    shares = np.unique(np.ceil(np.geomspace(1.0, most, SIZES)).astype(np.int64))
    return tuple(int(share) * arms for share in shares)


def point(workload: Workload, label: str, memory: int) -> MemoryPoint:
    """A policy under one size of memory."""
    own = SheddingPredictions(ShedModel(with_memory(workload, memory))).of(label)
    return MemoryPoint(memory, label, own.importance, own.recall, own.model)


def split_points(
    predictions: SheddingPredictions, label: str, partitions: Sequence[int]
) -> Iterator[SplitPoint]:
    """A policy in so many partitions by key, each with its part of the memory; simulated."""
    model, sampled = predictions.model, predictions.sampled
    if not model.star.is_keyed or label == EXACT:
        return
    exact = predictions.exact
    for count in partitions:
        share = sampled.split(label, predictions.shares, count)
        yield SplitPoint(
            count, label, exact.importance * share.importance, share.results, SIMULATED
        )
