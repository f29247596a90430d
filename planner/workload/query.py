"""A continuous query: windows over sources, predicates between them, filters and aggregates."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import reduce
from typing import Any, Literal

from planner.errors import PlanError
from planner.workload.streams import Constant
from planner.workload.validation import (
    MAX_SECONDS,
    MAX_STREAMS,
    exact,
    later,
    listed,
    microseconds,
    name_of,
    number,
    unique,
    whole,
)

Comparison = Literal["=", "<>", "<", "<=", ">", ">="]
# The same with its sides swapped.
FLIPPED: Mapping[Comparison, Comparison] = {
    "=": "=", "<>": "<>", "<": ">", "<=": ">=", ">": "<", ">=": "<=",
}  # fmt: skip
# What each does with two values, or with two arrays of them.
COMPARE: Mapping[Comparison, Callable[[Any, Any], Any]] = {
    "=": operator.eq,
    "<>": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
COMPARISONS: tuple[Comparison, ...] = tuple(COMPARE)

# Of a query beside others.
MOST_WEIGHT = 1e9
# Constants of an IN.
MOST_ALTERNATIVES = 100

# --- windows -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Seconds:
    seconds: float

    def __post_init__(self) -> None:
        number(self.seconds, "window", most=MAX_SECONDS)
        if microseconds(self.seconds) < 1:
            raise PlanError(f"must be a microsecond or longer, got {self.seconds} s", "window")


@dataclass(frozen=True, slots=True)
class TimeWindow(_Seconds):
    """The tuples u with 0 <= k.ts - u.ts < seconds, when k arrives."""

    def __str__(self) -> str:
        return f"RANGE {exact(self.seconds)}"


@dataclass(frozen=True, slots=True)
class CountWindow:
    """The `rows` most recent tuples that arrived before k."""

    rows: int

    def __post_init__(self) -> None:
        whole(self.rows, "window")

    def __str__(self) -> str:
        return f"ROWS {self.rows}"


@dataclass(frozen=True, slots=True)
class TumblingWindow(_Seconds):
    """The tuples of k's block [j*seconds, (j+1)*seconds) that arrived before k."""

    def __str__(self) -> str:
        return f"TUMBLING {exact(self.seconds)}"


@dataclass(frozen=True, slots=True)
class LandmarkWindow:
    """All tuples that arrived before k. It has no steady state."""

    def __str__(self) -> str:
        return "LANDMARK"


Window = TimeWindow | CountWindow | TumblingWindow | LandmarkWindow


# --- queries -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, order=True)
class Column:
    """An attribute of a source, by the source's alias."""

    alias: str
    attribute: str

    def __str__(self) -> str:
        return f"{self.alias}.{self.attribute}"


@dataclass(frozen=True, slots=True)
class Source:
    """A stream or relation of FROM, under its alias. A relation has no window.

    `crossed` says that CROSS JOIN was written before it: it needs no predicate.
    """

    alias: str
    name: str
    window: Window | None
    crossed: bool = False


@dataclass(frozen=True, slots=True)
class Predicate:
    """A join predicate `left comparison right + offset`; `offset` serves bands."""

    left: Column
    comparison: Comparison
    right: Column
    offset: float = 0.0

    def __str__(self) -> str:
        return f"{self.left} {self.comparison} {self.right}{self.shift}"

    @property
    def is_equality(self) -> bool:
        return self.comparison == "=" and not self.offset

    @property
    def flipped(self) -> Predicate:
        """The same with its sides swapped."""
        return Predicate(self.right, FLIPPED[self.comparison], self.left, -self.offset or 0.0)

    @property
    def shift(self) -> str:
        """The offset as text: ` + 5`, ` - 2`, or nothing."""
        if not self.offset:
            return ""
        return f" {'+' if self.offset > 0 else '-'} {exact(abs(self.offset))}"


