"""The aggregates of a star join as numbers: what is added up, by which group, and when."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from planner.errors import RunError
from planner.families.load_shedding.aggregates import EVALUATIONS, MOST_GROUPS
from planner.families.load_shedding.star import Star
from planner.files.tuple_table import ColumnData, Table
from planner.workload.query import Column, Query

# The value of a group: None is a missing one.
Group = str | int | float | None
# Beyond so many numbers for the stored tuples there are no errors by group, then none at all.
MOST_MOMENTS = 1_000_000


@dataclass(frozen=True, slots=True)
class Aggregation:
    """By aggregate the [source, slot] of its values, [-1, -1] to count; first a count of all, and
    then those of the query with their `names` and `functions`.

    `group` is the [source, slot] of the group's number, empty without GROUP BY; `groups` are the
    values they stand for. The windows are evaluated at these times, in microseconds.
    """

    names: list[str] = field(default_factory=list)
    functions: list[str] = field(default_factory=list)
    amounts: list[list[int]] = field(default_factory=list)
    group: list[int] = field(default_factory=list)
    groups: list[Group] = field(default_factory=list)
    evaluations: list[int] = field(default_factory=list)

    @property
    def shape(self) -> tuple[int, int]:
        """Evaluations of all results and then groups at the end, by aggregates."""
        return len(self.evaluations) + len(self.groups), len(self.amounts)

    def with_errors(self, room: int) -> int:
        """Of how many evaluations and groups errors are worked out, if `room` tuples are stored."""
        for count in (self.shape[0], len(self.evaluations)):
            if count * len(self.amounts) * room <= MOST_MOMENTS:
                return count
        return 0


@dataclass(frozen=True, slots=True)
class AggregatedColumns:
    """An aggregation, and by alias the columns of values that it reads."""

    aggregation: Aggregation
    values: Mapping[str, NDArray[np.float64]]


def aggregated_columns(
    query: Query, star: Star, tables: Mapping[str, Table], first_slot: int
) -> AggregatedColumns:
    """The values that aggregates need, in slots from `first_slot` on."""
    places = {source.alias: place for place, source in enumerate(query.sources)}
    summed = dict.fromkeys(
        a.column for a in query.aggregates if a.column is not None and a.function == "sum"
    )
    columns = {column: _numbers(_data(query, column, tables)) for column in summed}
    slots = {column: [places[column.alias], first_slot + n] for n, column in enumerate(columns)}
    amounts = [slots.get(a.column, [-1, -1]) if a.column else [-1, -1] for a in query.aggregates]
    filled = [(column.alias, values) for column, values in columns.items()]
    group: list[int] = []
    groups: list[Group] = []
    for column in query.group_by:
        codes, groups = _groups(column, _data(query, column, tables), query.name)
        group = [places[column.alias], first_slot + len(filled)]
        filled.append((column.alias, codes))
    by_alias = {s.alias: np.full((len(tables[s.name]), len(filled)), np.nan) for s in query.sources}
    for n, (alias, values) in enumerate(filled):
        by_alias[alias][:, n] = values
    if not query.aggregates:
        return AggregatedColumns(Aggregation(), by_alias)
    times = [tables[arm.source.name].ts for arm in star.arms]
    aggregation = Aggregation(
        names=[a.name for a in query.aggregates],
        functions=[a.function for a in query.aggregates],
        amounts=[[-1, -1], *amounts],
        group=group,
        groups=groups,
        evaluations=_evaluations(times),
    )
    return AggregatedColumns(aggregation, by_alias)


def _data(query: Query, column: Column, tables: Mapping[str, Table]) -> ColumnData:
    return tables[query.source(column.alias).name].columns[column.attribute]


def _numbers(data: ColumnData) -> NDArray[np.float64]:
    values = data.values.astype(np.float64)
    return values if data.valid is None else np.where(data.valid, values, np.nan)


def _groups(
    column: Column, data: ColumnData, query: str
) -> tuple[NDArray[np.float64], list[Group]]:
    """The numbers of groups, and what they stand for; missing values are a group of their own."""
    valid = np.ones(len(data.values), np.bool_) if data.valid is None else data.valid
    found, numbers = np.unique(data.values[valid], return_inverse=True)
    groups: list[Group] = [*found.tolist(), *([] if valid.all() else [None])]
    if len(groups) > MOST_GROUPS:
        raise RunError(
            f"groups by {column}, which has {len(groups):,} values; at most {MOST_GROUPS:,} groups "
            "are covered",
            query,
        )
    codes = np.full(len(valid), float(len(found)))
    codes[valid] = numbers
    return codes, groups


def _evaluations(times: list[NDArray[np.int64]]) -> list[int]:
    """Evenly spaced from the first tuple on; the last is at the last tuple."""
    own = [ts for ts in times if len(ts)]
    if not own:
        return []
    first, last = (int(fold(ts[at] for ts in own)) for fold, at in ((min, 0), (max, -1)))
    return [first + (last - first) * step // EVALUATIONS for step in range(1, EVALUATIONS + 1)]
