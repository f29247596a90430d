"""DataFrames of Spark's own operators, built from the description of a plan."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import timedelta
from functools import partial, reduce

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql.functions import (
    array,
    array_compact,
    coalesce,
    col,
    explode,
    greatest,
    lit,
    struct,
    timestamp_micros,
    when,
    xxhash64,
)

from planner.workload.query import COMPARE
from runtime.backends.native.description import (
    SEQ,
    TS,
    All,
    AnyOf,
    Condition,
    Fails,
    Input,
    Join,
    NativeJoins,
    Step,
    Taking,
    column_of,
)
from runtime.backends.native.files import NativeFiles

# Spark keeps watermarks in milliseconds, and takes what is not above one for late: with less delay,
# a tuple of the same time as the last one of the micro-batch before would be lost.
_DELAY = "1 millisecond"
_TIME = "time"
# The first watermark is that of 1970: event times are moved behind it, or what came then were late.
_FIRST_TIME = 1_000_000
# Of the rows that are taken.
QUERY, HASH, MEMBER = "query", "hash", "m"

Read = Callable[[Input], DataFrame]
# Given the number of a step of a join, its results and their times.
Observe = Callable[[int, DataFrame, Column], DataFrame]


def condition(test: Condition) -> Column:
    """A condition over the columns of the inputs."""
    if isinstance(test, All):
        return every(test.tests)
    if isinstance(test, AnyOf):
        return reduce(Column.__or__, map(condition, test.tests), lit(False))
    if isinstance(test, Fails):
        return ~coalesce(condition(test.test), lit(False))
    right = lit(test.constant)
    if test.right is not None:
        right = col(test.right) + right if test.constant else col(test.right)
    compared: Column = COMPARE[test.comparison](col(test.left), right)
    return compared


def every(tests: Sequence[Condition]) -> Column:
    """All of these conditions; none of them is always met."""
    return reduce(Column.__and__, map(condition, tests)) if tests else lit(True)


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
            rows = rows.where(every(given.tests))
        if streaming and given.is_stream:
            time = given.column(_TIME)
            rows = rows.withColumn(time, timestamp_micros(col(given.column(TS)) + later))
            rows = rows.withWatermark(time, _DELAY)
        return rows

    return read


def joined(join: Join, read: Read, streaming: bool, observe: Observe) -> DataFrame:
    """The inputs of a join, joined one after the other; `observe` looks at each join's results.

    Of a stream, the time of the first stream stays the one event time; others are numbers.
    """
    rows = read(join.first)
    for number, step in enumerate(join.steps):
        rows = rows.join(read(step.input), _on(join, step, streaming))
        if streaming and step.reach is not None:
            rows = rows.drop(step.input.column(_TIME))
        rows = observe(number, rows, last_of(join, number + 1))
    return rows


def last_of(join: Join, steps: int) -> Column:
    """The time of the last to arrive of the streams that so many steps have joined."""
    times = [col(i.column(TS)) for i in join.inputs[: steps + 1] if i.is_stream]
    # A relation alone, which the first step may begin with, has no time.
    return greatest(*times) if len(times) > 1 else times[0] if times else lit(0)


def _on(join: Join, step: Step, streaming: bool) -> Column:
    tests = every(step.tests)
    if not streaming or step.reach is None:
        return tests
    new, first = step.input.column(_TIME), column_of(join.event_stream, _TIME)
    after, before = (timedelta(microseconds=us) for us in (step.reach.after, step.reach.before))
    in_reach = (col(new) < col(first) + lit(after)) & (col(first) < col(new) + lit(before))
    if step.is_equality:
        return tests & in_reach
    # Spark's join of streams needs an equality: this one always holds, and Spark cannot know it.
    one, other = step.input.column(SEQ), column_of(join.event_stream, SEQ)
    return (col(one) % 1 == col(other) % 1) & tests & in_reach


def taken(
    native: NativeJoins,
    read: Read,
    streaming: bool,
    observe: Callable[[int, int, DataFrame, Column], DataFrame],
    keep_members: bool,
) -> DataFrame:
    """A row for every result of every query: the query's number, its time, hash and members."""
    width = max(len(taking.members) for taking in native.takings)
    parts = []
    for number, join in enumerate(native.joins):
        takings = [taking for taking in native.takings if taking.join == number]
        rows = joined(join, read, streaming, partial(observe, number))
        last = last_of(join, len(join.steps))
        if len(takings) == 1:
            parts.append(
                rows.where(every(takings[0].tests)).select(
                    *_row(takings[0], last, width, keep_members)
                )
            )
            continue
        of_queries = array_compact(
            array(
                *(
                    when(every(taking.tests), struct(*_row(taking, last, width, keep_members)))
                    for taking in takings
                )
            )
        )
        parts.append(rows.select(explode(of_queries)).select("col.*"))
    return reduce(DataFrame.union, parts)


def _row(taking: Taking, last: Column, width: int, keep_members: bool) -> list[Column]:
    """What a result is to a query."""
    members = [col(column_of(number, SEQ)) for number in taking.members]
    row = [lit(taking.query).alias(QUERY), last.alias(TS), result_hash(members).alias(HASH)]
    if keep_members:
        padded = [*members, *[lit(None).cast("long")] * (width - len(members))]
        row += [member.alias(f"{MEMBER}{place}") for place, member in enumerate(padded)]
    return row


def result_hash(members: Sequence[Column]) -> Column:
    """The hash of a result, as the kernels' digest has it."""
    hashes = [xxhash64(lit(place).cast("long"), seq) for place, seq in enumerate(members)]
    return xxhash64(reduce(Column.bitwiseXOR, hashes))
