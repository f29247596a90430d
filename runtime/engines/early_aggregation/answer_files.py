"""The answer of an aggregation as files: its groups at the end, and every change of a group."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from planner.files.text_codes import MOST_TEXTS, numbered_values
from planner.workload.query import Aggregate, Query, common_block
from runtime.engines.early_aggregation.amounts import (
    KeptColumn,
    from_order,
    kept_columns,
    kernel_function,
    mean_column,
    sum_column,
)
from runtime.engines.early_aggregation.groups import (
    BESTS,
    PRESENTS,
    SUMS,
    AggregationSchema,
    Grouping,
    Meanings,
    check_sums,
    kept,
)
from runtime.engines.early_aggregation.kernel.types import SUM
from runtime.engines.early_aggregation.program import CLOSED
from runtime.runs.result_files import read_part, safe_file_name, written_to

# In a change: when, which event, and the group with what is kept of it behind that.
TIME, EVENT, ORDER, GROUP, ROWS = range(5)


class WholeGroups:
    """What all partitions have of a group after each change of a part of it.

    Changes are given in the order of events, a batch at a time; between batches the last change of
    every part is kept.
    """

    def __init__(self) -> None:
        self._known: tuple[np.ndarray, NDArray[np.int64]] | None = None

    def after(self, rows: np.ndarray, partition: NDArray[np.int64]) -> np.ndarray:
        """The changes of a batch with the whole of their groups, where they have parts."""
        if self._known is not None:
            known, known_partition = self._known
            whole = np.concatenate([known, rows])
            partition = np.concatenate([known_partition, partition])
        else:
            known, whole = rows[:0], rows
        self._known = _last_of_each_part(whole, partition)
        return _made_whole(whole, partition)[len(known) :]


def _last_of_each_part(
    rows: np.ndarray, partition: NDArray[np.int64]
) -> tuple[np.ndarray, NDArray[np.int64]]:
    newest = rows[::-1, GROUP], partition[::-1]
    _, back = np.unique(np.stack(newest, axis=1), axis=0, return_index=True)
    last = len(rows) - 1 - back
    return rows[last], partition[last]


def _made_whole(rows: np.ndarray, partition: NDArray[np.int64]) -> np.ndarray:
    """After each change, what all partitions then have together.

    Where a group lies in one partition this changes nothing; where it does not there are sums only.
    """
    groups, group = np.unique(rows[:, GROUP], return_inverse=True)
    parts = len(np.unique(np.stack([group, partition], axis=1), axis=0))
    if parts == len(groups):
        return rows
    whole = rows.copy()
    content = slice(ROWS, rows.shape[1])
    # How each change alters its part; then summed up over all parts of the group.
    by_part = np.lexsort((np.arange(len(rows)), partition, group))
    altered = _differences(rows[by_part, content], group[by_part], partition[by_part])
    whole[by_part, content] = altered
    by_group = np.argsort(group, kind="stable")
    sums = np.cumsum(whole[by_group, content], axis=0)
    first = np.searchsorted(group[by_group], np.arange(len(groups)))
    before = np.concatenate([np.zeros((1, sums.shape[1]), np.int64), sums])[first]
    whole[by_group, content] = sums - before[group[by_group]]
    return whole


def _differences(
    content: np.ndarray, group: NDArray[np.int64], partition: NDArray[np.int64]
) -> np.ndarray:
    """Each row less the one before it of the same part."""
    same = (group[1:] == group[:-1]) & (partition[1:] == partition[:-1])
    altered = content.copy()
    altered[1:] -= np.where(same[:, None], content[:-1], 0)
    return altered


def write_answer(
    query: Query, schema: AggregationSchema, groups: np.ndarray, parts: Path, folder: Path
) -> None:
    """Write `QUERY.parquet`, the answer, and `QUERY.changes.parquet`, a batch at a time.

    `groups` are those of the end, each behind the begin of its block; blocks that ended before, and
    changes, are in the parts.
    """
    reader = AnswerReader(query, schema.grouping, schema.meanings)
    name = safe_file_name(query.name)
    at_the_end = reader.answer(groups)
    nothing = np.empty((0, ORDER + groups.shape[1]), np.int64)
    shown = reader.changes(nothing, nothing[:, 0])
    with (
        written_to(folder),
        _writer(folder / f"{name}.parquet", at_the_end.schema) as answer,
        _writer(folder / f"{name}.changes.parquet", shown.schema) as changes,
    ):
        # Whatever happens in a batch is before the next: blocks that end, too.
        for rows, partition in _by_batch(parts):
            closed = rows[rows[:, EVENT] == CLOSED]
            if len(closed):
                answer.write_table(reader.answer(closed[:, ORDER:]))
            if len(rows):
                changes.write_table(reader.changes(rows, partition))
        answer.write_table(at_the_end)


def _writer(file: Path, schema: pa.Schema) -> pq.ParquetWriter:
    return pq.ParquetWriter(file, schema, dictionary_pagesize_limit=MOST_TEXTS)


def _by_batch(parts: Path) -> Iterator[tuple[np.ndarray, NDArray[np.int64]]]:
    """The rows of each batch in turn, and the partition of each row."""
    # Named after batch and partition.
    files = sorted(parts.glob("rows-*.parquet"))
    for _, of_batch in groupby(files, key=lambda file: file.stem.rsplit("-", 1)[0]):
        read = [(int(file.stem.rsplit("-", 1)[1]), _read(file)) for file in of_batch]
        rows = np.concatenate([table for _, table in read])
        partition = np.repeat([number for number, _ in read], [len(table) for _, table in read])
        yield rows, partition


def _read(file: Path) -> np.ndarray:
    table = read_part(file)
    return np.stack([column.to_numpy() for column in table.columns], axis=1)


class AnswerReader:
    """Reads rows of numbers as groups and aggregates of a query."""

    def __init__(self, query: Query, grouping: Grouping, meanings: Meanings) -> None:
        self.query, self.grouping, self.meanings = query, grouping, meanings
        self.block = common_block(query)
        self._whole = WholeGroups()

    def answer(self, rows: np.ndarray) -> pa.Table:
        """The answer: [begin of the block, group, ...] as columns, sorted by the group columns."""
        # Ranks are in the order of the values that they stand for, a missing one last.
        order = np.lexsort([*reversed(self._ranks(rows[:, 1])), rows[:, 0]])
        rows = rows[order]
        columns = self._window_start(rows[:, 0]) | self._groups(rows[:, 1])
        present = np.ones(len(rows), np.bool_)
        return _table(columns | self._aggregates(rows[:, 1:], present))

    def changes(self, rows: np.ndarray, partition: NDArray[np.int64]) -> pa.Table:
        """Every change of a batch in the order of events, with the group as it is after it.

        Batches are given in turn.
        """
        # The groups that one event changes come in their own order, whatever plan changed them.
        order = np.lexsort(rows[:, [GROUP, ORDER, EVENT, TIME]].T)
        rows, partition = rows[order], partition[order]
        # An ended block's rows say what each group was: after it, the group is gone.
        closing = rows[:, EVENT] == CLOSED
        begun = np.where(closing, rows[:, ORDER], 0)
        if self.block:
            begun = np.where(closing, begun, rows[:, TIME] // self.block * self.block)
        rows = self._whole.after(rows, partition)
        present = (rows[:, ROWS] > 0) & ~closing
        functions = [one.function for one in self.grouping.kept]
        check_sums(rows[:, GROUP:], functions, [one.most for one in self.grouping.kept])
        columns = {"ts": pa.array(rows[:, TIME] / 1_000_000.0)}
        columns |= self._window_start(begun) | self._groups(rows[:, GROUP])
        columns |= self._aggregates(rows[:, GROUP:], present)
        return _table(columns | {"present": pa.array(present)})

    def _window_start(self, begun: NDArray[np.int64]) -> dict[str, pa.Array]:
        return {"window_start": pa.array(begun / 1_000_000.0)} if self.block else {}

    def _groups(self, keys: NDArray[np.int64]) -> dict[str, pa.Array]:
        """The values of the GROUP BY attributes."""
        named = zip(self.query.group_by, self.meanings.columns, self._ranks(keys), strict=True)
        return {
            # The rank behind all values is that of a missing one.
            str(column): numbered_values(own, values, own == len(values))
            for column, values, own in named
        }

    def _ranks(self, keys: NDArray[np.int64]) -> list[NDArray[np.int64]]:
        """The rank of each group's value among those of each GROUP BY attribute."""
        rest, ranks = keys, []
        for count, of_group in zip(self.grouping.groups, self.meanings.ranks, strict=True):
            ranks.append(of_group[rest % count])
            rest = rest // count
        aliases = [source.alias for source in self.query.sources]
        taken = dict.fromkeys(aliases, 0)
        found = []
        for column in self.query.group_by:
            found.append(ranks[aliases.index(column.alias)][:, taken[column.alias]])
            taken[column.alias] += 1
        return found

    def _aggregates(self, rows: np.ndarray, present: NDArray[np.bool_]) -> dict[str, pa.Array]:
        places = kept_columns(self.query)
        columns = {}
        for aggregate in self.query.aggregates:
            function = kernel_function(aggregate)
            if function is None or aggregate.column is None:
                columns[aggregate.name] = pa.array(np.where(present, rows[:, 1], 0))
                continue
            place = places[function, aggregate.column]
            columns[aggregate.name] = self._aggregate(aggregate, rows, place, present)
        return columns

    def _aggregate(
        self, aggregate: Aggregate, rows: np.ndarray, place: int, present: NDArray[np.bool_]
    ) -> pa.Array:
        one: KeptColumn = self.grouping.kept[place]
        sums, values = kept(rows, place, SUMS), kept(rows, place, PRESENTS)
        if aggregate.function == "count":
            return pa.array(np.where(present, sums if aggregate.distinct else values, 0))
        missing = ~present | (values == 0)
        if one.function == SUM and aggregate.function == "avg":
            return mean_column(one, sums, values, missing)
        if one.function == SUM:
            return sum_column(one, sums, missing)
        best = np.where(missing, 0, kept(rows, place, BESTS))
        if one.kind == "text":
            return numbered_values(best, self.meanings.texts[place], missing)
        return pa.array(from_order(best, one.kind), mask=missing)


def _table(columns: dict[str, pa.Array]) -> pa.Table:
    return pa.table(list(columns.values()), names=list(columns))
