"""The shape of a workload file: its keys and their types. Ranges are checked by the core types."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any, Literal

from pydantic import (
    BaseModel,
    ConfigDict,
    Discriminator,
    Field,
    PlainValidator,
    Tag,
    model_validator,
)
from pydantic_core import PydanticCustomError

from planner.workload.validation import suggestion

# Names of the two sides of a union, which pydantic puts into an error's place.
WORD, MAPPING = "(word)", "(mapping)"


def _side(value: Any) -> str:
    return MAPPING if isinstance(value, dict) else WORD


BY_SHAPE = Discriminator(_side)


def _plain(value: Any, *, of: tuple[type, ...], word: str | None, expected: str) -> Any:
    if (isinstance(value, of) and not isinstance(value, bool)) or (word and value == word):
        return value
    raise PydanticCustomError(
        "plain", "must be {expected}, got {got}", {"expected": expected, "got": repr(value)}
    )


Scalar = Annotated[
    Any,
    PlainValidator(partial(_plain, of=(str, int, float), word=None, expected="text or a number")),
]
BucketCount = Annotated[
    Any,
    PlainValidator(
        partial(_plain, of=(int,), word="per-value", expected="a whole number or per-value")
    ),
]


class Part(BaseModel):
    """A mapping of the file. A key it does not know is an error that names the one meant."""

    model_config = ConfigDict(strict=True, populate_by_name=False)

    @model_validator(mode="before")
    @classmethod
    def _known_keys(cls, value: Any) -> Any:
        known = [field.alias or name for name, field in cls.model_fields.items()]
        for key in value if isinstance(value, dict) else ():
            if key not in known:
                raise PydanticCustomError(
                    "unknown_key",
                    "{message}",
                    {"key": key, "message": f"unknown key{suggestion(key, known)}"},
                )
        return value


class Zipf(Part):
    """`distribution: {zipf: 1.0}`."""

    zipf: float


class AttributePart(Part):
    """What is known of an attribute."""

    distinct: int | None = None
    distribution: Annotated[
        Annotated[Literal["uniform"], Tag(WORD)] | Annotated[Zipf, Tag(MAPPING)], BY_SHAPE
    ] = "uniform"
    values: list[Scalar] = []
    type: Literal["string", "integer", "float"] | None = None
    source: str | None = Field(None, alias="from")
    order: Literal["inverse-frequency"] = "inverse-frequency"
    most: float = Field(1.0, alias="max")
    missing: float = 0.0


class ImportancePart(Part):
    """How importance is generated from another attribute."""

    source: str = Field(alias="from")
    order: Literal["inverse-frequency"] = "inverse-frequency"
    most: float = Field(1.0, alias="max")


class Burst(Part):
    """`{burst: 3}`."""

    burst: float


class Pareto(Part):
    """`arrivals: {pareto: {burst: 3}}`."""

    pareto: Burst


class StreamPart(Part):
    """A stream."""

    name: str
    rate: float | None = None
    arrivals: Annotated[
        Annotated[Literal["regular", "poisson"], Tag(WORD)] | Annotated[Pareto, Tag(MAPPING)],
        BY_SHAPE,
    ] = "poisson"
    attributes: dict[str, AttributePart] = {}
    tuple_bytes: int | None = None
    importance: (
        Annotated[Annotated[str, Tag(WORD)] | Annotated[ImportancePart, Tag(MAPPING)], BY_SHAPE]
        | None
    ) = None


class ChangesPart(Part):
    """Rows a relation gains and loses per second."""

    inserts: float = 0.0
    deletes: float = 0.0


class RelationPart(Part):
    """A relation."""

    name: str
    rows: int | None = None
    attributes: dict[str, AttributePart] = {}
    changes: ChangesPart = ChangesPart()


class QueryPart(Part):
    """A query: its text, and its name unless it is called by its place."""

    name: str | None = None
    text: str


class EveryPart(Part):
    """`{every: 5}`: lazily, in seconds."""

    every: float


class SheddingPart(Part):
    """How tuples are shed."""

    alpha: float | None = None
    beta: float | None = None
    split: Annotated[
        Annotated[Literal["equal"], Tag(WORD)] | Annotated[dict[str, int], Tag(MAPPING)], BY_SHAPE
    ] = "equal"
    prefilter: bool = True


Eagerness = Annotated[
    Annotated[Literal["eager"], Tag(WORD)] | Annotated[EveryPart, Tag(MAPPING)], BY_SHAPE
]


class ExecutionPart(Part):
    """How the queries are executed."""

    join: Annotated[
        Annotated[Literal["nested", "hash"], Tag(WORD)]
        | Annotated[dict[str, Literal["nested", "hash"]], Tag(MAPPING)],
        BY_SHAPE,
    ] = "nested"
    buckets: Annotated[
        Annotated[BucketCount, Tag(WORD)] | Annotated[dict[str, BucketCount], Tag(MAPPING)],
        BY_SHAPE,
    ] = "per-value"
    evaluate: Eagerness = "eager"
    expire: Eagerness = "eager"
    memory: int | None = None
    shedding: SheddingPart = SheddingPart()
    unit_costs: dict[str, float] | None = None
    c_sys: float = 0.0
    ties: Literal["larger", "smaller"] = "larger"


class StatisticPart(Part):
    """What is declared of a predicate or filter."""

    selectivity: float | None = None
    cost: float = 1.0


class StatisticsPart(Part):
    """Declared statistics by the text of the predicate or filter."""

    predicates: dict[str, StatisticPart] = {}
    filters: dict[str, StatisticPart] = {}


class ChangePart(Part):
    """A change while a run goes on."""

    at: float
    add: QueryPart | None = None
    remove: str | None = None
    plan: str | None = None


class RunPart(Part):
    """What a run covers."""

    seed: int = 7
    warmup: float | None = None
    duration: float = 300.0
    changes: list[ChangePart] = []


class WorkloadPart(Part):
    """The whole file."""

    version: Annotated[int, Field(ge=1, le=1)]
    name: str | None = None
    description: str = ""
    streams: list[StreamPart] = []
    relations: list[RelationPart] = []
    queries: list[QueryPart] = []
    execution: ExecutionPart = ExecutionPart()
    statistics: StatisticsPart = StatisticsPart()
    run: RunPart = RunPart()
