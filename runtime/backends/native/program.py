"""A plan as the text of a PySpark program that needs nothing of ours.

What a user wrote is embedded as Python literals alone, in SQL as literals that sqlglot escapes;
every other name is one of ours.
"""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from planner.plan.plan import Plan
from planner.workload.workload import Workload
from runtime.backends.native.description import Input, NativeJoin, NativePlan
from runtime.runs.result_files import safe_file_name


def program_text(native: NativePlan, plan: Plan, workload: Workload) -> str:
    """The program: what is read, joined and taken as constants, and how it is carried out."""
    constants = [
        f"WORKLOAD = {workload.name!r}",
        f"PLAN = {f'{plan.family} {plan.label}'!r}",
        "# Every join: its inputs (file, number of its view, attributes, kind), and its SQL.",
        "JOINS = [",
        *(line for join in native.joins for line in _join(join)),
        "]",
        "# Every query: its name, the folder of its results, the aliases of its sources, and the",
        "# SQL of the parts of its results: the seq of each member, and the time.",
        "QUERIES = [",
        *(
            line
            for number in range(len(native.queries))
            for line in _query(native, number, workload)
        ),
        "]",
    ]
    return f"{_HEAD}\n" + "\n".join(constants) + f"\n{_BODY}"


def _join(join: NativeJoin) -> Iterator[str]:
    yield from (f"    # {step.name!r}" for step in join.steps)
    yield "    ("
    yield "        ["
    yield from (f"            {_input(given)}," for given in join.inputs)
    yield "        ],"
    yield from _sql(join.select(), 8)
    yield "    ),"


def _input(given: Input) -> str:
    kind = "stream" if given.is_stream else "relation"
    return repr((given.table, given.number, list(given.attributes), kind))


def _query(native: NativePlan, number: int, workload: Workload) -> Iterator[str]:
    query = workload.query(native.queries[number])
    yield "    ("
    for value in (query.name, safe_file_name(query.name), [s.alias for s in query.sources]):
        yield f"        {value!r},"
    yield "        ["
    for taking in native.takings:
        if taking.query == number:
            yield from _sql(native.select(taking), 12)
    yield "        ],"
    yield "    ),"


def _sql(query: exp.Select, indent: int) -> Iterator[str]:
    """SQL as a Python literal, line by line."""
    *lines, last = query.sql(dialect="spark", pretty=True).split("\n")
    for line in lines:
        yield " " * indent + repr(line + "\n")
    yield " " * indent + repr(last) + ","


_HEAD = '''"""A sliding-window join as one batch job of Spark's own operators.

    spark-submit program.py --data FOLDER [--out DIR]

FOLDER holds NAME.parquet for every stream and relation; README.md says which columns each needs.
Printed is one line of JSON: how many results every query has, and a digest of them that does not
depend on their order. `--out` also writes the results, a folder of Parquet files for each query.
"""

import argparse
import json
import re
from functools import reduce

from pyspark.errors import AnalysisException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
'''