@dataclass(frozen=True, slots=True)
class Filter:
    """A predicate of one source: an attribute against a constant.

    With `=` there may be several constants, in order and each once: the value is one of them (IN).
    """

    column: Column
    comparison: Comparison
    constant: Constant | tuple[Constant, ...]

    def __post_init__(self) -> None:
        if not isinstance(self.constant, tuple):
            return
        if self.comparison != "=" or not self.constant:
            raise PlanError("several constants are compared with = alone, and one is needed")
        if len({isinstance(constant, str) for constant in self.constant}) > 1:
            raise PlanError("must list all text or all numbers")
        different = tuple(sorted(set(self.constant)))
        if len(different) > MOST_ALTERNATIVES:
            raise PlanError(f"lists {len(different)} constants; at most {MOST_ALTERNATIVES}")
        object.__setattr__(self, "constant", different if len(different) > 1 else different[0])

    def __str__(self) -> str:
        return f"{self.column} {self.sign} {self.operand}"

    @property
    def constants(self) -> tuple[Constant, ...]:
        """All of them: one, unless the filter is an IN."""
        return self.constant if isinstance(self.constant, tuple) else (self.constant,)

    @property
    def is_text(self) -> bool:
        """Whether the attribute is compared with text."""
        return isinstance(self.constants[0], str)

    @property
    def sign(self) -> str:
        """The comparison as it is written in a query."""
        return "IN" if isinstance(self.constant, tuple) else self.comparison

    @property
    def operand(self) -> str:
        """What it is compared with, as it is written in a query: 50, 'Toronto', (1, 2)."""
        texts = ", ".join(map(_written, self.constants))
        return f"({texts})" if isinstance(self.constant, tuple) else texts

    def holds(self, values: Any) -> Any:
        """Whether a value satisfies it, or which values of an array do."""
        compare = COMPARE[self.comparison]
        return reduce(operator.or_, (compare(values, constant) for constant in self.constants))


def _written(constant: Constant) -> str:
    if isinstance(constant, str):
        return "'" + constant.replace("'", "''") + "'"
    return exact(constant)


@dataclass(frozen=True, slots=True)
class Aggregate:
    """One aggregate of SELECT. `column` is None for COUNT(*); `alias` alone is COUNT(b.*)."""

    function: Literal["count", "sum", "avg", "min", "max"]
    column: Column | None = None
    alias: str | None = None
    distinct: bool = False
    name: str = ""

    def __post_init__(self) -> None:
        if not self.name:
            object.__setattr__(self, "name", self.default_name())

    def default_name(self) -> str:
        """The column's name where the query gives none: `count(*)`, `sum(S1.x)`."""
        if self.column is not None:
            inside = str(self.column)
        else:
            inside = f"{self.alias}.*" if self.alias else "*"
        return f"{self.function}({'distinct ' if self.distinct else ''}{inside})"


@dataclass(frozen=True, slots=True)
class Query:
    """A continuous query: windows over sources, predicates between them, filters, aggregates.

    `weight` is how much its delay counts beside that of others, `deadline` the seconds within which
    its results are wanted.
    """

    name: str
    sources: tuple[Source, ...]
    predicates: tuple[Predicate, ...] = ()
    filters: tuple[Filter, ...] = ()
    group_by: tuple[Column, ...] = ()
    aggregates: tuple[Aggregate, ...] = ()
    text: str = field(default="", compare=False)
    weight: float = later(1.0)
    deadline: float | None = later(None)

    def __post_init__(self) -> None:
        name_of(self.name, "name")
        number(self.weight, "weight", most=MOST_WEIGHT)
        if self.deadline is not None:
            number(self.deadline, "deadline", most=MAX_SECONDS)
        if not self.sources:
            raise PlanError("has no source; name at least one stream after FROM", self.name)
        if len(self.sources) > MAX_STREAMS:
            raise PlanError(f"{len(self.sources)} sources; at most {MAX_STREAMS}", self.name)
        unique((source.alias for source in self.sources), f"{self.name}: aliases")

    def source(self, alias: str) -> Source:
        for source in self.sources:
            if source.alias == alias:
                return source
        raise PlanError(
            f"has no source {alias!r}; it has {listed(s.alias for s in self.sources)}", self.name
        )

    def equality_classes(self) -> tuple[frozenset[Column], ...]:
        """The attributes linked by `=`, closed transitively, in the order they are written."""
        return linked_columns(p for p in self.predicates if p.is_equality)


def linked_columns(predicates: Iterable[Predicate]) -> tuple[frozenset[Column], ...]:
    """The columns that these predicates compare, directly or through others, by who meets whom."""
    classes: list[set[Column]] = []
    for predicate in predicates:
        linked = [c for c in classes if predicate.left in c or predicate.right in c]
        merged = {predicate.left, predicate.right}.union(*linked)
        classes = [c for c in classes if c not in linked] + [merged]
    return tuple(frozenset(c) for c in classes)


def common_block(query: Query) -> int:
    """The length in microseconds of tumbling windows that end together; 0 where they do not."""
    windows = {source.window for source in query.sources if source.window is not None}
    if len(windows) != 1:
        return 0
    (window,) = windows
    return microseconds(window.seconds) if isinstance(window, TumblingWindow) else 0
