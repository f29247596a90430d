"""A star join as text: what a program of it is made of, and how the kernel is given it."""

from __future__ import annotations

from collections.abc import Sequence
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
from runtime.engines.kernels.loop_types import Filters
from runtime.engines.load_shedding.aggregation import Aggregation
from runtime.engines.load_shedding.kernel import types as kernel
from runtime.engines.load_shedding.kernel.types import (
    NEVER,
    STEPS,
    Learned,
    ShedCounters,
    StarShape,
)
from runtime.engines.nested_loops import filter_rows

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
class Processor:
    """A processor that takes time: microseconds of a comparison and of a result, and how many
    tuples may wait for it; None is no bound."""

    compare: float
    output: float
    buffer: int | None


# One that takes none: nothing ever waits.
_NO_TIME = Processor(0.0, 0.0, None)


@dataclass(frozen=True, slots=True)
class StarJoin:
    """A star join under a policy. `filters` are [source, value, comparison, constants].

    `beta` is in millionths of importance. Without a relation (`relation` is None) streams meet
    through rows that stand for keys, and have the place behind all sources. Without a `processor`
    work takes no time.
    """

    policy: str
    arms: list[StarArm]
    sources: int
    relation: int | None
    filters: list[list[float]] = field(default_factory=list)
    seed: int = 0
    beta: float = 0.0
    prefilter: bool = True
    aggregation: Aggregation = field(default_factory=Aggregation)
    processor: Processor | None = None

    @property
    def is_unbiased(self) -> bool:
        """Whether what is lost is lost by chance, so that what was found says how much it is."""
        chance = self.policy == RANDOM and self.processor is None
        return chance and all(arm.room for arm in self.arms)

    @property
    def moments(self) -> tuple[int, int]:
        """How many moments a stored tuple has, by evaluation or group and by aggregate: where
        errors can be worked out, which takes two streams with two places each or more."""
        rooms = [arm.room or 0 for arm in self.arms]
        if self.policy != RANDOM or len(rooms) != 2 or min(rooms) < 2:
            return 0, 0
        return self.aggregation.with_errors(sum(rooms)), self.aggregation.shape[1]

    @property
    def counted_keys(self) -> int:
        """How many keys of each arm are counted apart."""
        codes = max(arm.codes for arm in self.arms)
        return codes if codes <= MOST_KEYS else 0

    def shape(self, span: Span, begin: int) -> StarShape:
        """For the kernel: what is counted, and from when on by steps."""
        arm_of = np.full(self.sources + 1, -1, np.int64)
        for number, arm in enumerate(self.arms):
            arm_of[arm.place] = number

        def integers(values: list[int]) -> np.ndarray:
            return np.array(values, np.int64)

        group_source, group_slot = self.aggregation.group or (-1, -1)
        processor = self.processor or _NO_TIME
        return StarShape(
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
            evaluations=integers(self.aggregation.evaluations),
            amount_source=integers([source for source, _ in self.aggregation.amounts]),
            amount_slot=integers([slot for _, slot in self.aggregation.amounts]),
            group_source=group_source,
            group_slot=group_slot,
            pairs=np.array([_pairs(arm.room) for arm in self.arms]),
            buffer=NEVER if processor.buffer is None else processor.buffer,
            compare=processor.compare,
            output=processor.output,
        )

    def step_of(self, span: Span, begin: int) -> int:
        """The microseconds of a step of the time line."""
        return max(1, -(-(span.end - begin) // STEPS))

    def kernel_filters(self) -> Filters:
        """The conditions on arriving tuples and on rows."""
        return Filters.of(self.filters)

    def zero(self) -> ShedCounters:
        """Nothing counted yet."""
        arms, filters = len(self.arms), len(self.filters)
        aggregates = self.aggregation.shape
        return ShedCounters.zero(arms, self.sources + 1, filters, self.counted_keys, aggregates)

    def nothing_learned(self) -> Learned:
        """No choice was made, and no arrival seen."""
        arms = len(self.arms)
        keys = max(arm.codes for arm in self.arms) if self.policy == EXPECTED_GAIN else 0
        known, count, total, sums = (np.zeros((arms, n), np.int64) for n in (keys, keys, keys, 4))
        choices, survived = np.zeros(arms, np.int64), np.zeros(arms)
        # The processor was never busy.
        clock = np.full(1, -np.inf)
        return Learned(choices, survived, known, count, total, sums, clock)


def _pairs(room: int | None) -> float:
    """The logarithm of k^2 / (k^2 - 1) over that of the chance k / (k + 1) to survive a choice."""
    if room is None or room < 2:
        return 0.0
    return np.log1p(1 / (room**2 - 1)) / -np.log1p(1 / room)


def star_join(
    star: Star,
    query: Query,
    policy: str,
    codes: list[int],
    constants: Sequence[Sequence[float]],
    aggregation: Aggregation,
) -> StarJoin:
    """A star join without a bound: how it reaches the relation, and its filters."""
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
    filters = filter_rows(query, constants)
    return StarJoin(
        policy, arms, len(query.sources), star.relation_place, filters, aggregation=aggregation
    )
