# ruff: noqa: RUF009 - `_key` describes a field of a dataclass, as `field` does
"""The shape of a workload file: its keys and their types. Ranges are checked by the core types.

A part is a dataclass whose fields say how each key is read; the first value that does not fit is
an error that names its place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import MISSING, dataclass, field, fields
from typing import Any, Literal, Self, TypeVar

from planner.errors import PlanError
from planner.workload.validation import suggestion

T = TypeVar("T")
# Where a value is in the file: keys, and places in lists.
Path = tuple[int | str, ...]
Read = Callable[[Any, Path], T]
MOST_LETTERS = 60


def _wrong(expected: str, value: Any, path: Path) -> PlanError:
    got = repr(value)
    shown = got if len(got) <= MOST_LETTERS else f"{got[:MOST_LETTERS]}..."
    return PlanError(f"must be {expected}, got {shown}", _place(path))


def _place(path: Path) -> str:
    """`("streams", 2, "rate")` as `streams[2].rate`."""
    place = ""
    for step in path:
        place += f"[{step}]" if isinstance(step, int) else f".{step}" if place else str(step)
    return place


# --- how values are read -------------------------------------------------------------------------


def _is_a(value: Any, kinds: type | tuple[type, ...]) -> bool:
    """Whether it is of these types; true and false are no numbers."""
    return isinstance(value, kinds) and not isinstance(value, bool)


def _text(value: Any, path: Path) -> str:
    if not isinstance(value, str):
        raise _wrong("text", value, path)
    return value


def _whole(value: Any, path: Path) -> int:
    if not _is_a(value, int):
        raise _wrong("a whole number", value, path)
    return int(value)


def _number(value: Any, path: Path) -> float:
    if not _is_a(value, (int, float)):
        raise _wrong("a number", value, path)
    try:
        return float(value)
    except OverflowError:
        raise _wrong("a number", value, path) from None


def _flag(value: Any, path: Path) -> bool:
    if not isinstance(value, bool):
        raise _wrong("true or false", value, path)
    return value


def _scalar(value: Any, path: Path) -> str | int | float:
    if not _is_a(value, (str, int, float)):
        raise _wrong("text or a number", value, path)
    found: str | int | float = value
    return found


def _buckets(value: Any, path: Path) -> Any:
    if not _is_a(value, int) and value != "per-value":
        raise _wrong("a whole number or per-value", value, path)
    return value


def _version(value: Any, path: Path) -> int:
    if _whole(value, path) != 1:
        raise _wrong("1", value, path)
    return 1


def _word(*words: str, beside: str = "") -> Read[Any]:
    """One of these words; `beside` says what else is read in its place."""
    quoted = [f"'{word}'" for word in words]
    expected = " or ".join(filter(None, [", ".join(quoted[:-1]), quoted[-1]])) + beside

    def read(value: Any, path: Path) -> Any:
        if not (isinstance(value, str) and value in words):
            raise _wrong(expected, value, path)
        return value

    return read


def _or_none(read: Read[T]) -> Read[T | None]:
    return lambda value, path: None if value is None else read(value, path)


def _list(read: Read[T]) -> Read[list[T]]:
    def every(value: Any, path: Path) -> list[T]:
        if not isinstance(value, list):
            raise _wrong("a list", value, path)
        return [read(item, (*path, place)) for place, item in enumerate(value)]

    return every


def _mapping(read: Read[T]) -> Read[dict[str, T]]:
    def every(value: Any, path: Path) -> dict[str, T]:
        found = {}
        for key, item in _items(value, path):
            name = _text(key, (*path, key, "[key]"))
            found[name] = read(item, (*path, key))
        return found

    return every


def _items(value: Any, path: Path) -> Iterable[tuple[Any, Any]]:
    if not isinstance(value, dict):
        raise _wrong("a mapping (key: value)", value, path)
    return value.items()


def _by_shape(word: Read[Any], mapping: Read[Any]) -> Read[Any]:
    """A word, or a mapping in its place."""
    return lambda value, path: (mapping if isinstance(value, dict) else word)(value, path)


def _key(read: Read[Any], default: Any = MISSING, name: str | None = None) -> Any:
    """How a field is read; a default that is a type is made anew. `name` is its key in the file."""
    about = {"read": read, "key": name}
    if isinstance(default, type):
        return field(default_factory=default, metadata=about)
    return field(default=default, metadata=about)


@dataclass(frozen=True, kw_only=True)
class Part:
    """A mapping of the file. A key it does not know is an error that names the one meant."""

    @classmethod
    def read(cls, value: Any, path: Path = ()) -> Self:
        """The part that a value of the file describes."""
        given = dict(_items(value, path))
        known = {own.metadata["key"] or own.name: own for own in fields(cls)}
        for key in given:
            if key not in known:
                raise PlanError(f"unknown key{suggestion(str(key), known)}", _place((*path, key)))
        found = {}
        for key, own in known.items():
            if key in given:
                found[own.name] = own.metadata["read"](given[key], (*path, key))
            elif own.default is MISSING and own.default_factory is MISSING:
                raise PlanError("is missing; add it", _place((*path, key)))
        return cls(**found)


# --- the parts -----------------------------------------------------------------------------------

_OR_MAPPING = " or a mapping"


@dataclass(frozen=True, kw_only=True)
class Zipf(Part):
    """`distribution: {zipf: 1.0}`."""

    zipf: float = _key(_number)


@dataclass(frozen=True, kw_only=True)
class AttributePart(Part):
    """What is known of an attribute."""

    distinct: int | None = _key(_or_none(_whole), None)
    distribution: Literal["uniform"] | Zipf = _key(
        _by_shape(_word("uniform", beside=_OR_MAPPING), Zipf.read), "uniform"
    )
    values: list[str | int | float] = _key(_list(_scalar), list)
    type: Literal["string", "integer", "float"] | None = _key(
        _or_none(_word("string", "integer", "float")), None
    )
    source: str | None = _key(_or_none(_text), None, "from")
    order: Literal["inverse-frequency"] = _key(_word("inverse-frequency"), "inverse-frequency")
    most: float = _key(_number, 1.0, "max")
    missing: float = _key(_number, 0.0)


@dataclass(frozen=True, kw_only=True)
class ImportancePart(Part):
    """How importance is generated from another attribute."""

    source: str = _key(_text, name="from")
    order: Literal["inverse-frequency"] = _key(_word("inverse-frequency"), "inverse-frequency")
    most: float = _key(_number, 1.0, "max")


@dataclass(frozen=True, kw_only=True)
class Burst(Part):
    """`{burst: 3}`."""

    burst: float = _key(_number)


@dataclass(frozen=True, kw_only=True)
class Pareto(Part):
    """`arrivals: {pareto: {burst: 3}}`."""

    pareto: Burst = _key(Burst.read)


@dataclass(frozen=True, kw_only=True)
class StreamPart(Part):
    """A stream."""

    name: str = _key(_text)
    rate: float | None = _key(_or_none(_number), None)
    arrivals: Literal["regular", "poisson"] | Pareto = _key(
        _by_shape(_word("regular", "poisson", beside=_OR_MAPPING), Pareto.read), "poisson"
    )
    attributes: dict[str, AttributePart] = _key(_mapping(AttributePart.read), dict)
    tuple_bytes: int | None = _key(_or_none(_whole), None)
    importance: str | ImportancePart | None = _key(
        _or_none(_by_shape(_text, ImportancePart.read)), None
    )


@dataclass(frozen=True, kw_only=True)
class ChangesPart(Part):
    """Rows a relation gains and loses per second."""

    inserts: float = _key(_number, 0.0)
    deletes: float = _key(_number, 0.0)


@dataclass(frozen=True, kw_only=True)
class RelationPart(Part):
    """A relation."""

    name: str = _key(_text)
    rows: int | None = _key(_or_none(_whole), None)
    attributes: dict[str, AttributePart] = _key(_mapping(AttributePart.read), dict)
    changes: ChangesPart = _key(ChangesPart.read, ChangesPart)


@dataclass(frozen=True, kw_only=True)
class QueryPart(Part):
    """A query: its text, its name unless it is called by its place, and how urgent it is."""

    name: str | None = _key(_or_none(_text), None)
    text: str = _key(_text)
    weight: float = _key(_number, 1.0)
    deadline: float | None = _key(_or_none(_number), None)


@dataclass(frozen=True, kw_only=True)
class EveryPart(Part):
    """`{every: 5}`: lazily, in seconds."""

    every: float = _key(_number)


@dataclass(frozen=True, kw_only=True)
class SheddingPart(Part):
    """How tuples are shed."""

    alpha: float | None = _key(_or_none(_number), None)
    beta: float | None = _key(_or_none(_number), None)
    split: Literal["equal"] | dict[str, int] = _key(
        _by_shape(_word("equal", beside=_OR_MAPPING), _mapping(_whole)), "equal"
    )
    prefilter: bool = _key(_flag, True)


Eagerness = Literal["eager"] | EveryPart
_eagerness = _by_shape(_word("eager", beside=_OR_MAPPING), EveryPart.read)
JoinMethod = Literal["nested", "hash"]


@dataclass(frozen=True, kw_only=True)
class ExecutionPart(Part):
    """How the queries are executed."""

    join: JoinMethod | dict[str, JoinMethod] = _key(
        _by_shape(_word("nested", "hash", beside=_OR_MAPPING), _mapping(_word("nested", "hash"))),
        "nested",
    )
    buckets: Any = _key(_by_shape(_buckets, _mapping(_buckets)), "per-value")
    evaluate: Eagerness = _key(_eagerness, "eager")
    expire: Eagerness = _key(_eagerness, "eager")
    memory: int | None = _key(_or_none(_whole), None)
    shedding: SheddingPart = _key(SheddingPart.read, SheddingPart)
    unit_costs: dict[str, float] | None = _key(_or_none(_mapping(_number)), None)
    c_sys: float = _key(_number, 0.0)
    ties: Literal["larger", "smaller"] = _key(_word("larger", "smaller"), "larger")
    utilisation: float | None = _key(_or_none(_number), None)


@dataclass(frozen=True, kw_only=True)
class StatisticPart(Part):
    """What is declared of a predicate or filter."""

    selectivity: float | None = _key(_or_none(_number), None)
    cost: float = _key(_number, 1.0)


@dataclass(frozen=True, kw_only=True)
class StatisticsPart(Part):
    """Declared statistics by the text of the predicate or filter."""

    predicates: dict[str, StatisticPart] = _key(_mapping(StatisticPart.read), dict)
    filters: dict[str, StatisticPart] = _key(_mapping(StatisticPart.read), dict)


@dataclass(frozen=True, kw_only=True)
class ChangePart(Part):
    """A change while a run goes on."""

    at: float = _key(_number)
    add: QueryPart | None = _key(_or_none(QueryPart.read), None)
    remove: str | None = _key(_or_none(_text), None)
    plan: str | None = _key(_or_none(_text), None)


@dataclass(frozen=True, kw_only=True)
class RunPart(Part):
    """What a run covers."""

    seed: int = _key(_whole, 7)
    warmup: float | None = _key(_or_none(_number), None)
    duration: float = _key(_number, 300.0)
    changes: list[ChangePart] = _key(_list(ChangePart.read), list)


@dataclass(frozen=True, kw_only=True)
class WorkloadPart(Part):
    """The whole file."""

    version: int = _key(_version)
    name: str | None = _key(_or_none(_text), None)
    description: str = _key(_text, "")
    streams: list[StreamPart] = _key(_list(StreamPart.read), list)
    relations: list[RelationPart] = _key(_list(RelationPart.read), list)
    queries: list[QueryPart] = _key(_list(QueryPart.read), list)
    execution: ExecutionPart = _key(ExecutionPart.read, ExecutionPart)
    statistics: StatisticsPart = _key(StatisticsPart.read, StatisticsPart)
    run: RunPart = _key(RunPart.read, RunPart)
