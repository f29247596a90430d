"""A frontier read backwards: about how much memory a wished part of the answer takes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from planner.families.load_shedding.frontier import MemoryPoint
from planner.families.load_shedding.labels import EXACT

Wish = Literal["importance", "recall"]


@dataclass(frozen=True, slots=True)
class MemoryNeeded:
    """About how many tuples a policy must keep; None where no size of the frontier is enough."""

    label: str
    memory: int | None
    model: str


def share_of(point: MemoryPoint, by: Wish, exact_importance: float) -> float:
    """The share of the exact answer that a point of a frontier has."""
    if by == "recall":
        return point.recall
    return point.importance / exact_importance if exact_importance else 1.0


def memory_needed(
    points: Sequence[MemoryPoint], wished: float, by: Wish, exact_importance: float
) -> list[MemoryNeeded]:
    """By policy the memory for a wished share, least first: between sizes, along a straight line.

    `wished` is a share from 0 to 1. The exact plan has no bound and is left out.
    """
    found = []
    for label in dict.fromkeys(point.label for point in points if point.label != EXACT):
        own = sorted((p for p in points if p.label == label), key=lambda p: p.memory)
        shares = [share_of(point, by, exact_importance) for point in own]
        found.append(_needed(own, shares, wished))
    return sorted(found, key=lambda needed: needed.memory or math.inf)


def _needed(points: Sequence[MemoryPoint], shares: Sequence[float], wished: float) -> MemoryNeeded:
    label = points[0].label
    if shares[0] >= wished:
        return MemoryNeeded(label, points[0].memory, points[0].model)
    steps = zip(pairwise(points), pairwise(shares), strict=True)
    for (before, after), (low, high) in steps:
        if high >= wished:
            part = (wished - low) / (high - low)
            memory = before.memory + part * (after.memory - before.memory)
            return MemoryNeeded(label, math.ceil(memory), after.model)
    return MemoryNeeded(label, None, points[-1].model)
