"""Aggregations driven by hand: their answer, every change of it, and what is counted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from planner.files.tuple_table import Table
from planner.plan.plan import Plan
from planner.workload.query import Query
from planner.workload.workload import Workload
from runtime.data.feed import Span
from runtime.engines.early_aggregation.answer_files import AnswerReader
from runtime.engines.early_aggregation.feed import aggregate_feed
from runtime.engines.protocol import Tally
from tests.oracles.aggregations import Answer, Moment
from tests.runtime.driving import program_of, split_of, stepped_apart


@dataclass(frozen=True, slots=True)
class Aggregated:
    """What came of a plan: its answer, the moment and content of every change, and its tally."""

    answer: Answer
    changes: list[tuple[Moment, tuple[Any, ...], tuple[Any, ...] | None]]
    tally: Tally


def aggregated(
    workload: Workload,
    tables: Mapping[str, Table],
    plan: Plan,
    partitions: int = 1,
    cuts: Sequence[int] = (),
    warmup: int = 0,
) -> Aggregated:
    """Run the plan over the tables, cut into batches at these places."""
    (query,) = workload.queries
    feed = aggregate_feed(workload, tables)
    end = int(feed.tuples.ts[-1]) if len(feed.tuples.ts) else 0
    split = split_of(plan, workload, partitions)
    program = program_of(plan, workload, feed, Span(warmup, end), split)
    parts, totals = stepped_apart(program, split, feed, cuts, keep_rows=True)
    tally = program.tally(totals, plan)
    assert tally.groups is not None
    reader = AnswerReader(query, feed.schema.grouping, feed.schema.meanings)
    rows = np.concatenate([part for _, part in parts])
    closed = rows[rows[:, 1] < 0][:, 2:]
    answer = reader.answer(np.concatenate([closed, tally.groups]))
    moments = sorted(map(tuple, rows[:, [0, 1, 2]].tolist()))
    changes = []
    for first in range(0, len(parts), split.partitions):
        batch = parts[first : first + split.partitions]
        partition = np.repeat([number for number, _ in batch], [len(part) for _, part in batch])
        table = reader.changes(np.concatenate([part for _, part in batch]), partition)
        changes += _by_group(query, table, 1)
    return Aggregated(
        dict(_by_group(query, answer, 0)),
        [(moment, *change) for moment, change in zip(moments, changes, strict=True)],
        tally,
    )


def _by_group(query: Query, table: pa.Table, skip: int) -> list[tuple[Any, Any]]:
    """Each row as its group and its aggregates; None where a change left nothing of the group."""
    width = len(query.group_by) + ("window_start" in table.column_names)
    rows = list(zip(*(column.to_pylist() for column in table.columns), strict=True))
    if not table.num_columns:
        rows = [()] * table.num_rows
    found = []
    for row in rows:
        values: Any = row[skip + width : skip + width + len(query.aggregates)]
        if skip and not row[-1]:
            values = None
        found.append((row[skip : skip + width], values))
    return found
