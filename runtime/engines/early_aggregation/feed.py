"""The feed of an aggregation: a join's, with the group, cell and amounts of every tuple."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from planner.errors import PlanError
from planner.families.early_aggregation.coverage import cell_columns
from planner.files.tuple_table import Table
from planner.workload.query import Column, CountWindow, LandmarkWindow, Query, Source
from planner.workload.validation import listed, microseconds
from planner.workload.workload import Workload
from runtime.data.feed import Feed
from runtime.engines.early_aggregation.amounts import Amounts, Combined, Ranked, combined, ranked
from runtime.engines.early_aggregation.groups import AggregationSchema, Grouping, Meanings
from runtime.engines.early_aggregation.kernel.types import NOTHING, AggregationArrivals
from runtime.engines.join_feeds import JoinSchema, comes_or_goes, count_windows, loop_feed
from runtime.engines.kernels.loop_types import Rows


def aggregate_feed(workload: Workload, tables: Mapping[str, Table]) -> Feed:
    """Merge the tables of the workload's one query, and code what is grouped and aggregated."""
    (query,) = workload.queries
    coding = coded(workload, tables)
    joined = loop_feed(workload, tables)
    rows = joined.tuples
    assert isinstance(rows, Rows)
    of_source = [np.flatnonzero(rows.source == place) for place in range(len(query.sources))]
    shared = set(Rows._fields) & set(AggregationArrivals._fields)
    arrivals = AggregationArrivals(
        **{name: getattr(rows, name) for name in shared},
        group=_spread(rows, of_source, [group.codes for group in coding.groups]),
        cell=_spread(rows, of_source, [cell.codes for cell in coding.cells]),
        amounts=_amounts(rows, of_source, coding.amounts),
        number=_numbers(query, rows, of_source),
    )
    schema = joined.schema
    assert isinstance(schema, JoinSchema)
    whole = AggregationSchema(schema, coding.grouping, coding.meanings)
    return replace(joined, tuples=arrivals, schema=whole)


@dataclass(frozen=True, slots=True)
class Coding:
    """What is grouped and aggregated as numbers: of every source, by row of its table."""

    groups: list[Combined]
    cells: list[Combined]
    amounts: Amounts
    grouping: Grouping
    meanings: Meanings


def coded(workload: Workload, tables: Mapping[str, Table]) -> Coding:
    """Code the groups, cells and amounts of the tables of the workload's one query."""
    (query,) = workload.queries
    _check_columns(query, tables)
    made_of = list(cell_columns(query))
    named = {column: tables[query.source(column.alias).name] for column in made_of}
    ranks = {column: ranked(table.columns[column.attribute]) for column, table in named.items()}
    groups = [_combined(s, tables, ranks, query.group_by) for s in query.sources]
    cells = [_combined(s, tables, ranks, made_of) for s in query.sources]
    amounts = Amounts(query, tables, _most_rows(query, tables))
    meanings = Meanings(
        [ranks[column].values for column in query.group_by],
        [group.ranks for group in groups],
        {place: texts.values for place, texts in amounts.texts.items()},
    )
    grouping = Grouping(
        groups=[group.count for group in groups],
        cells=[cell.count for cell in cells],
        kept=amounts.kept,
        changing=any(
            comes_or_goes(tables[s.name], workload, tables)
            for s in query.sources
            if s.window is None
        ),
        seed=meanings.seed(),
    )
    return Coding(groups, cells, amounts, grouping, meanings)


def _check_columns(query: Query, tables: Mapping[str, Table]) -> None:
    aggregated = [a.column for a in query.aggregates if a.column is not None]
    for column in [*cell_columns(query), *aggregated]:
        table = tables[query.source(column.alias).name]
        if column.attribute not in table.columns:
            names = listed(table.columns)
            raise PlanError(f"there is no such attribute; there are {names}", str(column))


def _combined(
    source: Source,
    tables: Mapping[str, Table],
    ranks: Mapping[Column, Ranked],
    columns: tuple[Column, ...] | list[Column],
) -> Combined:
    """The columns of one source as one."""
    own = [ranks[column] for column in columns if column.alias == source.alias]
    return combined(own, len(tables[source.name]))


def _most_rows(query: Query, tables: Mapping[str, Table]) -> float:
    """The most combinations that the windows may hold at once."""
    most = 1.0
    for source in query.sources:
        table = tables[source.name]
        held = len(table)
        if isinstance(source.window, CountWindow):
            held = min(held, source.window.rows)
        elif source.window is not None and not isinstance(source.window, LandmarkWindow):
            length = microseconds(source.window.seconds)
            first = np.searchsorted(table.ts, table.ts - length, side="right")
            held = int((np.arange(1, held + 1) - first).max(initial=0))
        most *= max(1, held)
    return most


def _spread(
    rows: Rows, of_source: list[NDArray[np.int64]], codes: list[NDArray[np.int32]]
) -> NDArray[np.int32]:
    """The code of every arrival, from those of its table's rows."""
    spread = np.zeros(len(rows.ts), np.int32)
    for members, own in zip(of_source, codes, strict=True):
        spread[members] = own[rows.place[members]]
    return spread


def _amounts(rows: Rows, of_source: list[NDArray[np.int64]], amounts: Amounts) -> NDArray[np.int64]:
    spread = np.full((len(rows.ts), len(amounts.kept)), NOTHING, np.int64)
    for place, (kept, codes) in enumerate(zip(amounts.kept, amounts.codes, strict=True)):
        members = of_source[kept.source]
        spread[members, place] = codes[rows.place[members]]
    return spread


def _numbers(query: Query, rows: Rows, of_source: list[NDArray[np.int64]]) -> NDArray[np.int64]:
    """Of the sources of count windows, how many of their tuples came before each."""
    numbers = np.zeros(len(rows.ts), np.int64)
    for column, place in enumerate(count_windows(query)):
        numbers[of_source[place]] = rows.before[of_source[place], column]
    return numbers
