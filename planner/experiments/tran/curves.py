"""Tran & Lee 2007: what late and early aggregation cost in the workloads of Figures 6 to 10."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any, Literal, NamedTuple

from planner.experiments.experiment import Curve, Place, Point, curves_by_model
from planner.families.early_aggregation import NAME
from planner.families.early_aggregation.model import model_of
from planner.families.early_aggregation.published_model import PrintedModel
from planner.families.early_aggregation.ranking import scores
from planner.families.early_aggregation.space import AggregationPlans
from planner.files.query.text import format_query
from planner.seconds.units import default_units
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


REFINED = "expected entries"
PRINTED = "as printed"
SECONDS = "seconds by default unit costs"
Measure = Literal["operations", "seconds"]
HASH = Execution(join="hash", buckets=1021)
NESTED = Execution()
_JOINS = {"hash join": HASH, "nested loops": NESTED}

# Windows over rows are full a while after the time that their rows take on average.
_FILLED = 1.2
# A run is as long as LAP takes for so much work, within these seconds of stream time.
_OPERATIONS, _LEAST_SECONDS, _MOST_SECONDS = 2e7, 1.0, 10.0


def timed(name: str, rows: Sequence[Row], execution: Execution) -> Workload:
    """The workload with what a run covers: a warm-up that fills the windows, then a while."""
    workload = grouped_join(name, rows, execution)
    (late,) = scores(model_of(workload), [0])
    seconds = min(max(_OPERATIONS / late, _LEAST_SECONDS), _MOST_SECONDS)
    warmup = _FILLED * max(row.window / row.rate for row in rows)
    return replace(workload, run=RunSettings(warmup=round(warmup, 2), duration=round(seconds, 2)))


# Of each stream the numbers of its row.
Streams = Sequence[Sequence[int]]


def by_number(
    figure: str,
    join: str,
    streams: Streams,
    vary: Literal["window", "groups", "rate", "selectivity"],
    places: Sequence[Any],
    measure: Measure,
) -> tuple[Curve, ...]:
    """All plans, with a number of S1 at each place; keys follow the selectivity on all streams."""

    def rows(x: Any) -> list[Row]:
        first, *others = _rows(streams)
        if vary == "selectivity":
            return [row._replace(values=round(1 / x)) for row in (first, *others)]
        return [first._replace(**{vary: x}), *others]

    workloads = ((x, timed(f"{figure}, {x:g}", rows(x), _JOINS[join])) for x in places)
    return _seconds(workloads) if measure == "seconds" else _by_plan(workloads)


def showcases(rate: float, streams: Mapping[str, Streams], measure: Measure) -> tuple[Curve, ...]:
    """All plans in every showcase, at one rate of S1."""
    workloads = (
        (place, timed(f"Figure 10{place}, {rate:g}", _rows(rows), NESTED))
        for place, rows in streams.items()
    )
    return _seconds(workloads) if measure == "seconds" else _by_plan(workloads)


def default_settings(streams: Mapping[str, Streams]) -> tuple[Curve, ...]:
    """LAP and the plan with all sets, under hash tables and nested loops."""

    def subject(workload: Workload, mask: int) -> str:
        join = "nested loops" if workload.execution == NESTED else "hash join"
        every = 2 ** len(workload.streams) - 1
        return {0: f"LAP, {join}", every: f"A set on every stream, {join}"}.get(mask, "")

    workloads = (
        (setting, timed(f"Default setting, {setting} {join}", _rows(rows), execution))
        for setting, rows in streams.items()
        for join, execution in _JOINS.items()
    )
    return _by_plan(workloads, subject)


def _rows(streams: Streams) -> list[Row]:
    return [Row(*row) for row in streams]


def _by_plan(
    workloads: Iterable[tuple[Place, Workload]],
    subject: Callable[[Workload, int], str] | None = None,
) -> tuple[Curve, ...]:
    """A curve of every plan under each model, or of those that `subject` has a name for."""
    points: dict[tuple[str, str], list[Point]] = {}
    for x, workload in workloads:
        model = model_of(workload)
        printed = PrintedModel(model)
        for mask, cost in zip(model.masks, scores(model, model.masks), strict=True):
            label = model.label(mask)
            if curve := subject(workload, mask) if subject else label:
                for source, predicted in ((REFINED, cost), (PRINTED, printed.score(mask))):
                    point = Point(x, workload, NAME, label, predicted=predicted)
                    points.setdefault((source, curve), []).append(point)
    return curves_by_model(points)


def _seconds(workloads: Iterable[tuple[Place, Workload]]) -> tuple[Curve, ...]:
    """A curve of every plan in seconds. They depend on the machine, so none of them is measured."""
    points: dict[tuple[str, str], list[Point]] = {}
    for x, workload in workloads:
        plans = AggregationPlans(workload, default_units())
        for label in plans.labels:
            taken = plans.seconds_by_label(label)
            point = Point(x, workload, NAME, label, predicted=taken, measured=False)
            points.setdefault((SECONDS, label), []).append(point)
    return curves_by_model(points)
