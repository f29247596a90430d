"""How a workload is executed and run: join methods, laziness, declared statistics, seed, span."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeVar

from planner.errors import PlanError
from planner.workload.adapt import Adapt
from planner.workload.query import Query, Source
from planner.workload.validation import (
    MAX_BUCKETS,
    MAX_SECONDS,
    later,
    listed,
    microseconds,
    not_negative,
    number,
    share,
    whole,
)

T = TypeVar("T")

JoinMethod = Literal["nested", "hash"]
Buckets = int | Literal["per-value"]
# How the rows of a star join's relation are found.
Access = Literal["scan", "search", "index", "hash"]
# Work of a hundred seconds per second: beyond that a percentage was meant.
MOST_UTILISATION = 100
Optimum = Literal["flow", "states"]
UNITS = ("compare", "insert", "expire", "group_update", "output")


@dataclass(frozen=True, slots=True)
class Every:
    """Lazy: not at each arrival but every `seconds` of stream time."""

    seconds: float

    def __post_init__(self) -> None:
        number(self.seconds, "every", most=MAX_SECONDS)
        if microseconds(self.seconds) < 1:
            raise PlanError(f"must be a microsecond or longer, got {self.seconds} s", "every")


@dataclass(frozen=True, slots=True)
class Shedding:
    """How a star join sheds tuples under a memory bound, and how it reaches its relation."""

    alpha: float | None = None
    beta: float | None = None
    split: Literal["equal"] | Mapping[str, int] = "equal"
    prefilter: bool = True
    access: Access | Mapping[str, Access] = later("index")  # noqa: RUF009
    # How the best tuples to keep are found, where all are known: both ways find the same.
    optimum: Optimum = later("flow")  # noqa: RUF009
    # Where a utilisation is stated: how many tuples may wait for the processor.
    buffer: int = later(100)

    def __post_init__(self) -> None:
        if self.alpha is not None:
            # It is divided by.
            number(self.alpha, "alpha", most=1e12)
        if self.beta is not None:
            not_negative(self.beta, "beta", most=1e12)
        if not isinstance(self.split, str):
            for stream, tuples in self.split.items():
                whole(tuples, f"split.{stream}", least=0)
        whole(self.buffer, "buffer")

    def access_of(self, source: Source) -> Access:
        """How tuples of this source find rows of the relation; what a mapping leaves out, index."""
        return self.access if isinstance(self.access, str) else _given(self.access, source, "index")


@dataclass(frozen=True, slots=True)
class Execution:
    """How joins are evaluated. A mapping gives one value per source alias (or stream)."""

    join: JoinMethod | Mapping[str, JoinMethod] = "nested"
    buckets: Buckets | Mapping[str, Buckets] = "per-value"
    evaluate: Literal["eager"] | Every = "eager"
    expire: Literal["eager"] | Every = "eager"
    memory: int | None = None
    shedding: Shedding = Shedding()
    unit_costs: Mapping[str, float] | None = None
    c_sys: float = 0.0
    ties: Literal["larger", "smaller"] = "larger"
    # The load of the server on the clock of work: unit costs are scaled to it.
    utilisation: float | None = later(None)

    def __post_init__(self) -> None:
        if self.utilisation is not None:
            number(self.utilisation, "utilisation")
            if self.utilisation >= MOST_UTILISATION:
                raise PlanError(
                    f"must be below {MOST_UTILISATION}, got {self.utilisation:g}; it is a share, "
                    "0.7 for 70%",
                    "utilisation",
                )
        buckets = self.buckets if isinstance(self.buckets, Mapping) else {"": self.buckets}
        for source, count in buckets.items():
            if count != "per-value":
                whole(count, f"buckets.{source}" if source else "buckets", MAX_BUCKETS)
        if self.memory is not None:
            whole(self.memory, "memory")
        not_negative(self.c_sys, "c_sys", most=1e12)
        for unit, seconds in (self.unit_costs or {}).items():
            if unit not in UNITS:
                raise PlanError(f"no such unit; there are {listed(UNITS)}", f"unit_costs.{unit}")
            not_negative(seconds, f"unit_costs.{unit}", most=1e6)

    def method(self, source: Source) -> JoinMethod:
        """How this source's window is probed; what a mapping leaves out is nested."""
        return self.join if isinstance(self.join, str) else _given(self.join, source, "nested")

    def bucket_count(self, source: Source) -> Buckets:
        """How many buckets this source's window has: 1 where it is scanned whole."""
        return 1 if self.method(source) == "nested" else self.declared_buckets(source)

    def declared_buckets(self, source: Source) -> Buckets:
        """The buckets that are declared for this source, however its window is probed."""
        if isinstance(self.buckets, Mapping):
            return _given(self.buckets, source, "per-value")
        return self.buckets


def _given(values: Mapping[str, T], source: Source, default: T) -> T:
    return values.get(source.alias, values.get(source.name, default))


@dataclass(frozen=True, slots=True)
class Change:
    """A change while a run goes on: a query enters or leaves, or the plan changes."""

    at: float
    add: Query | None = None
    remove: str | None = None
    plan: str | None = None

    def __post_init__(self) -> None:
        not_negative(self.at, "at", most=MAX_SECONDS)
        if sum(value is not None for value in (self.add, self.remove, self.plan)) != 1:
            raise PlanError("must have one of add, remove and plan")


@dataclass(frozen=True, slots=True)
class RunSettings:
    """What a run covers: [0, warmup + duration) of stream time. No warm-up: the longest window."""

    seed: int = 7
    warmup: float | None = None
    duration: float = 300.0
    changes: tuple[Change, ...] = ()
    # Whether its plan follows its tuples; None: it stays as it is.
    adapt: Adapt | None = later(None)  # noqa: RUF009

    def __post_init__(self) -> None:
        whole(self.seed, "run.seed", most=2**63 - 1, least=0)
        number(self.duration, "run.duration", most=MAX_SECONDS)
        if self.warmup is not None:
            not_negative(self.warmup, "run.warmup", most=MAX_SECONDS)


@dataclass(frozen=True, slots=True)
class DeclaredStatistic:
    """What the user says of a predicate or filter; None is worked out."""

    selectivity: float | None = None
    cost: float = 1.0

    def __post_init__(self) -> None:
        if self.selectivity is not None:
            share(self.selectivity, "selectivity")
        number(self.cost, "cost", most=1e9)


@dataclass(frozen=True, slots=True)
class Statistics:
    """Declared statistics by normalised text: `S1.attr = S2.attr`, `Q1: A.v > 50`."""

    predicates: Mapping[str, DeclaredStatistic] = field(default_factory=dict)
    filters: Mapping[str, DeclaredStatistic] = field(default_factory=dict)
