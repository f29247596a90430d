"""A star join as text: what a program of it is made of, and how the kernel is given it."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from planner.families.load_shedding.labels import (
    EXACT,
    EXPECTED_GAIN,
    GAIN_AND_LOSS,
    IMPORTANCE,
    IMPORTANCE_AND_MATCHES,
    MATCHES_OF_NOW,
    MOST_RESULTS,
    OPTIMUM,
    RANDOM,
)
from planner.families.load_shedding.star import Star
from planner.workload.query import Query
from runtime.data.feed import Span
from runtime.engines.join_feeds import value_slots
from runtime.engines.kernels.loop_types import Filters
from runtime.engines.load_shedding.kernel import types as kernel
from runtime.engines.load_shedding.kernel.types import NEVER, STEPS, Learned, Shape, ShedCounters
from runtime.engines.nested_loops import COMPARISON_CODES

_POLICIES = {
    EXACT: kernel.EXACT,
    OPTIMUM: kernel.PLANNED,
    MOST_RESULTS: kernel.PLANNED,
    RANDOM: kernel.RANDOM,
    IMPORTANCE: kernel.IMPORTANCE,
    IMPORTANCE_AND_MATCHES: kernel.MATCHES,
    MATCHES_OF_NOW: kernel.MATCHES_OF_NOW,
    GAIN_AND_LOSS: kernel.GAIN_AND_LOSS,
    EXPECTED_GAIN: kernel.EXPECTED,
}
_ACCESS = {
    "index": kernel.INDEX,
    "scan": kernel.SCAN,
    "hash": kernel.HASH,
    "search": kernel.SEARCH,
}
# Beyond so many keys it is not counted which of them were shed: programs and counters stay small.
MOST_KEYS = 10_000


@dataclass(frozen=True, slots=True)
class StarArm:
    """A stream: its place in FROM, and what it keeps of its tuples; None is no bound.

    Its keys are below `codes`, of which the last is a missing one. `alpha` is in microseconds.
    """

    alias: str
    place: int
    lifetime: int
    room: int | None
    access: str
    buckets: int
    codes: int
    alpha: float


@dataclass(frozen=True, slots=True)
class StarJoin:
    """A star join under a policy. `filters` are [source, value, comparison, constant].

    `beta` is in millionths of importance. Without a relation (`relation` is None) streams meet
    through rows that stand for keys, and have the place behind all sources.
    """

    policy: str
    arms: list[StarArm]
    sources: int
    relation: int | None
    filters: list[list[float]] = field(default_factory=list)
    seed: int = 0
    beta: float = 0.0
    prefilter: bool = True

    @property
    def counted_keys(self) -> int:
        """How many keys of each arm are counted apart."""
        codes = max(arm.codes for arm in self.arms)
        return codes if codes <= MOST_KEYS else 0

    def shape(self, span: Span, begin: int) -> Shape:
        """For the kernel: what is counted, and from when on by steps."""
        arm_of = np.full(self.sources + 1, -1, np.int64)
        for number, arm in enumerate(self.arms):
            arm_of[arm.place] = number

        def integers(values: list[int]) -> np.ndarray:
            return np.array(values, np.int64)

        return Shape(
            arm_of=arm_of,
            place=integers([arm.place for arm in self.arms]),
            lifetime=integers([arm.lifetime for arm in self.arms]),
            room=integers([NEVER if arm.room is None else arm.room for arm in self.arms]),
            access=integers([_ACCESS[arm.access] for arm in self.arms]),
            buckets=integers([arm.buckets for arm in self.arms]),
            codes=integers([arm.codes for arm in self.arms]),
            alpha=np.array([arm.alpha for arm in self.arms]),
            beta=self.beta,
            seed=np.uint64(self.seed),
            policy=_POLICIES[self.policy],
            prefilter=self.prefilter,
            implicit=self.relation is None,
            sources=self.sources,
            warmup=span.warmup,
            end=span.end,
            begin=begin,
            every=self.step_of(span, begin),
            shares=1,
            share=0,
        )

    def step_of(self, span: Span, begin: int) -> int:
        """The microseconds of a step of the time line."""
        return max(1, -(-(span.end - begin) // STEPS))

    def kernel_filters(self) -> Filters:
        """The conditions on arriving tuples and on rows."""
        columns = np.array(self.filters, np.float64).reshape(-1, 4)
        source, value, comparison = (np.ascontiguousarray(c, np.int64) for c in columns[:, :3].T)
        return Filters(source, value, comparison, np.ascontiguousarray(columns[:, 3]))

    def zero(self) -> ShedCounters:
        """Nothing counted yet."""
        arms, filters = len(self.arms), len(self.filters)
        return ShedCounters.zero(arms, self.sources + 1, filters, self.counted_keys)

    def nothing_learned(self) -> Learned:
        """No choice was made, and no arrival seen."""
        arms = len(self.arms)
        keys = max(arm.codes for arm in self.arms) if self.policy == EXPECTED_GAIN else 0
        known, count, total, sums = (np.zeros((arms, n), np.int64) for n in (keys, keys, keys, 4))
        return Learned(np.zeros(arms, np.int64), np.zeros(arms), known, count, total, sums)


def star_join(
    star: Star, query: Query, policy: str, codes: list[int], constants: list[float]
) -> StarJoin:
    """A star join without a bound: how it reaches the relation, and its filters."""
    places = {source.alias: place for place, source in enumerate(query.sources)}
    slots = value_slots(query)
    arms = []
    for arm, count in zip(star.arms, codes, strict=True):
        buckets = 1
        if arm.access == "hash":
            buckets = count if star.buckets == "per-value" else int(star.buckets)
        arms.append(
            StarArm(
                alias=arm.source.alias,
                place=arm.place,
                lifetime=arm.lifetime,
                room=None,
                access=arm.access if star.relation is not None else "index",
                buckets=buckets,
                codes=count,
                alpha=float(arm.lifetime),
            )
        )
    filters = [
        [places[f.column.alias], slots[f.column], COMPARISON_CODES[f.comparison], constant]
        for f, constant in zip(query.filters, constants, strict=True)
    ]
    return StarJoin(policy, arms, len(query.sources), star.relation_place, filters)