_BODY = '''
# From when to when a row of a relation is there, where nothing is said.
FOREVER = {"begin": -(2**63), "end": 2**63 - 1}


def kind_of(rows, name):
    """The type of a column; a message where there is none."""
    if name not in rows.columns:
        file = rows.inputFiles()[0] if rows.inputFiles() else "a file"
        raise SystemExit(f"{file} has no column {name!r}; it has {', '.join(rows.columns)}")
    return dict(rows.dtypes)[name]


def micros(rows, name):
    """A column of times in whole microseconds: of seconds as a number, or of timestamps."""
    kind, column = kind_of(rows, name), quoted(name)
    if kind.startswith("timestamp") or kind == "date":
        return F.unix_micros(column.cast("timestamp"))
    return F.rint(column.cast("double") * 1e6).cast("long")


def value(rows, name):
    """A column of values: whole numbers, other numbers (NaN is a missing one), or text."""
    kind, column = kind_of(rows, name), quoted(name)
    if kind == "string":
        return column
    if kind.startswith("timestamp") or kind == "date":
        return F.unix_micros(column.cast("timestamp"))
    if kind in ("double", "float") or kind.startswith("decimal"):
        number = column.cast("double")
        return F.when(~F.isnan(number), number)
    return column.cast("long")


def quoted(name):
    """A column by its name, whatever is in it."""
    return F.col("`" + name.replace("`", "``") + "`")


def view(spark, folder, table, number, attributes, kind):
    """Make an input a view; its columns get the name of the view before theirs."""
    file = re.sub(r"([\\\\{}\\[\\]*?])", r"\\\\\\1", table) + ".parquet"
    rows = spark.read.parquet(folder.rstrip("/") + "/" + file)
    # A row is known by its position in the file.
    columns = [F.col("_metadata.row_index").alias(f"s{number}_seq")]
    if kind == "stream":
        columns.append(micros(rows, "ts").alias(f"s{number}_ts"))
    else:
        for name, missing in FOREVER.items():
            given = micros(rows, name) if name in rows.columns else F.lit(None)
            column = F.coalesce(given, F.lit(missing).cast("long"))
            columns.append(column.alias(f"s{number}_{name}"))
    for place, name in enumerate(attributes):
        columns.append(value(rows, name).alias(f"s{number}_a{place}"))
    rows.select(*columns).createOrReplaceTempView(f"s{number}")


def results(spark, folder):
    """The results of each query, in the order of QUERIES."""
    for number, (inputs, join) in enumerate(JOINS):
        for given in inputs:
            view(spark, folder, *given)
        spark.sql(join).createOrReplaceTempView(f"join_{number}")
    return [reduce(DataFrame.union, map(spark.sql, parts)) for *_, parts in QUERIES]


def digest(rows, members):
    """How many results there are, and the sum of their hashes modulo 2^64, in hexadecimal."""
    hashes = [F.xxhash64(F.lit(n).cast("long"), F.col(f"m{n}")) for n in range(members)]
    hashed = rows.select(F.xxhash64(reduce(lambda a, b: a.bitwiseXOR(b), hashes)).alias("hash"))
    # Two halves: a sum of 64-bit hashes would overflow.
    found = hashed.agg(
        F.count(F.lit(1)).alias("results"),
        F.sum(F.col("hash").bitwiseAND(F.lit(0xFFFFFFFF))).alias("low"),
        F.sum(F.shiftrightunsigned("hash", 32)).alias("high"),
    ).first()
    total = ((found["high"] or 0) << 32) + (found["low"] or 0)
    return found["results"], f"{total % 2**64:016x}"


def main():
    parser = argparse.ArgumentParser(description=f"{WORKLOAD}: {PLAN}".replace("%", "%%"))
    parser.add_argument("--data", metavar="FOLDER", required=True)
    parser.add_argument("--out", metavar="DIR", help="write the results there")
    options = parser.parse_args()
    spark = SparkSession.builder.appName("plan").getOrCreate()
    spark.conf.set("spark.sql.session.timeZone", "UTC")
    answer = {"workload": WORKLOAD, "plan": PLAN, "results": {}, "answers": {}}
    try:
        found = results(spark, options.data)
    except AnalysisException as error:
        # A file that is not there, or a column of another type.
        raise SystemExit(str(error).splitlines()[0]) from None
    for (name, folder, aliases, _), rows in zip(QUERIES, found):
        answer["results"][name], answer["answers"][name] = digest(rows, len(aliases))
        if options.out:
            members = [F.col(f"m{n}").alias(f"{alias}.seq") for n, alias in enumerate(aliases)]
            seconds = (F.col("ts") / F.lit(1e6)).alias("ts")
            file = options.out.rstrip("/") + "/" + folder
            rows.select(*members, seconds).write.mode("overwrite").parquet(file)
    print(json.dumps(answer))
    spark.stop()


if __name__ == "__main__":
    main()
'''
