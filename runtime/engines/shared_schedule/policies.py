"""Policies as servers of the kernel follow them: the planner's rules by number of window."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from runtime.engines.shared_schedule.kernel.types import DEADLINE, STRETCH, TABLE, ServerPolicy

# A worker that steps a program needs no planning.
if TYPE_CHECKING:
    from planner.families.shared_schedule.policies import Rule

_MODES = {"table": TABLE, "due": DEADLINE, "stretch": STRETCH}


@dataclass(frozen=True, slots=True)
class PolicyTable:
    """A policy as text has it; `ServerPolicy` of the kernel says what its parts mean."""

    mode: int
    points: list[int]
    rank: list[list[int]]
    target: list[list[int]]
    due: list[int]
    length: list[int]
    smaller: bool
    at_ends: bool

    @classmethod
    def of(cls, rule: Rule, boundaries: Sequence[int]) -> PolicyTable:
        """The rule of a policy, whose points are some of these windows; the first of both is 0."""
        return cls(
            _MODES[rule.mode],
            [boundaries.index(point) for point in rule.points],
            [list(row) for row in rule.ranks()],
            [list(row) for row in rule.targets()],
            list(rule.due_ns),
            list(rule.lengths),
            rule.smaller,
            rule.at_ends,
        )

    def for_kernel(self) -> ServerPolicy:
        """The same as arrays."""
        return ServerPolicy(
            self.mode,
            np.array(self.points, np.int64),
            np.array(self.rank, np.int64),
            np.array(self.target, np.int64),
            np.array(self.due, np.int64),
            np.array(self.length, np.int64),
            self.smaller,
            self.at_ends,
        )
