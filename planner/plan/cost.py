"""What a plan costs and how well it answers: predicted and measured in one shape and unit."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

from planner.plan.expression import Expression
from planner.statistics.observed import BatchStatistics
from planner.time_limit import check


@dataclass(frozen=True, slots=True)
class Cost:
    """Work per second of stream time, and the tuples held (time-weighted mean). Additive."""

    comparisons: float = 0.0
    inserts: float = 0.0
    expirations: float = 0.0
    group_updates: float = 0.0
    rows_out: float = 0.0
    state_tuples: float = 0.0

    def __add__(self, other: Cost) -> Cost:
        # Field by field: rankings add up thousands of costs.
        return Cost(
            self.comparisons + other.comparisons,
            self.inserts + other.inserts,
            self.expirations + other.expirations,
            self.group_updates + other.group_updates,
            self.rows_out + other.rows_out,
            self.state_tuples + other.state_tuples,
        )

    @property
    def operations(self) -> float:
        """Comparisons, inserts and group updates together."""
        return self.comparisons + self.inserts + self.group_updates

    def as_dict(self) -> dict[str, float]:
        """By field name, in the order of the commands' JSON."""
        return {name: getattr(self, name) for name in COST_FIELDS}


COST_FIELDS: tuple[str, ...] = tuple(f.name for f in fields(Cost))
# Parts of a cost that are sums of others.
ADDED_UP = {"operations": ("comparisons", "inserts", "group_updates")}
# What each part of a cost counts, as it follows a number.
COST_UNITS = {
    "operations": "operations/s",
    "comparisons": "comparisons/s",
    "inserts": "inserts/s",
    "expirations": "expiry checks/s",
    "group_updates": "group updates/s",
    "rows_out": "rows/s",
    "state_tuples": "tuples held",
}


def with_unit(text: str, part: str) -> str:
    """A number with what it counts: `1 insert/s`, `2 inserts/s`, `1 tuple held`."""
    unit = COST_UNITS[part]
    if text == "1":
        unit = unit.replace("s/s", "/s").replace("tuples", "tuple")
    return f"{text} {unit}"


@dataclass(frozen=True, slots=True)
class Quality:
    """How well one query is answered. Not additive; None where it does not apply."""

    delay_ms: float | None = None
    delay_ms_max: float | None = None
    recall: float | None = None
    importance: float | None = None
    # How delays are spread over the query's results; until its window is scanned, per tuple; and
    # the delay that the query would have by itself.
    delay_ms_p50: float | None = None
    delay_ms_p95: float | None = None
    delay_ms_p99: float | None = None
    scan_delay_ms: float | None = None
    isolated_delay_ms: float | None = None

    def as_dict(self) -> dict[str, float | None]:
        """By field name, in the order of the commands' JSON.

        The first four are always there; of the others those that are known.
        """
        found = {f.name: getattr(self, f.name) for f in fields(self)}
        return {
            name: value
            for name, value in found.items()
            if value is not None or name in _ALWAYS_SAID
        }


_ALWAYS_SAID = ("delay_ms", "delay_ms_max", "recall", "importance")


@dataclass(frozen=True, slots=True)
class Formula:
    """Where a predicted number comes from: its expression, and the model that it belongs to."""

    field: str
    expression: Expression
    model: str

    @property
    def symbols(self) -> str:
        return self.expression.symbols

    @property
    def values(self) -> str:
        """LaTeX with the values filled in."""
        return self.expression.values

    @property
    def result(self) -> float:
        return self.expression.value


class Formulas(Mapping[str, tuple[Formula, ...]]):
    """The formulas of a plan by operator id: those of its costs first, then what others say.

    What other models say of the same figures is worked out when it is read, by `beside`.
    """

    def __init__(
        self,
        priced: Mapping[str, Sequence[Formula]],
        beside: Callable[[str], Iterable[Formula]] = lambda _: (),
    ) -> None:
        self._priced, self._beside = priced, beside

    def __getitem__(self, operator_id: str) -> tuple[Formula, ...]:
        own = self._priced[operator_id]
        fields = [formula.field for formula in own]
        every = (*own, *self._beside(operator_id))
        return tuple(sorted(every, key=lambda formula: fields.index(formula.field)))

    def __iter__(self) -> Iterator[str]:
        return iter(self._priced)

    def __len__(self) -> int:
        return len(self._priced)

    def costs(self) -> dict[str, Cost]:
        """The cost of every operator: what its formulas give."""
        return {name: cost_of(formulas) for name, formulas in self._priced.items()}


def cost_of(formulas: Iterable[Formula]) -> Cost:
    """The cost that these formulas give, one for each of its parts."""
    check()
    return Cost(**{formula.field: formula.result for formula in formulas})


@dataclass(frozen=True, slots=True)
class Estimate:
    """The predicted cost of every operator and quality of every query."""

    costs: Mapping[str, Cost]
    qualities: Mapping[str, Quality] = field(default_factory=dict)
    # They explain the costs, and are not compared.
    formulas: Mapping[str, tuple[Formula, ...]] = field(default_factory=dict, compare=False)


