"""What a program is. It travels to the workers as JSON, never as pickled code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from planner.plan.cost import Cost
from planner.plan.plan import Plan


@dataclass(frozen=True, slots=True)
class Span:
    """The stream time over which work is counted, in microseconds: from `warmup` until `end`."""

    warmup: int
    end: int

    @property
    def seconds(self) -> float:
        """Its length; 0 where the warm-up left nothing."""
        return max(0, self.end - self.warmup) / 1_000_000

    def until(self, reached: int | None) -> Span:
        """As far as a run got; all of it where that is not said."""
        return self if reached is None else Span(self.warmup, min(self.end, reached))


@dataclass(frozen=True, slots=True)
class Step:
    """What one partition did with one micro-batch.

    `totals` counts from the start of the run, and so does `kept`: the rows there were to write.
    """

    state: bytes
    totals: bytes
    kept: int
    rows: np.ndarray


@dataclass(frozen=True, slots=True)
class Tally:
    """The totals of all partitions together; `costs` is per operator and second of the span.

    An aggregation has its groups as they are at the end, each behind the begin of its block, and
    how often per second an operator looked for an extremum anew. A program of several queries has
    the results and the digest of each, and the most that a slice was given (females and males) and
    that a union merged in a batch.
    """

    results: int
    digest: int
    comparisons: int
    state_tuples: int
    kernel_seconds: float
    replicated_inserts: int
    costs: Mapping[str, Cost]
    groups: np.ndarray | None = None
    recomputations: Mapping[str, float] = field(default_factory=dict)
    by_query: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    queues: Mapping[str, int] = field(default_factory=dict)


class Program(Protocol):
    """A plan that can be stepped through micro-batches, one partition at a time."""

    @property
    def partitions(self) -> int:
        """How many partitions it runs in."""

    def load(self) -> None:
        """Compile the kernels or load them, so that steps are timed without it."""

    def step(self, state: bytes | None, batch: bytes, partition: int, keep_rows: bool) -> Step:
        """Run one micro-batch of one partition from its state (None: the beginning)."""

    def tally(self, totals: Sequence[bytes], plan: Plan, reached: int | None = None) -> Tally:
        """Add up the partitions. Of a run that goes on, `reached` is the time its totals are of."""

    def to_json(self) -> str:
        """The program as text."""
