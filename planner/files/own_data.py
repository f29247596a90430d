"""The user's own data: a folder with one CSV or Parquet file per stream or relation of the queries.

Of a file only the columns are read that the workload's queries use or that hold importance. Rows
of equal `ts` keep their order. A `ts` before 1970 is negative and accepted.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from planner.errors import PlanError
from planner.files.data_columns import arrival_times, attribute_values, validity_times
from planner.files.data_files import OPTIONAL, find_file, read_file
from planner.files.large_numbers import check_comparable
from planner.files.tuple_table import FIRST, LAST, ColumnData, Table
from planner.workload.query import Column, Query, linked_columns
from planner.workload.streams import Relation, Stream
from planner.workload.validation import exact
from planner.workload.workload import Workload


@dataclass(frozen=True, slots=True)
class OwnData:
    """The user's tables by name, and what the user should know of them."""

    tables: dict[str, Table]
    warnings: tuple[str, ...]


def read_folder(folder: Path, workload: Workload, sort: bool = False) -> OwnData:
    """The tables of the queries' streams and relations, in the workload's order.

    `sort` accepts rows out of `ts` order; `seq` stays a row's position in its file.
    """
    used = {source.name for query in workload.queries for source in query.sources}
    tables = {
        stream.name: _stream(folder, stream, _attributes(workload, stream), sort)
        for stream in workload.streams
        if stream.name in used
    }
    for relation in workload.relations:
        if relation.name in used:
            tables[relation.name] = _relation(folder, relation, _attributes(workload, relation))
    for query in workload.queries:
        _check_types(query, tables)
    warnings = [
        warning for name, table in tables.items() for warning in _warnings(workload, name, table)
    ]
    return OwnData(tables, tuple(warnings))


def _warnings(workload: Workload, name: str, table: Table) -> Iterator[str]:
    compared = {
        column.attribute
        for query in workload.queries
        for column in _compared(query)
        if query.source(column.alias).name == name
    }
    if not len(table):
        yield f"{name}: has no rows"
    elif len(table.ts) > 1 and table.ts[0] == table.ts[-1]:
        yield f"{name}: all {len(table)} rows have the same ts"
    for column, data in table.columns.items():
        missing = 0 if data.valid is None else int(len(table) - data.valid.sum())
        if missing:
            # Where no condition needs it, a missing value is a group of its own, or not counted.
            then = ", which match nothing" if column in compared else ""
            yield f"{name}.{column}: missing in {missing} of {len(table)} rows{then}"


def _compared(query: Query) -> list[Column]:
    """The columns that conditions need."""
    joined = [column for p in query.predicates for column in (p.left, p.right)]
    return joined + [condition.column for condition in query.filters]


def query_columns(query: Query) -> tuple[Column, ...]:
    """Every column that the query reads."""
    counted = [a.column for a in query.aggregates if a.column is not None]
    return tuple(dict.fromkeys([*_compared(query), *query.group_by, *counted]))


def _attributes(workload: Workload, source: Stream | Relation) -> list[str]:
    used = [
        column.attribute
        for query in workload.queries
        for column in query_columns(query)
        if query.source(column.alias).name == source.name
    ]
    if isinstance(source, Stream) and source.importance is not None:
        used.append(source.importance)
    return list(dict.fromkeys(used))


def _stream(folder: Path, stream: Stream, attributes: list[str], sort: bool) -> Table:
    file = find_file(folder, stream.name)
    data = read_file(file, ["ts", *attributes], _texts(stream))
    ts = arrival_times(data["ts"], file.name)
    columns = {name: attribute_values(data[name], name, file.name) for name in attributes}
    table = Table(np.arange(len(ts), dtype=np.int64), ts, columns)
    earlier = np.flatnonzero(ts[1:] < ts[:-1])
    if len(earlier) and not sort:
        row = int(earlier[0]) + 1
        raise PlanError(
            f"row {row + 1} (ts {exact(ts[row] / 1e6)}) is earlier than row {row} "
            f"(ts {exact(ts[row - 1] / 1e6)}); sort the file by ts, or accept it with --sort",
            file.name,
        )
    return _sorted(table) if len(earlier) else table


def _sorted(table: Table) -> Table:
    order = np.argsort(table.ts, kind="stable")
    columns = {
        name: ColumnData(data.values[order], None if data.valid is None else data.valid[order])
        for name, data in table.columns.items()
    }
    return Table(table.seq[order], table.ts[order], columns)


def _relation(folder: Path, relation: Relation, attributes: list[str]) -> Table:
    file = find_file(folder, relation.name)
    data = read_file(file, [*attributes, *OPTIONAL], _texts(relation))
    span = {
        name: validity_times(data[name], missing, name, file.name)
        for name, missing in (("begin", FIRST), ("end", LAST))
        if name in data.column_names
    }
    if "begin" in span and "end" in span and (span["begin"] > span["end"]).any():
        row = int(np.argmax(span["begin"] > span["end"])) + 1
        raise PlanError(f"row {row} ends before it begins; swap begin and end", file.name)
    return Table(
        np.arange(data.num_rows, dtype=np.int64),
        np.empty(0, np.int64),
        {name: attribute_values(data[name], name, file.name) for name in attributes},
        **span,
    )


def _texts(source: Stream | Relation) -> list[str]:
    """Attributes declared as text, which a file may hold as digits."""
    return [name for name, a in source.attributes.items() if a.type == "string"]


def _check_types(query: Query, tables: Mapping[str, Table]) -> None:
    """Text never equals a number: a join of the two would be empty without a word. And a fraction
    is not compared with whole numbers that are too large for it."""

    def is_text(column: Column) -> bool | None:
        data = tables[query.source(column.alias).name].columns[column.attribute]
        empty = data.valid is not None and not data.valid.any()
        return None if empty else data.values.dtype == object

    for predicate in query.predicates:
        left, right = is_text(predicate.left), is_text(predicate.right)
        if left is not None and right is not None and left != right:
            raise PlanError(
                f"{predicate} compares text with numbers; make both columns of one type",
                query.name,
            )
    others = linked_columns(p for p in query.predicates if not p.is_equality)
    for compared in (*query.equality_classes(), *others):
        data = {
            c: tables[query.source(c.alias).name].columns[c.attribute] for c in sorted(compared)
        }
        check_comparable(data, query.name)
