"""Policies as tables that the servers of the kernel follow.

Every policy acts at points: 0 and some of the windows. Of the queue at point i, j is the next
larger point where somebody waits, or the last. MQT and its kin value it by

    MaxQT(i, j) = max over i < k <= j of C_ik / (w_k - w_i)

with C_ik the weights of the queries whose windows are in (w_i, w_k]. Values are compared as
fractions here, once: the kernel is given their ranks and the winning k of each.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from runtime.engines.shared_schedule.kernel.types import (
    DEADLINE,
    FOREVER,
    STRETCH,
    TABLE,
    Policy,
)

# What a tuple is due at for which no query has a deadline: later than any other, and still a number
# to which times can be added.
NEVER_DUE = FOREVER // 2


@dataclass(frozen=True, slots=True)
class PolicyTable:
    """A policy as text has it; `Policy` of the kernel says what its parts mean."""

    mode: int
    points: list[int]
    rank: list[list[int]]
    target: list[list[int]]
    due: list[int]
    length: list[int]
    smaller: bool = False
    at_ends: bool = False

    def for_kernel(self) -> Policy:
        """The same as arrays."""
        numbers = (self.points, self.rank, self.target, self.due, self.length)
        arrays = (np.array(part, np.int64) for part in numbers)
        return Policy(self.mode, *arrays, self.smaller, self.at_ends)

    @classmethod
    def from_json(cls, content: Mapping[str, Any] | None) -> PolicyTable | None:
        """What `asdict` wrote."""
        return None if content is None else cls(**content)


def _table(
    points: Sequence[int],
    value: Sequence[Sequence[Fraction | int]],
    target: Sequence[Sequence[int]],
    smaller: bool = False,
    at_ends: bool = False,
) -> PolicyTable:
    different = sorted({number for row in value for number in row})
    rank = [[different.index(number) for number in row] for row in value]
    nothing = [0] * len(points)
    chosen = [list(row) for row in target]
    return PolicyTable(TABLE, list(points), rank, chosen, nothing, nothing, smaller, at_ends)


def _one_further(points: Sequence[int]) -> list[list[int]]:
    """Every queue's head scans up to the next point."""
    last = len(points) - 1
    return [[min(i + 1, last)] * len(points) for i in range(len(points))]


def largest_window_only(windows: int) -> PolicyTable:
    """LWO: the oldest tuple scans everything at once."""
    return _table((0, windows), [[0, 0], [0, 0]], _one_further((0, windows)))


def smallest_window_first(points: Sequence[int]) -> PolicyTable:
    """SWF: the smallest window that somebody waits for."""
    value = [[-i] * len(points) for i in range(len(points))]
    return _table(points, value, _one_further(points), at_ends=True)


def query_throughput(
    windows: Sequence[int],
    weights: Sequence[Fraction | int],
    points: Sequence[int],
    smaller: bool,
) -> PolicyTable:
    """MQT, by weights of the queries of each window; windows begin with the first, not with 0."""
    ends = [0, *windows]
    value: list[list[Fraction | int]] = [[0] * len(points) for _ in points]
    target = [[0] * len(points) for _ in points]
    for i, begin in enumerate(points[:-1]):
        best: tuple[Fraction, int] | None = None
        for k in range(i + 1, len(points)):
            gained = sum(weights[begin : points[k]], Fraction(0))
            ratio = gained / (ends[points[k]] - ends[begin])
            # k rises: of equals the larger window is the later one.
            if best is None or ratio > best[0] or (ratio == best[0] and not smaller):
                best = ratio, k
            value[i][k], target[i][k] = best
    return _table(points, value, target, smaller)


def earliest_deadline(
    deadlines: Sequence[int | None], points: Sequence[int], smaller: bool
) -> PolicyTable:
    """EDF: what is due first, by the tightest deadline of each window, in nanoseconds.

    A tuple is due when the most urgent query is that still waits for one of its windows.
    """
    due = [
        min((d for d in deadlines[point:] if d is not None), default=NEVER_DUE) for point in points
    ]
    return _by_head(DEADLINE, points, due, [1] * len(points), smaller)


def least_stretch(windows: Sequence[int], points: Sequence[int], smaller: bool) -> PolicyTable:
    """FAIR: who has waited longest for the length of the next window."""
    length = [*(windows[point] for point in points[:-1]), 1]
    return _by_head(STRETCH, points, [0] * len(points), length, smaller)


def _by_head(
    mode: int, points: Sequence[int], due: list[int], length: list[int], smaller: bool
) -> PolicyTable:
    nothing = [[0] * len(points) for _ in points]
    return PolicyTable(mode, list(points), nothing, _one_further(points), due, length, smaller)
