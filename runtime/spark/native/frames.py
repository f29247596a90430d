"""DataFrames of Spark's own operators, built from the description of a plan."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from functools import reduce

from pyspark.sql import Column, DataFrame, Observation, SparkSession
from pyspark.sql.functions import (
    array,
    array_compact,
    col,
    count,
    explode,
    expr,
    lit,
    struct,
    timestamp_micros,
    when,
    xxhash64,
)
from sqlglot import exp

from runtime.backends.native.description import (
    MEMBER,
    SEQ,
    TS,
    Input,
    JoinStep,
    NativeJoin,
    NativePlan,
    Taking,
    all_of,
    column_of,
)
from runtime.backends.native.files import NativeFiles
from runtime.backends.native.tally import NativeTally

# Spark keeps watermarks in milliseconds, and takes what is not above one for late: with less delay,
# a tuple of the same time as the last one of the micro-batch before would be lost.
_DELAY = "1 millisecond"
_TIME = "time"
# The first watermark is that of 1970: event times are moved behind it, or what came then were late.
_FIRST_TIME = 1_000_000
# Of the rows that are taken.
QUERY, HASH = "query", "hash"

# Of the rows of a join that are counted.
ALL, MEASURED = "rows", "measured"

Read = Callable[[Input], DataFrame]
# Given the number of a join, and of a step of it, its results and their times.
Observe = Callable[[int, int, DataFrame, Column], DataFrame]


def sql(expression: exp.Expr) -> Column:
    """An expression of the description as Spark's."""
    return expr(expression.sql(dialect="spark"))


def reader(spark: SparkSession, files: NativeFiles, streaming: bool) -> Read:
    """Reads inputs from their files: streams as streams, one file per micro-batch, if so asked."""
    later = _FIRST_TIME - files.first_ts

    def read(given: Input) -> DataFrame:
        own = files.tables[given.table]
        schema = ", ".join(f"{name} {kind}" for name, kind in own.columns.items())
        if streaming and given.is_stream:
            source = spark.readStream.schema(schema).option("maxFilesPerTrigger", 1)
            rows = source.parquet(own.folder)
        else:
            rows = spark.read.schema(schema).parquet(own.folder)
        attributes = {own.attributes[name]: given.attribute(name) for name in given.attributes}
        others = [name for name in own.columns if name not in own.attributes.values()]
        columns = [col(name).alias(given.column(name)) for name in others]
        columns += [col(name).alias(as_input) for name, as_input in attributes.items()]
        rows = rows.select(*columns)
        if given.tests:
            rows = rows.where(sql(all_of(given.tests)))
        if streaming and given.is_stream:
            time = given.column(_TIME)
            rows = rows.withColumn(time, timestamp_micros(col(given.column(TS)) + later))
            rows = rows.withWatermark(time, _DELAY)
        return rows

    return read


def joined(
    join: NativeJoin, number: int, read: Read, streaming: bool, observe: Observe
) -> DataFrame:
    """The inputs of a join, joined one after the other; `observe` counts each step's results.

    Of a stream, the time of the first stream stays the one event time; others are numbers.
    """
    rows = read(join.first)
    for place, step in enumerate(join.steps):
        rows = rows.join(read(step.input), _on(join, step, streaming))
        if streaming and step.reach is not None:
            rows = rows.drop(step.input.column(_TIME))
        rows = observe(number, place, rows, sql(join.last_time(place + 1)))
    return rows


def _on(join: NativeJoin, step: JoinStep, streaming: bool) -> Column:
    tests = sql(all_of(step.tests))
    if not streaming or step.reach is None:
        return tests
    new, first = step.input.column(_TIME), column_of(join.event_stream, _TIME)
    after, before = (timedelta(microseconds=us) for us in step.reach)
    in_reach = (col(new) < col(first) + lit(after)) & (col(first) < col(new) + lit(before))
    if step.is_equality:
        return tests & in_reach
    # Spark's join of streams needs an equality: this one always holds, and Spark cannot know it.
    one, other = step.input.column(SEQ), column_of(join.event_stream, SEQ)
    return (col(one) % 1 == col(other) % 1) & tests & in_reach


def taken(
    native: NativePlan, read: Read, streaming: bool, observe: Observe, keep_members: bool
) -> DataFrame:
    """A row for every result of every query: the query's number, its time, hash and members."""
    width = max(len(taking.members) for taking in native.takings)
    parts = []
    for number, join in enumerate(native.joins):
        rows = joined(join, number, read, streaming, observe)
        last = sql(join.last_time(len(join.steps)))
        own = [
            (sql(all_of(taking.tests)), _row(taking, last, width, keep_members))
            for taking in native.takings
            if taking.join == number
        ]
        if len(own) == 1:
            ((passes, row),) = own
            parts.append(rows.where(passes).select(*row))
        else:
            of_queries = array_compact(array(*(when(passes, struct(*row)) for passes, row in own)))
            parts.append(rows.select(explode(of_queries)).select("col.*"))
    return reduce(DataFrame.union, parts)


def _row(taking: Taking, last: Column, width: int, keep_members: bool) -> list[Column]:
    """What a result is to a query."""
    members = [col(column_of(number, SEQ)) for number in taking.members]
    row = [lit(taking.query).alias(QUERY), last.alias(TS), _hash(members).alias(HASH)]
    if keep_members:
        padded = [*members, *[lit(None).cast("long")] * (width - len(members))]
        row += [member.alias(f"{MEMBER}{place}") for place, member in enumerate(padded)]
    return row


def _hash(members: Sequence[Column]) -> Column:
    """The hash of a result, as the kernels' digest has it."""
    hashes = [xxhash64(lit(place).cast("long"), seq) for place, seq in enumerate(members)]
    return xxhash64(reduce(Column.bitwiseXOR, hashes))


def counts(warmup: int, ts: Column) -> tuple[Column, Column]:
    """How many rows there are: all, and those from the end of the warm-up on."""
    measured = count(when(ts >= lit(warmup), lit(1)))
    return count(lit(1)).alias(ALL), measured.alias(MEASURED)


@contextmanager
def counted(tally: NativeTally, warmup: int) -> Iterator[Observe]:
    """Count the rows of each join of a batch job that is carried out within."""
    seen: dict[tuple[int, int], Observation] = {}

    def observe(join: int, step: int, rows: DataFrame, last: Column) -> DataFrame:
        seen[join, step] = Observation(f"join {join} step {step}")
        return rows.observe(seen[join, step], *counts(warmup, last))

    yield observe
    for place, observation in seen.items():
        metrics, found = tally.join(*place), observation.get
        metrics.rows, metrics.measured = found[ALL], found[MEASURED]