def models_behind(estimate: Estimate, field: str = "comparisons") -> tuple[str, ...]:
    """The models that the figures of this kind come from, each once.

    Other models of a figure stand behind its first formula: they are for comparison.
    """
    every = (estimate.formulas.get(operator_id, ()) for operator_id in estimate.costs)
    firsts = (next((f for f in formulas if f.field == field), None) for formulas in every)
    return tuple(dict.fromkeys(first.model for first in firsts if first is not None))


@dataclass(frozen=True, slots=True)
class Timings:
    """Seconds of a run: all of it, the engine's part, and inside kernels (summed over tasks).

    A run on Spark's own operators has no kernels. `start` is what a run waited for Spark and the
    kernels to be ready, which a first run does; None where that was not recorded.
    """

    total: float
    engine: float
    kernel: float | None
    start: float | None = None
    # Of the processor, for sketches of the tuples of a run that is watched and what follows from
    # them, and for the decisions of one that adapts.
    watch: float | None = None
    decide: float | None = None


@dataclass(frozen=True, slots=True)
class Measurement:
    """What a run counted, in the shape and units of `Estimate`, with its timings.

    `costs` is empty where the run was shorter than its warm-up: nothing was left to measure.
    `recomputations` are how often per second an aggregation looked for an extremum anew. `queues`
    says what a slice was given, females and males, and what a union merged, at most in a batch.
    `schedules` has by policy what that order of the same work means for the queries, and `shed`
    which tuples were not kept under a memory bound, as JSON has it. Of an interrupted run,
    `reached` is the stream time that was done: costs are over it, and there is no answer.
    """

    costs: Mapping[str, Cost]
    qualities: Mapping[str, Quality]
    timings: Timings
    rows: Mapping[str, int]
    results: Mapping[str, int]
    answers: Mapping[str, str]
    replicated_inserts: int = 0
    recomputations: Mapping[str, float] = field(default_factory=dict)
    queues: Mapping[str, int] = field(default_factory=dict)
    schedules: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    shed: Mapping[str, Any] = field(default_factory=dict)
    # Of a run on Spark's own operators, what Spark counted, as JSON has it: `cost` and `operators`
    # have those parts of a cost that Spark knows.
    spark: Mapping[str, Any] = field(default_factory=dict)
    reached: float | None = None
    # The statistics of a run's tuples, batch by batch, where they were watched.
    observed: tuple[BatchStatistics, ...] = ()
    # The work of moving at each switch of the plan, in all, by its time in microseconds.
    moved: Mapping[str, Cost] = field(default_factory=dict)


def total(costs: Mapping[str, Cost], roots: Iterable[str]) -> Cost:
    """A plan's cost: the sum over its operators, with the rows that leave its roots."""
    work = sum(costs.values(), Cost())
    return replace(work, rows_out=sum(costs[root].rows_out for root in roots))


def rounded(score: float) -> float:
    """A score to 12 significant digits: the last bits of a sum must not decide a tie."""
    return float(f"{score:.12g}")


# Within this q-error a prediction counts as met: shorter runs differ by as much from seed to seed.
MET = 1.05


def q_error(predicted: float | None, measured: float | None) -> float | None:
    """max(p/m, m/p): 1 when both are 0, None when just one is or either is not known.

    >>> q_error(50, 100), q_error(0, 0), q_error(0, 3)
    (2.0, 1.0, None)
    """
    if predicted is None or measured is None:
        return None
    if predicted == measured:
        return 1.0
    if predicted <= 0 or measured <= 0:
        return None
    ratio = predicted / measured
    return max(ratio, 1 / ratio) if math.isfinite(ratio) and ratio > 0 else None


@dataclass(frozen=True, slots=True)
class Units:
    """Seconds that operators of one kind take: per unit of their work, and per row they look at."""

    compare: float = 0.0
    insert: float = 0.0
    expire: float = 0.0
    group_update: float = 0.0
    output: float = 0.0
    given: float = 0.0

    def seconds(self, cost: Cost, given: float = 0.0) -> float:
        return (
            cost.comparisons * self.compare
            + cost.inserts * self.insert
            + cost.expirations * self.expire
            + cost.group_updates * self.group_update
            + cost.rows_out * self.output
            + given * self.given
        )


UNIT_FIELDS: tuple[str, ...] = tuple(f.name for f in fields(Units))


@dataclass(frozen=True, slots=True)
class UnitCosts:
    """Seconds per unit of work by kind of operator; `source` says where they come from.

    A kind names its kernel, the operator's kind and how it looks tuples up
    (`planner/seconds/kernel_work.py`). What is not distinguished takes `default`.
    """

    default: Units
    source: str
    kinds: Mapping[str, Units] = field(default_factory=dict)

    def of(self, kind: str) -> Units:
        return self.kinds.get(kind, self.default)

    def seconds(self, kind: str, cost: Cost, given: float = 0.0) -> float:
        """The seconds that one operator's work takes per second of stream time."""
        return self.of(kind).seconds(cost, given)
