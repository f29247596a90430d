"""The shape of a workload file: its keys and their types. Ranges are checked by the core types.

A part is a dataclass whose annotations say what each key holds; the first value that does not fit
is an error that names its place.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import MISSING, dataclass, field, fields
from functools import cache
from types import NoneType, UnionType
from typing import (
    Any,
    Literal,
    Self,
    Union,
    dataclass_transform,
    get_args,
    get_origin,
    get_type_hints,
)

from planner.errors import PlanError
from planner.workload.adapt import PolicyName
from planner.workload.execution import Access, Buckets, JoinMethod, Optimum
from planner.workload.validation import suggestion

# Where a value is in the file: keys, and places in lists.
Path = tuple[int | str, ...]
MOST_LETTERS = 60
# The types of a plain value, and what an error calls it. True and false are no numbers.
_PLAIN: dict[Any, tuple[tuple[type, ...], str]] = {
    str: ((str,), "text"),
    int: ((int,), "a whole number"),
    float: ((int, float), "a number"),
    bool: ((bool,), "true or false"),
}


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


def _read(shape: Any, value: Any, path: Path) -> Any:
    """The value, if it has this shape: a part, a list, a mapping, something plain, or a union."""
    options = get_args(shape) if get_origin(shape) in (Union, UnionType) else (shape,)
    if value is None and NoneType in options:
        return None
    mappings = [option for option in options if _is_mapping(option)]
    plain = [option for option in options if option not in (NoneType, *mappings)]
    if not mappings or (plain and not isinstance(value, dict)):
        return _read_plain(plain, value, path, or_mapping=bool(mappings))
    (mapping,) = mappings
    if get_origin(mapping) is not dict:
        return mapping.read(value, path)
    inner = get_args(mapping)[1]
    return {key: _read(inner, item, (*path, key)) for key, item in _items(value, path)}


def _is_mapping(shape: Any) -> bool:
    return get_origin(shape) is dict or (isinstance(shape, type) and issubclass(shape, FilePart))


def _items(value: Any, path: Path) -> Iterable[tuple[Any, Any]]:
    if not isinstance(value, dict):
        raise _wrong("a mapping (key: value)", value, path)
    return value.items()


def _read_plain(options: Sequence[Any], value: Any, path: Path, or_mapping: bool) -> Any:
    """A list, a word, or a value of one of these types."""
    first = options[0]
    if get_origin(first) is list:
        if not isinstance(value, list):
            raise _wrong("a list", value, path)
        inner = get_args(first)[0]
        return [_read(inner, item, (*path, place)) for place, item in enumerate(value)]
    if len(options) == 1 and get_origin(first) is Literal:
        return _read_word(get_args(first), value, path, or_mapping)
    expected = []
    for option in options:
        kinds, name = _PLAIN.get(option, ((), " or ".join(get_args(option))))
        fits = isinstance(value, kinds) and (option is bool or not isinstance(value, bool))
        if fits or value in get_args(option):
            return float(value) if options == [float] else value
        expected.append(name)
    raise _wrong(" or ".join(expected), value, path)


def _read_word(words: Sequence[Any], value: Any, path: Path, or_mapping: bool) -> Any:
    if isinstance(words[0], int):
        _read(int, value, path)
    if value not in words:
        *others, last = map(repr, words)
        expected = " or ".join(filter(None, [", ".join(others), last]))
        raise _wrong(f"{expected}{' or a mapping' if or_mapping else ''}", value, path)
    return value


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(field,))
class FilePart:
    """A mapping of the file. A key it does not know is an error that names the one meant.

    A field whose name Python keeps for itself has an underscore behind it, which its key has not.
    """

    def __init_subclass__(cls) -> None:
        """Every part is a dataclass."""
        dataclass(frozen=True, kw_only=True)(cls)

    @classmethod
    def read(cls, value: Any, path: Path = ()) -> Self:
        """The part that a value of the file describes."""
        part: Any = cls
        given, shapes = dict(_items(value, path)), _shapes(part)
        known = {own.name.rstrip("_"): own for own in fields(part)}
        for key in given:
            if key not in known:
                raise PlanError(f"unknown key{suggestion(str(key), known)}", _place((*path, key)))
        found = {}
        for key, own in known.items():
            if key in given:
                found[own.name] = _read(shapes[own.name], given[key], (*path, key))
            elif own.default is MISSING and own.default_factory is MISSING:
                raise PlanError("is missing; add it", _place((*path, key)))
        return cls(**found)


@cache
def _shapes(part: type[FilePart]) -> dict[str, Any]:
    return get_type_hints(part)


# --- the parts -----------------------------------------------------------------------------------


class ImportancePart(FilePart):
    """How importance is generated from another attribute."""

    from_: str
    order: Literal["inverse-frequency"] = "inverse-frequency"
    max_: float = 1.0


class ZipfPart(FilePart):
    """`distribution: {zipf: 1.0}`."""

    zipf: float


class AttributePart(FilePart):
    """What is known of an attribute."""

    distinct: int | None = None
    distribution: Literal["uniform"] | ZipfPart = "uniform"
    values: list[str | float] = field(default_factory=list)
    type: Literal["string", "integer", "float"] | None = None
    from_: str | None = None
    order: Literal["inverse-frequency"] = "inverse-frequency"
    max_: float = 1.0
    missing: float = 0.0


class BurstPart(FilePart):
    """`{burst: 3}`."""

    burst: float


class PhasePart(FilePart):
    """`{phase: 0}`; with a rate that changes, `{}` is at random, as `arrivals: regular` is."""

    phase: float | None = None


class DailyPart(FilePart):
    """`daily: {period: 3600, swing: 5}`."""

    period: float = 86_400.0
    swing: float = 5.0
    phase: float = 0.0


class RushPart(FilePart):
    """`burst: {factor: 10, at: 100, lasts: 60}`."""

    at: float
    lasts: float
    factor: float = 10.0
    every: float | None = None


class DriftPart(FilePart):
    """`drift: {to: 30, over: 200}`."""

    to: float
    over: float
    at: float = 0.0


class SwapPart(FilePart):
    """`swap: {with: S2, every: 100}`."""

    with_: str
    every: float


class TracePart(FilePart):
    """`trace: {times: [0, 60], rates: [1, 10], end: 120}`."""

    times: list[float]
    rates: list[float]
    end: float


class ArrivalsPart(FilePart):
    """`arrivals: {pareto: {burst: 3}}` or `{regular: {phase: 0}}`, and how the rate changes."""

    pareto: BurstPart | None = None
    regular: PhasePart | None = None
    daily: DailyPart | None = None
    burst: RushPart | None = None
    drift: DriftPart | None = None
    swap: SwapPart | None = None
    trace: str | TracePart | None = None


class StreamPart(FilePart):
    """A stream."""

    name: str
    rate: float | None = None
    arrivals: Literal["regular", "poisson"] | ArrivalsPart = "poisson"
    attributes: dict[str, AttributePart] = field(default_factory=dict)
    tuple_bytes: int | None = None
    importance: str | ImportancePart | None = None


class ChangesPart(FilePart):
    """Rows a relation gains and loses per second."""

    inserts: float = 0.0
    deletes: float = 0.0


class RelationPart(FilePart):
    """A relation."""

    name: str
    rows: int | None = None
    attributes: dict[str, AttributePart] = field(default_factory=dict)
    changes: ChangesPart = field(default_factory=ChangesPart)
    distinct_rows: bool = False


class QueryPart(FilePart):
    """A query: its text, its name unless it is called by its place, and how urgent it is."""

    name: str | None = None
    text: str
    weight: float = 1.0
    deadline: float | None = None


class EveryPart(FilePart):
    """`{every: 5}`: lazily, in seconds."""

    every: float


class SheddingPart(FilePart):
    """How tuples are shed."""

    alpha: float | None = None
    beta: float | None = None
    split: Literal["equal"] | dict[str, int] = "equal"
    prefilter: bool = True
    access: Access | dict[str, Access] = "index"
    optimum: Optimum = "flow"
    buffer: int = 100


class ExecutionPart(FilePart):
    """How the queries are executed."""

    join: JoinMethod | dict[str, JoinMethod] = "nested"
    buckets: Buckets | dict[str, Buckets] = "per-value"
    evaluate: Literal["eager"] | EveryPart = "eager"
    expire: Literal["eager"] | EveryPart = "eager"
    memory: int | None = None
    shedding: SheddingPart = field(default_factory=SheddingPart)
    unit_costs: dict[str, float] | None = None
    c_sys: float = 0.0
    ties: Literal["larger", "smaller"] = "larger"
    utilisation: float | None = None


class StatisticPart(FilePart):
    """What is declared of a predicate or filter."""

    selectivity: float | None = None
    cost: float = 1.0


class StatisticsPart(FilePart):
    """Declared statistics by the text of the predicate or filter."""

    predicates: dict[str, StatisticPart] = field(default_factory=dict)
    filters: dict[str, StatisticPart] = field(default_factory=dict)


class ChangePart(FilePart):
    """A change while a run goes on."""

    at: float
    add: QueryPart | None = None
    remove: str | None = None
    plan: str | None = None


class AdaptPart(FilePart):
    """How the plan of a run follows its tuples."""

    policy: PolicyName = "regret"
    every: float | None = None
    horizon: float = 60.0
    threshold: float = 0.2
    margin: float = 0.05


class RunPart(FilePart):
    """What a run covers."""

    seed: int = 7
    warmup: float | None = None
    duration: float = 300.0
    changes: list[ChangePart] = field(default_factory=list)
    adapt: AdaptPart | None = None


class WorkloadPart(FilePart):
    """The whole file."""

    version: Literal[1]
    name: str | None = None
    description: str = ""
    streams: list[StreamPart] = field(default_factory=list)
    relations: list[RelationPart] = field(default_factory=list)
    queries: list[QueryPart] = field(default_factory=list)
    execution: ExecutionPart = field(default_factory=ExecutionPart)
    statistics: StatisticsPart = field(default_factory=StatisticsPart)
    run: RunPart = field(default_factory=RunPart)
