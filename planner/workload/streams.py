"""Streams and relations: what arrives, how often, and what is known of its attributes."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal

from planner.errors import PlanError
from planner.workload.arrival_shapes import ArrivalTrace, Shape
from planner.workload.validation import (
    MAX_DISTINCT,
    MAX_RATE,
    later,
    listed,
    name_of,
    not_negative,
    number,
    share,
    whole,
)

Constant = str | int | float
MOST_IMPORTANCE = 1e6


@dataclass(frozen=True, slots=True)
class ImportanceOf:
    """An attribute whose value is the importance of another: rare values count most."""

    attribute: str
    order: Literal["inverse-frequency"] = "inverse-frequency"
    most: float = 1.0

    def __post_init__(self) -> None:
        name_of(self.attribute, "from")
        number(self.most, "max", most=MOST_IMPORTANCE)


@dataclass(frozen=True, slots=True)
class Attribute:
    """What is known of a column: how many distinct values, how they are spread, or the values.

    Generated values are 1..distinct; `zipf` is the exponent of a Zipf distribution (0: uniform).
    `distinct` is None for a column of a plain type whose statistics are not known. Where `values`
    are given they are all there are: they set `distinct` and `type`, and rank 1 is the first.
    """

    distinct: int | None = None
    zipf: float = 0.0
    values: tuple[Constant, ...] = ()
    type: Literal["integer", "float", "string"] = "integer"
    importance_of: ImportanceOf | None = None
    # The share of tuples without a value: they satisfy no condition on it.
    missing: float = 0.0

    def __post_init__(self) -> None:
        share(self.missing, "missing")
        if self.distinct is not None:
            whole(self.distinct, "distinct", MAX_DISTINCT)
        if not math.isfinite(self.zipf) or not 0 <= self.zipf <= 20:
            raise PlanError(f"must be from 0 to 20, got {self.zipf}", "distribution.zipf")
        if self.values:
            object.__setattr__(self, "type", _type_of(self.values))
            object.__setattr__(self, "distinct", len(self.values))


def _type_of(values: tuple[Constant, ...]) -> Literal["integer", "float", "string"]:
    if len(set(values)) < len(values):
        raise PlanError("a value occurs twice; list each once", "values")
    numbers = [value for value in values if not isinstance(value, str)]
    if not numbers:
        return "string"
    if len(numbers) < len(values) or not all(math.isfinite(value) for value in numbers):
        raise PlanError("must be all text or all finite numbers", "values")
    for value in numbers:
        if isinstance(value, int) and not -(2**63) <= value < 2**63:
            raise PlanError(f"{value} is beyond 64 bits; write it as text", "values")
    return "float" if any(isinstance(value, float) for value in numbers) else "integer"


@dataclass(frozen=True, slots=True)
class Arrivals:
    """How a stream's tuples are spread in time; `burst` is the mean burst size of `pareto`.

    `phase` says where in the gap between two regular tuples the first one comes: streams of one
    rate and one phase arrive together. None: at random, and each stream at its own time. `shape`
    says how the rate changes over time; plans are priced at the declared one.
    """

    kind: Literal["regular", "poisson", "pareto"] = "poisson"
    burst: float = 1.0
    phase: float | None = later(None)
    shape: Shape | None = later(None)  # noqa: RUF009

    def __post_init__(self) -> None:
        if self.kind == "pareto":
            number(self.burst, "arrivals.pareto.burst", above=1, most=1e6)
        if self.phase is not None and not 0 <= self.phase < 1:
            raise PlanError(
                f"must be from 0 to below 1, got {self.phase:g}: it is a share of the gap",
                "arrivals.regular.phase",
            )


@dataclass(frozen=True, slots=True)
class Stream:
    """An unbounded input. `rate` is None until it is inferred from the user's own data."""

    name: str
    rate: float | None
    attributes: Mapping[str, Attribute] = field(default_factory=dict)
    arrivals: Arrivals = Arrivals()
    tuple_bytes: int = 64
    importance: str | None = None

    def __post_init__(self) -> None:
        name_of(self.name, "name")
        shape = self.arrivals.shape
        if self.rate is None and isinstance(shape, ArrivalTrace):
            object.__setattr__(self, "rate", shape.mean)
        if self.rate is not None:
            number(self.rate, "rate", most=MAX_RATE)
        elif shape is not None:
            raise PlanError("is missing; its arrivals change with it", "rate")
        whole(self.tuple_bytes, "tuple_bytes")
        object.__setattr__(self, "attributes", MappingProxyType(dict(self.attributes)))
        if (
            self.importance is not None
            and self.attributes
            and self.importance not in self.attributes
        ):
            raise PlanError(
                f"{self.importance!r} is not an attribute of {self.name}; "
                f"it has {listed(self.attributes)}",
                "importance",
            )


@dataclass(frozen=True, slots=True)
class RelationChanges:
    """Rows a relation gains and loses per second."""

    inserts: float = 0.0
    deletes: float = 0.0

    def __post_init__(self) -> None:
        not_negative(self.inserts, "changes.inserts", most=MAX_RATE)
        not_negative(self.deletes, "changes.deletes", most=MAX_RATE)


@dataclass(frozen=True, slots=True)
class Relation:
    """A table that streams are joined with. Its rows never trigger a result by themselves.

    With `distinct_rows` no two generated rows that are active at once are equal.
    """

    name: str
    rows: int | None
    attributes: Mapping[str, Attribute] = field(default_factory=dict)
    changes: RelationChanges = RelationChanges()
    distinct_rows: bool = later(default=False)

    def __post_init__(self) -> None:
        name_of(self.name, "name")
        if self.rows is not None:
            whole(self.rows, "rows", least=0)
        object.__setattr__(self, "attributes", MappingProxyType(dict(self.attributes)))


def catalogue(sources: Iterable[Stream | Relation]) -> dict[str, tuple[str, ...]]:
    """The names of the attributes of each; none where they are left to be inferred."""
    return {source.name: tuple(source.attributes) for source in sources}
