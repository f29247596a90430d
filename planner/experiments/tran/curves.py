"""The workloads of the early-aggregation paper's figures, and the curves of their plans."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Literal, NamedTuple

from planner.experiments.experiment import Curve, Place, Point
from planner.families.early_aggregation import NAME
from planner.families.early_aggregation.model import AggregationModel, model_of
from planner.families.early_aggregation.published_model import PrintedModel
from planner.families.early_aggregation.ranking import scores
from planner.files.query.text import format_query
from planner.workload.execution import Execution, RunSettings
from planner.workload.query import Aggregate, Column, CountWindow, Predicate, Query, Source
from planner.workload.streams import Attribute, Stream
from planner.workload.workload import Workload


class Row(NamedTuple):
    """A stream: tuples per second, tuples of its window, its groups, values of its key."""

    rate: float
    window: int
    groups: int
    values: int


def grouped_join(name: str, rows: Sequence[Row], execution: Execution | None = None) -> Workload:
    """S1, S2 and so on joined on `j`; SUM of an attribute of S1, grouped where there are groups."""
    names = [f"S{number}" for number in range(1, len(rows) + 1)]
    streams, sources, groups = [], [], []
    for stream, row in zip(names, rows, strict=True):
        attributes = {"j": Attribute(row.values), "x": Attribute(1000)}
        if row.groups > 1:
            attributes["g"] = Attribute(row.groups)
            groups.append(Column(stream, "g"))
        streams.append(Stream(stream, row.rate, attributes))
        sources.append(Source(stream, stream, CountWindow(row.window)))
    links = tuple(
        Predicate(Column(left, "j"), "=", Column(right, "j")) for left, right in pairwise(names)
    )
    total = Aggregate("sum", Column("S1", "x"))
    query = Query("Q1", tuple(sources), links, group_by=tuple(groups), aggregates=(total,))
    return Workload(
        name,
        tuple(streams),
        (replace(query, text=format_query(query)),),
        execution=execution or Execution(),
    )


PAPER = "Tran & Lee 2007"
REFINED = "expected entries"
PRINTED = "as printed"
HASH = Execution(join="hash", buckets=1021)
NESTED = Execution()

Setting = Literal["two-way", "three-way"]
DEFAULTS: dict[Setting, Row] = {
    "two-way": Row(300, 5000, 150, 10),
    "three-way": Row(200, 300, 20, 10),
}
STREAMS: dict[Setting, int] = {"two-way": 2, "three-way": 3}
# Rows of S1, S2 and so on at a place of the axis.
Build = Callable[[float], tuple[Row, ...]]

# Windows over rows are full a while after the time that their rows take on average.
_FILLED = 1.2
# A run is as long as LAP takes for so much work, within these seconds of stream time.
_OPERATIONS, _LEAST_SECONDS, _MOST_SECONDS = 2e7, 1.0, 10.0


def rows_of(setting: Setting) -> tuple[Row, ...]:
    """The default setting: S1 has the groups, the other streams have none."""
    first = DEFAULTS[setting]
    return (first, *(first._replace(groups=1),) * (STREAMS[setting] - 1))


def vary(setting: Setting, field: Literal["window", "groups", "rate", "values"]) -> Build:
    """The default setting, with a field of S1 at the place on the axis.

    Keys follow it on all streams. Where the rate varies the paper has 500/s on the other stream.
    """

    def build(x: float) -> tuple[Row, ...]:
        first, *others = rows_of(setting)
        if field == "values":
            keys = round(1 / x)
            return tuple(row._replace(values=keys) for row in (first, *others))
        if field == "rate":
            rate = 500 if setting == "two-way" else first.rate
            return (first._replace(rate=x), *(row._replace(rate=rate) for row in others))
        return (first._replace(**{field: int(x)}), *others)

    return build


def timed(name: str, rows: Sequence[Row], execution: Execution) -> Workload:
    """The workload with what a run covers: a warm-up that fills the windows, then a while."""
    workload = grouped_join(name, rows, execution)
    (late,) = scores(model_of(workload), [0])
    seconds = min(max(_OPERATIONS / late, _LEAST_SECONDS), _MOST_SECONDS)
    warmup = _FILLED * max(row.window / row.rate for row in rows)
    return replace(workload, run=RunSettings(warmup=round(warmup, 2), duration=round(seconds, 2)))


def curves_of_plans(
    workloads: Callable[[], Mapping[Place, Workload]],
) -> Callable[[], tuple[Curve, ...]]:
    """A curve of every plan under each model."""

    def draw() -> tuple[Curve, ...]:
        points: dict[tuple[str, str], list[Point]] = {}
        for x, workload in workloads().items():
            for model, label, cost in priced(model_of(workload)):
                point = Point(x, workload, NAME, label, predicted=cost)
                points.setdefault((model, label), []).append(point)
        return tuple(
            Curve(label if model == REFINED else f"{label}, {PRINTED}", label, tuple(found), model)
            for (model, label), found in sorted(
                points.items(), key=lambda item: item[0][0] != REFINED
            )
        )

    return draw


def priced(model: AggregationModel) -> list[tuple[str, str, float]]:
    """Operations per second of every plan under both models."""
    printed = PrintedModel(model)
    refined = zip(model.masks, scores(model, model.masks), strict=True)
    found = [(REFINED, model.label(mask), score) for mask, score in refined]
    return found + [(PRINTED, model.label(mask), printed.score(mask)) for mask in model.masks]
