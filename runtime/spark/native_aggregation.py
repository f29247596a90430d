"""An aggregation on Spark's own operators: joined by block, aggregated before or after."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

import numpy as np
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql.functions import coalesce, col, count, count_distinct, lit, pmod
from pyspark.sql.functions import max as greatest_of
from pyspark.sql.functions import min as least_of
from pyspark.sql.functions import sum as total

from planner.errors import RunError
from runtime.backends.interruption import StopSignal
from runtime.backends.native.aggregating import KEPT, NativeGroups
from runtime.backends.native.describe_aggregation import BLOCK, COUNT, GROUP, NativeAggregation
from runtime.backends.native.description import TS, Input
from runtime.backends.native.files import NativeFiles
from runtime.backends.native.tally import NativeTally
from runtime.engines.aggregation.kernel.types import DISTINCT, GREATEST, LEAST, NOTHING, SUM
from runtime.spark.native_frames import Read, joined, reader
from runtime.spark.native_run import watched
from runtime.spark.replay import stopping

MOST_GROUPS = 5_000_000
# Of a kept column: what it sums to, how many values there are, and the least or greatest of them.
_SUM, _PRESENT, _BEST = "sum", "present", "best"

Functions = Sequence[tuple[int, int]]


def replay_aggregation(
    spark: SparkSession,
    described: NativeAggregation,
    groups: NativeGroups,
    files: NativeFiles,
    warmup: int,
    stop: StopSignal,
) -> tuple[NativeTally, np.ndarray]:
    """The groups of all blocks in one batch job, as rows of numbers."""
    tally = NativeTally()
    with watched(tally, warmup) as observe, stopping(spark, stop):
        read = _aggregated(reader(spark, files, False), described, groups.functions)
        rows = joined(described.join, read, False, lambda *step: observe(0, *step))
        found = _grouped(rows, described, groups).limit(MOST_GROUPS + 1).toArrow()
    if found.num_rows > MOST_GROUPS:
        raise RunError(f"over {MOST_GROUPS:,} groups; group by less, or run shorter", "GROUP BY")
    columns = [column.to_numpy() for column in found.columns]
    return tally, np.ascontiguousarray(np.stack(columns, axis=1).astype(np.int64))


def _aggregated(read: Read, described: NativeAggregation, functions: Functions) -> Read:
    """Reads inputs with the begin of their blocks, the early ones aggregated: a row a cell."""

    def read_input(given: Input) -> DataFrame:
        rows, ts = read(given), col(given.column(TS))
        if given.is_stream:
            begun = ts - pmod(ts, lit(described.block))
            rows = rows.withColumn(given.column(BLOCK), begun)
        kept = [(p, f) for p, (f, source) in enumerate(functions) if source == given.number]
        if given.number not in described.early:
            return rows.select(
                "*",
                lit(1).cast("long").alias(given.column(COUNT)),
                *(column for place, _ in kept for column in _alone(given, place)),
            )
        names = [given.column(GROUP + str(given.number)), *map(given.attribute, given.attributes)]
        times = [greatest_of(ts).alias(given.column(TS))] if given.is_stream else []
        blocks = [given.column(BLOCK)] if given.is_stream else []
        return rows.groupBy(*blocks, *names).agg(
            count(lit(1)).alias(given.column(COUNT)),
            *times,
            *(column for place, f in kept for column in _summed(given, place, f)),
        )

    return read_input


def _name(given: Input | int, place: int, part: str) -> str:
    number = given if isinstance(given, int) else given.number
    return f"s{number}_{KEPT}{place}_{part}"


def _alone(given: Input, place: int) -> list[Column]:
    """What one tuple adds to a kept column."""
    amount = col(given.column(f"{KEPT}{place}"))
    return [
        amount.alias(_name(given, place, _SUM)),
        amount.isNotNull().cast("long").alias(_name(given, place, _PRESENT)),
        amount.alias(_name(given, place, _BEST)),
    ]


def _summed(given: Input, place: int, function: int) -> list[Column]:
    """What the tuples of a cell add to a kept column together."""
    amount = col(given.column(f"{KEPT}{place}"))
    best = least_of(amount) if function == LEAST else greatest_of(amount)
    # Codes of what is not summed, such as the bits of numbers, could overflow.
    sums = total(amount) if function == SUM else lit(0).cast("long")
    return [
        sums.alias(_name(given, place, _SUM)),
        count(amount).alias(_name(given, place, _PRESENT)),
        best.alias(_name(given, place, _BEST)),
    ]


def _grouped(rows: DataFrame, described: NativeAggregation, groups: NativeGroups) -> DataFrame:
    """The rows of the join by block and group: each counts as often as its cells say."""
    numbers = sorted(given.number for given in described.join.inputs)
    counts = {number: col(f"s{number}_{COUNT}") for number in numbers}
    codes = [
        col(f"s{number}_{GROUP}{number}") * lit(groups.multipliers[number]) for number in numbers
    ]
    block = col(f"s{described.join.event_stream}_{BLOCK}")
    sums = [total(reduce(Column.__mul__, counts.values()))]
    for place, (function, source) in enumerate(groups.functions):
        others = [counts[number] for number in numbers if number != source]
        weight = reduce(Column.__mul__, others, lit(1).cast("long"))
        sums += _kept(function, source, place, weight)
    named = [column.alias(f"c{place}") for place, column in enumerate(sums)]
    by = block.alias(BLOCK), reduce(Column.__add__, codes).alias(GROUP)
    return rows.groupBy(*by).agg(*named)


def _kept(function: int, source: int, place: int, weight: Column) -> list[Column]:
    """The three numbers of a kept column."""
    amount, best = (col(_name(source, place, part)) for part in (_SUM, _BEST))
    zero = lit(0).cast("long")
    sums = zero
    if function == SUM:
        sums = coalesce(total(amount * weight), zero)
    elif function == DISTINCT:
        sums = count_distinct(best)
    found = zero
    if function in (LEAST, GREATEST):
        extreme = least_of(best) if function == LEAST else greatest_of(best)
        found = coalesce(extreme, lit(int(NOTHING)).cast("long"))
    return [sums, total(col(_name(source, place, _PRESENT)) * weight), found]
