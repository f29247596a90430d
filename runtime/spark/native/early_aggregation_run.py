"""An aggregation on Spark's own operators: joined by block, aggregated before or after.

Its SQL has names of ours alone.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.functions import col, expr

from planner.errors import RunError
from runtime.backends.interruption import StopSignal
from runtime.backends.native.backend import PreparedNative
from runtime.backends.native.description import TS, Blocks, Input, NativeJoin, column_of
from runtime.backends.native.early_aggregation import BLOCK, COUNT, GROUP, KEPT, NativeGroups
from runtime.backends.native.files import NativeFiles
from runtime.backends.native.tally import NativeTally
from runtime.engines.early_aggregation.kernel.types import DISTINCT, GREATEST, LEAST, NOTHING, SUM
from runtime.spark.native.frames import Read, counted, joined, reader
from runtime.spark.replay import stopping

MOST_GROUPS = 5_000_000

Functions = Sequence[tuple[int, int]]


def replay_aggregation(
    spark: SparkSession,
    prepared: PreparedNative,
    files: NativeFiles,
    stop: StopSignal,
) -> tuple[NativeTally, np.ndarray]:
    """The groups of all blocks in one batch job, as rows of numbers."""
    tally = NativeTally()
    (join,), blocks = prepared.described.joins, prepared.described.blocks
    groups = prepared.groups
    assert blocks is not None, "an aggregation has them"
    assert isinstance(groups, NativeGroups), "its kind coded them"
    with counted(tally, prepared.span.warmup) as observe, stopping(spark, stop):
        read = _aggregated(reader(spark, files, False), blocks, groups.functions)
        rows = joined(join, 0, read, False, observe)
        found = _grouped(rows, join, groups).limit(MOST_GROUPS + 1).toArrow()
    if found.num_rows > MOST_GROUPS:
        raise RunError(f"over {MOST_GROUPS:,} groups; group by less, or run shorter", "GROUP BY")
    columns = [column.to_numpy() for column in found.columns]
    return tally, np.ascontiguousarray(np.stack(columns, axis=1).astype(np.int64))


def _aggregated(read: Read, blocks: Blocks, functions: Functions) -> Read:
    """Reads inputs with the begin of their blocks, the early ones aggregated: a row a cell."""

    def read_input(given: Input) -> DataFrame:
        rows, ts, block = read(given), given.column(TS), given.column(BLOCK)
        if given.is_stream:
            rows = rows.withColumn(block, expr(f"{ts} - pmod({ts}, {blocks.length})"))
        is_early, count = given.number in blocks.early, given.column(COUNT)
        sums = [
            f"{value} AS {name}"
            for place, (function, source) in enumerate(functions)
            if source == given.number
            for value, name in zip(
                _added(given.column(f"{KEPT}{place}"), function, is_early),
                _names(source, place),
                strict=True,
            )
        ]
        if not is_early:
            return rows.selectExpr("*", f"1L AS {count}", *sums)
        cell = [given.column(f"{GROUP}{given.number}"), *map(given.attribute, given.attributes)]
        sums.append(f"count(1) AS {count}")
        if given.is_stream:
            cell.append(block)
            sums.append(f"max({ts}) AS {ts}")
        return rows.groupBy(*cell).agg(*map(expr, sums))

    return read_input


def _names(source: int, place: int) -> list[str]:
    """Of a kept column: its sum, how many values there are, and the least or greatest of them."""
    return [column_of(source, f"{KEPT}{place}_{part}") for part in ("sum", "present", "best")]


def _added(amount: str, function: int, is_early: bool) -> tuple[str, str, str]:
    """What one tuple adds to these three, or all tuples of a cell together."""
    if not is_early:
        return amount, f"CAST({amount} IS NOT NULL AS LONG)", amount
    # Codes of what is not summed, such as the bits of numbers, could overflow.
    sums = f"sum({amount})" if function == SUM else "0L"
    return sums, f"count({amount})", f"{'min' if function == LEAST else 'max'}({amount})"


def _grouped(rows: DataFrame, join: NativeJoin, groups: NativeGroups) -> DataFrame:
    """The rows of the join by block and group: each counts as often as its cells say."""
    numbers = sorted(given.number for given in join.inputs)
    counts = {number: column_of(number, COUNT) for number in numbers}
    codes = [f"{column_of(n, f'{GROUP}{n}')} * {groups.multipliers[n]}L" for n in numbers]
    sums = [f"sum({' * '.join(counts.values())})"]
    for place, (function, source) in enumerate(groups.functions):
        others = (counts[number] for number in numbers if number != source)
        sums += _totals(function, _names(source, place), " * ".join(["1L", *others]))
    block = col(column_of(join.event_stream, BLOCK)).alias(BLOCK)
    named = [expr(value).alias(f"c{place}") for place, value in enumerate(sums)]
    return rows.groupBy(block, expr(" + ".join(codes)).alias(GROUP)).agg(*named)


def _totals(function: int, names: list[str], weight: str) -> list[str]:
    """The three numbers of a kept column in a group, each row taken `weight` times."""
    amount, present, best = names
    sums = {SUM: f"coalesce(sum({amount} * {weight}), 0L)", DISTINCT: f"count(DISTINCT {best})"}
    extremes = {LEAST: f"min({best})", GREATEST: f"max({best})"}
    found = f"coalesce({extremes[function]}, {NOTHING}L)" if function in extremes else "0L"
    return [sums.get(function, "0L"), f"sum({present} * {weight})", found]
